#include "host/run/files_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace host {
namespace {

namespace fs = std::filesystem;

class FilesCopyTest : public ::testing::Test {
 protected:
  FilesCopyTest() {
    fs::create_directories(given_ / "c/deep");
    write(given_ / "c/deep/config", "given");
    fs::create_symlink("deep/config", given_ / "c/link");
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  fs::path fresh() {
    auto made = copy_.fresh();
    EXPECT_TRUE(made.ok()) << made.error();
    return made.ok() ? made.take() : "";
  }

  ScratchFolder folder_, scratch_;
  const fs::path given_ = folder_.path();
  FilesCopy copy_{folder_.path(), scratch_.path()};
};

TEST_F(FilesCopyTest, HasWhatTheFolderHas) {
  fs::path copy = fresh();
  EXPECT_NE(copy, given_);
  EXPECT_EQ(read(copy / "c/deep/config"), "given");
  EXPECT_EQ(fs::read_symlink(copy / "c/link"), "deep/config");
}

TEST_F(FilesCopyTest, IsMadeAnewWhenARunHasChangedIt) {
  fs::path copy = fresh();
  write(copy / "c/deep/config", "changed");
  write(copy / "c/new", "new");
  copy_.spoil();
  EXPECT_EQ(fresh(), copy);
  EXPECT_EQ(read(copy / "c/deep/config"), "given");
  EXPECT_FALSE(fs::exists(copy / "c/new"));
  EXPECT_EQ(read(given_ / "c/deep/config"), "given");
}

TEST_F(FilesCopyTest, IsKeptWhenNoRunHasChangedIt) {
  fs::path copy = fresh();
  write(copy / "mark", "");
  fresh();
  EXPECT_TRUE(fs::exists(copy / "mark")) << "copied again";
}

TEST_F(FilesCopyTest, GoesWhenItsProcessHasEnded) {
  fs::path copy = fresh();
  FilesCopy::remove(scratch_.path(), getpid());
  EXPECT_FALSE(fs::exists(copy));
}

TEST(FilesCopy, WithoutAFolderThereIsNone) { EXPECT_EQ(FilesCopy("", "").fresh().value(), ""); }

TEST(FilesCopy, AFolderThatIsNotThereIsNamed) {
  ScratchFolder scratch;
  std::string error = FilesCopy("/no/such/folder", scratch.path()).fresh().error();
  EXPECT_TRUE(error.starts_with("/no/such/folder: cannot be copied for a run: ")) << error;
}

}  // namespace
}  // namespace host
