#include "client/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace client {
namespace {

namespace fs = std::filesystem;

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() {
    std::string pattern = ::testing::TempDir() + "settings_XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    for (const char* name : {kDriverVariable, kDeviceVariable, kWslVariable, kLedgerVariable, kStuckVariable})
      unsetenv(name);
  }
  ~SettingsTest() override {
    for (const char* name : {kDriverVariable, kDeviceVariable, kWslVariable, kLedgerVariable, kStuckVariable})
      unsetenv(name);
    fs::remove_all(root_);
  }

  std::string file(const std::string& name) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << "x";
    return (root_ / name).string();
  }
  Settings settings(const char* library_folder) {
    fs::create_directories(root_ / library_folder);
    return Settings::from_environment((root_ / library_folder).string());
  }

  fs::path root_;
};

TEST_F(SettingsTest, AStagedTreeHasTheDriverBesideTheLibrariesFolder) {
  std::string driver = file("build/drivers/softgpu/softgpu.so");
  EXPECT_EQ(settings("build/lib").driver, driver);
}

TEST_F(SettingsTest, AnInstalledTreeHasItBelowTheLibrariesFolder) {
  std::string driver = file("usr/lib/drydock/drivers/softgpu/softgpu.so");
  EXPECT_EQ(settings("usr/lib").driver, driver);
}

TEST_F(SettingsTest, ABuildTreeHasItTwoFoldersUp) {
  std::string driver = file("release/drivers/softgpu/softgpu.so");
  EXPECT_EQ(settings("release/src/client").driver, driver);
}

TEST_F(SettingsTest, NoDriverAnywhereIsNone) { EXPECT_EQ(settings("build/lib").driver, ""); }

TEST_F(SettingsTest, TheStuckLimitIsANumber) {
  EXPECT_EQ(settings("build/lib").stuck_limit_s, kStuckLimitS);
  setenv(kStuckVariable, "0", 1);
  EXPECT_EQ(settings("build/lib").stuck_limit_s, 0u);
  setenv(kStuckVariable, "soon", 1);
  EXPECT_EQ(settings("build/lib").stuck_limit_s, kStuckLimitS);
}

TEST_F(SettingsTest, TheEnvironmentGoesFirst) {
  file("release/drivers/softgpu/softgpu.so");
  setenv(kDriverVariable, "/mine.so", 1);
  setenv(kDeviceVariable, "/my_device.so", 1);
  setenv(kWslVariable, "1", 1);
  setenv(kLedgerVariable, "-", 1);
  Settings found = settings("release/src/client");
  EXPECT_EQ(found.driver, "/mine.so");
  EXPECT_EQ(found.device, "/my_device.so");
  EXPECT_TRUE(found.like_wsl);
  EXPECT_EQ(found.ledger, "-");
}

}  // namespace
}  // namespace client
