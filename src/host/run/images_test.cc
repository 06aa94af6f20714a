#include "host/run/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/run/files_copy.h"

namespace host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal_of(const std::string& driver, const std::string& kmd = {}, const DriverFiles& files = {}) {
  auto images = Images::load(driver, kmd, files);
  EXPECT_FALSE(images.ok()) << driver;
  return images.ok() ? "" : images.error();
}

TEST(ImagesTest, ADriverOfKernelModeIsLoadedAlone) {
  auto loaded = Images::load(SAMPLE_DRIVER, {}, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error();
  const Images& images = loaded.value();
  EXPECT_FALSE(images.umd());
  EXPECT_EQ(images.file_name(), std::filesystem::path(SAMPLE_DRIVER).filename().string());
  EXPECT_NE(images.build_id(), "");
  EXPECT_FALSE(images.kernel.is_graphics());
  EXPECT_FALSE(images.kernel.is_streaming());
  EXPECT_FALSE(images.kernel.device_model());
}

TEST(ImagesTest, AFileThatIsNotThereIsRefusedByName) {
  EXPECT_THAT(refusal_of("/nowhere/none.so"), StartsWith("/nowhere/none.so: "));
}

TEST(ImagesTest, AFileThatIsNoModuleIsRefusedByName) {
  ScratchFolder folder;
  const std::string path = folder.path() + "/text.so";
  std::ofstream(path) << "no module at all";
  EXPECT_THAT(refusal_of(path), StartsWith(path + ": "));
}

TEST(ImagesTest, AModuleWithoutAnEntryIsNoDriver) {
  EXPECT_EQ(refusal_of(SAMPLE_WITHOUT_ENTRY), SAMPLE_WITHOUT_ENTRY ": no driver: it exports no DriverEntry");
}

TEST(ImagesTest, FunctionsThatNobodyProvidesAreNamed) {
  EXPECT_THAT(refusal_of(SAMPLE_WANTS_MORE),
              AllOf(StartsWith(SAMPLE_WANTS_MORE ": "), HasSubstr("NobodyProvidesThis")));
}

TEST(ImagesTest, ADeviceThatIsNotThereIsRefusedByName) {
  EXPECT_THAT(refusal_of(SAMPLE_DRIVER, {}, {.device = "/nowhere/device.so"}), HasSubstr("/nowhere/device.so"));
}

TEST(ImagesTest, AWorkloadIsForDisplayDrivers) {
  EXPECT_EQ(refusal_of(SAMPLE_DRIVER, {}, {.workload = "/nowhere/workload.so"}),
            "/nowhere/workload.so: workloads are for display drivers");
}

TEST(FindBundledTest, TheNearestFolderAboveIsTaken) {
  namespace fs = std::filesystem;
  ScratchFolder root;
  const fs::path top = root.path();
  fs::create_directories(top / "softgpu");
  fs::create_directories(top / "a/softgpu");
  fs::create_directories(top / "a/b/c");
  std::ofstream(top / "softgpu/gpu-of-this-test.so") << "far";
  EXPECT_EQ(find_bundled((top / "a/b/c/x.so").string(), "gpu-of-this-test.so"), top / "softgpu/gpu-of-this-test.so");
  std::ofstream(top / "a/softgpu/gpu-of-this-test.so") << "nearer";
  EXPECT_EQ(find_bundled((top / "a/b/c/x.so").string(), "gpu-of-this-test.so"), top / "a/softgpu/gpu-of-this-test.so");
  std::ofstream(top / "a/b/c/gpu-of-this-test.so") << "beside";
  EXPECT_EQ(find_bundled((top / "a/b/c/x.so").string(), "gpu-of-this-test.so"), top / "a/b/c/gpu-of-this-test.so");
  EXPECT_EQ(find_bundled((top / "a/b/c/x.so").string(), "there-is-none.so"), "");
}

}  // namespace
}  // namespace host
