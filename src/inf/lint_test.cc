// What is not wrong, and what only facts beside the file show. That each rule is found where it is broken:
// tests/inf_test.cc, on the files of drivers/bad/inf.
#include "inf/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A display adapter's file with one thing changed.
class InfLintTest : public ::testing::Test {
 protected:
  void replace(const std::string& what, const std::string& with) {
    size_t at = text_.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text_.replace(at, what.size(), with);
  }
  std::vector<std::string> found(const Facts& facts = {}) {
    auto file = File::parse(text_, "x.inf");
    EXPECT_TRUE(file.ok()) << file.error();
    std::vector<std::string> out;
    for (const Complaint& complaint : lint(file.value(), facts)) {
      out.push_back(std::string(nt::to_string(complaint.what)) + " " + complaint.section + ":" +
                    std::to_string(complaint.line));
      sentence_ = complaint.sentence;
    }
    return out;
  }

  std::string sentence_;  // of the last
  std::string text_ = R"([Version]
Signature = "$CHICAGO$"
Class = display
ClassGUID = {4D36E968-E325-11CE-BFC1-08002BE10318}
Provider = Us
CatalogFile.NTamd64 = x.cat
DriverVer = 01-02-2026
[SourceDisksNames.amd64]
1 = Disk
[SourceDisksFiles.amd64]
x.sys = 1
u.dll = 1
[DestinationDirs]
DefaultDestDir = 12
Umd = 11
[Manufacturer]
Us = Models, NTamd64.10.0...14310, NTx86
[Models.NTamd64.10.0...14310]
A = Inst, PCI\VEN_1234&DEV_0001&CC_0300, ACPI\ABC0001
[Models.NTx86]
A = Inst, *PNP0001
[Inst.NT]
FeatureScore = F6
CopyFiles = @x.sys, Umd
AddReg = Reg
[Umd]
u.dll,,,0x00004000
[Reg]
HKR,,UserModeDriverName,0x00010000,u,<>,u.dll
HKR,,InstalledDisplayDrivers,0x00010000,u
[Inst.NT.Services]
AddService = X,2,Svc
[Svc]
ServiceType = 0x00000001
StartType = 0x3
ErrorControl = 0
ServiceBinary = %12%\x.sys
)";
};

TEST_F(InfLintTest, NamesAndNumbersAreWrittenInManyWays) { EXPECT_THAT(found(), IsEmpty()) << sentence_; }

TEST_F(InfLintTest, ADisplayOnlyDriverHasNoUserModeDriver) {
  replace("HKR,,UserModeDriverName,0x00010000,u,<>,u.dll\n", "");
  EXPECT_THAT(found(), ElementsAre("InfUserModeDriverMissing Inst.NT:22")) << "a DLL is copied";
  replace("@x.sys, Umd", "@x.sys");
  replace("u.dll = 1\n", "");
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
  EXPECT_THAT(found({.renders = true}), ElementsAre("InfUserModeDriverMissing Inst.NT:21"));
}

TEST_F(InfLintTest, EachInterfaceOfDirect3dNeedsAName) {
  EXPECT_THAT(found({.direct3d = 11}), IsEmpty()) << sentence_;
  EXPECT_THAT(found({.direct3d = 12}), ElementsAre("InfUserModeDriverShort Reg:29"));
  EXPECT_EQ(sentence_, "UserModeDriverName has 3 names, and the driver of Direct3D 12 is number 4");
}

TEST_F(InfLintTest, TheVersionIsThatOfTheFileWhereBothAreKnown) {
  EXPECT_THAT(found({.driver_version = "1.2.3.4"}), IsEmpty()) << sentence_;
  replace("01-02-2026", "01-02-2026,1.2");
  EXPECT_THAT(found({.driver_version = "1.2.0.0"}), IsEmpty()) << sentence_;
  EXPECT_THAT(found({.driver_version = "1.2.0.1"}), ElementsAre("InfVersionMismatch Version:7"));
  EXPECT_EQ(sentence_, "DriverVer is 1.2, and the version of the driver's file 1.2.0.1");
  EXPECT_THAT(found(), IsEmpty()) << "nobody told the version";
}

TEST_F(InfLintTest, VersionsThatAreNone) {
  for (const char* version : {"0.0.0.0", "1.2.3.4.5", "1.x", "1.70000", "1..2"}) {
    std::string whole = text_;
    replace("01-02-2026", "01-02-2026," + std::string(version));
    EXPECT_THAT(found(), ElementsAre("InfVersionMissing Version:7")) << version;
    text_ = whole;
  }
  for (const char* date : {"1/2/2026", "13/01/2026", "01/32/2026", "01/02/26", "2026/01/02"}) {
    std::string whole = text_;
    replace("01-02-2026", date);
    EXPECT_THAT(found(), ElementsAre("InfVersionMissing Version:7")) << date;
    text_ = whole;
  }
}

TEST_F(InfLintTest, WhatAnIncludedFileMayHaveIsNotMissed) {
  replace("FeatureScore = F6", "FeatureScore = F6\nInclude = other.inf\nNeeds = Other.NT");
  replace("AddReg = Reg", "AddReg = Reg, Other.Reg");
  replace("AddService = X,2,Svc", "Include = other.inf\nNeeds = Other.NT.Services");
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
}

TEST_F(InfLintTest, FilesOfWindowsItselfAreInItsLayout) {
  replace("Provider = Us", "Provider = Us\nLayoutFile = layout.inf");
  replace("x.sys = 1\nu.dll = 1\n", "");
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
}

TEST_F(InfLintTest, IdsOfPci) {
  for (const char* id : {"PCI\\VEN_12&DEV_0001", "PCI\\VEN_1234&DEV_000G", "PCI\\1234", "PCI\\VEN_1234&", "A B"}) {
    std::string whole = text_;
    replace("PCI\\VEN_1234&DEV_0001&CC_0300", id);
    EXPECT_THAT(found(), ElementsAre("InfHardwareIdWrong Models.NTamd64.10.0...14310:19")) << id;
    text_ = whole;
  }
  for (const char* id : {"PCI\\CC_030000", "pci\\ven_1234&dev_0001&SUBSYS_00011234&REV_01", "USB\\VID_045E&PID_00B"}) {
    std::string whole = text_;
    replace("PCI\\VEN_1234&DEV_0001&CC_0300", id);
    EXPECT_THAT(found(), IsEmpty()) << id;
    text_ = whole;
  }
}

TEST_F(InfLintTest, AFileForX86AloneIsOne) {
  replace("NTamd64.10.0...14310, NTx86", "NTx86");
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
}

TEST_F(InfLintTest, AFileThatInstallsNoDeviceNeedsNoManufacturer) {
  text_ =
      "[Version]\nSignature=\"$Windows NT$\"\nProvider=Us\nCatalogFile=x.cat\nDriverVer=01/01/2026\n"
      "Class=Other\nClassGuid={00000000-0000-0000-0000-000000000001}\n[DefaultInstall.NTamd64]\n";
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
}

TEST_F(InfLintTest, ADriverOfTheUserModeFrameworkIsNoWddmDriver) {
  replace("AddService = X,2,Svc", "AddService = WUDFRd,0x1fa,Svc");
  replace("%12%\\x.sys", "%12%\\WUDFRd.sys");
  replace("FeatureScore = F6\n", "");
  replace("AddReg = Reg\n", "");
  text_ += "[Inst.NT.Wdf]\nUmdfService = U, U_Install\n";
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
}

TEST_F(InfLintTest, TheFlagsOfAnInterfaceAreZero) {
  text_ += "[Inst.NT.Interfaces]\nAddInterface={65E8773D-8F56-11D0-A3B9-00A0C9223196},,,0\n";
  EXPECT_THAT(found(), IsEmpty()) << sentence_;
  replace(",,,0\n", ",,,1\n");
  EXPECT_THAT(found(), ElementsAre("InfInterfaceMissing Inst.NT.Interfaces:39"));
}

TEST(LintPackageTest, SaysWhyThereIsNothingToJudge) {
  EXPECT_EQ(lint_package("/nowhere/x.inf", {}).error(), "/nowhere/x.inf cannot be read");
}

}  // namespace
}  // namespace inf
