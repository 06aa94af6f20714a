#include "host/capture/wav_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace host {
namespace {

using ::testing::HasSubstr;

WAVEFORMATEX pcm(uint16_t channels, uint32_t rate) {
  WAVEFORMATEX format{};
  format.wFormatTag = 1;
  format.nChannels = channels;
  format.nSamplesPerSec = rate;
  format.wBitsPerSample = 16;
  format.nBlockAlign = static_cast<uint16_t>(channels * 2);
  format.nAvgBytesPerSec = rate * format.nBlockAlign;
  return format;
}

class WavFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path()); }
  static std::string path() { return ::testing::TempDir() + "/drydock_wav_file_test.wav"; }
  static std::vector<uint8_t> written() {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static uint32_t number(const std::vector<uint8_t>& bytes, size_t at, size_t count) {
    uint32_t value = 0;
    memcpy(&value, bytes.data() + at, count);
    return value;
  }
};

TEST_F(WavFileTest, HasAHeadThatSaysWhatFollows) {
  WavFile file;
  ASSERT_EQ(file.open(path(), pcm(2, 48000)), "");
  const std::vector<uint8_t> first = {1, 2, 3, 4}, second = {5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(file.add(first), "");
  EXPECT_EQ(file.add(second), "");
  ASSERT_EQ(file.close(), "");
  std::vector<uint8_t> bytes = written();
  ASSERT_EQ(bytes.size(), 44u + 12u);
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "RIFF");
  EXPECT_EQ(number(bytes, 4, 4), bytes.size() - 8);
  EXPECT_EQ(std::string(bytes.begin() + 8, bytes.begin() + 16), "WAVEfmt ");
  EXPECT_EQ(number(bytes, 16, 4), 16u);
  EXPECT_EQ(number(bytes, 20, 2), 1u);
  EXPECT_EQ(number(bytes, 22, 2), 2u);
  EXPECT_EQ(number(bytes, 24, 4), 48000u);
  EXPECT_EQ(number(bytes, 28, 4), 192000u);
  EXPECT_EQ(number(bytes, 32, 2), 4u);
  EXPECT_EQ(number(bytes, 34, 2), 16u);
  EXPECT_EQ(std::string(bytes.begin() + 36, bytes.begin() + 40), "data");
  EXPECT_EQ(number(bytes, 40, 4), 12u);
  for (uint8_t i = 0; i < 12; ++i) EXPECT_EQ(bytes[44u + i], i + 1);
}

TEST_F(WavFileTest, SilenceIsAFileToo) {
  WavFile file;
  ASSERT_EQ(file.open(path(), pcm(1, 8000)), "");
  ASSERT_EQ(file.close(), "");
  std::vector<uint8_t> bytes = written();
  ASSERT_EQ(bytes.size(), 44u);
  EXPECT_EQ(number(bytes, 40, 4), 0u);
}

TEST_F(WavFileTest, SaysWhyItCannotBeWritten) {
  WavFile file;
  EXPECT_THAT(file.open("/no/such/folder/a.wav", pcm(1, 8000)), HasSubstr("/no/such/folder/a.wav: No such file"));
}

}  // namespace
}  // namespace host
