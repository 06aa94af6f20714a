#include "host/capture/y4m_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Y4m : public ::testing::Test {
 protected:
  ~Y4m() override { std::filesystem::remove(path_); }

  std::string written() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  const std::string path_ = ::testing::TempDir() + "drydock_y4m_file_test.y4m";
  Y4mFile film_;
};

const std::string kHeader = "YUV4MPEG2 W6 H1 F30:1 Ip A1:1 C444\n";

TEST_F(Y4m, AFilmIsAHeaderAndItsFrames) {
  ASSERT_EQ(film_.open(path_, 6, 1, 30), "");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(film_.add(Picture(6, 1)), "");
  ASSERT_EQ(film_.close(), "");
  std::string bytes = written();
  const std::string frame = "FRAME\n" + std::string(6, '\x10') + std::string(12, '\x80');
  EXPECT_EQ(bytes, kHeader + frame + frame + frame);
}

// The colour bars of BT.601, whose codes its tables give.
TEST_F(Y4m, HasTheColoursOfBt601) {
  Picture bars(6, 1);
  const uint32_t colours[] = {0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0x000000};
  for (uint32_t i = 0; i < 6; ++i) bars.at(i, 0) = Pixel::from_argb(0xFF000000 | colours[i]);
  ASSERT_EQ(film_.open(path_, 6, 1, 30), "");
  ASSERT_EQ(film_.add(bars), "");
  ASSERT_EQ(film_.close(), "");
  std::string bytes = written().substr(kHeader.size() + 6);
  std::vector<int> codes;
  for (char byte : bytes) codes.push_back(static_cast<uint8_t>(byte));
  ASSERT_EQ(codes.size(), 18u);
  EXPECT_THAT(std::vector<int>(codes.begin(), codes.begin() + 6), ElementsAre(235, 81, 145, 41, 210, 16));
  EXPECT_THAT(std::vector<int>(codes.begin() + 6, codes.begin() + 12), ElementsAre(128, 90, 54, 240, 16, 128));
  EXPECT_THAT(std::vector<int>(codes.begin() + 12, codes.end()), ElementsAre(128, 240, 34, 110, 146, 128));
}

TEST_F(Y4m, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(Y4mFile().open("/no/such/folder/a.y4m", 4, 4, 30), "/no/such/folder/a.y4m: No such file or directory");
  EXPECT_THAT(Y4mFile().open(path_, 0, 4, 30), HasSubstr("without pixels"));
  ASSERT_EQ(film_.open(path_, 4, 4, 30), "");
  EXPECT_THAT(film_.add(Picture(4, 5)), HasSubstr("a picture of 4x5 in a film of 4x4"));
}

TEST_F(Y4m, AFullDiskIsNoticedAtTheLatestAtItsEnd) {
  ASSERT_EQ(film_.open("/dev/full", 4, 4, 30), "");
  std::string said = film_.add(Picture(4, 4));
  if (said.empty()) said = film_.close();
  EXPECT_EQ(said, "/dev/full: No space left on device");
}

}  // namespace
}  // namespace host
