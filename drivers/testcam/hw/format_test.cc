#include <gtest/gtest.h>

#include <climits>

#include "testcam/proto/testcam_format.h"

namespace testcam {
namespace {

TEST(Format, CountsBytes) {
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMAT_YUY2, 320, 240), 153'600u);
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMAT_UYVY, 320, 240), 153'600u);
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMAT_NV12, 320, 240), 115'200u);
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMAT_RGB24, 320, 240), 230'400u);
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMAT_RGB32, 1280, 720), TESTCAM_MAX_FRAME_BYTES);
}

TEST(Format, HasNoOtherFormats) {
  EXPECT_EQ(testcam_frame_bytes(TESTCAM_FORMATS, 320, 240), 0u);
  EXPECT_EQ(testcam_frame_bytes(UINT_MAX, 320, 240), 0u);
}

TEST(Format, HasNoOddSizes) {
  for (uint32_t width : {0u, 1u, 144u, 161u, 1296u, 0x8000'0000u, UINT_MAX})
    EXPECT_FALSE(testcam_size_valid(width, 240));
  for (uint32_t height : {0u, 1u, 112u, 121u, 728u, 0x8000'0000u, UINT_MAX}) {
    EXPECT_FALSE(testcam_size_valid(320, height));
  }
}

// What the conversions rely on.
TEST(Format, EveryValidSizeFitsAndNeedsNoPadding) {
  for (uint32_t width = 0; width <= 2 * TESTCAM_MAX_WIDTH; ++width) {
    for (uint32_t height = 0; height <= 2 * TESTCAM_MAX_HEIGHT; ++height) {
      if (!testcam_size_valid(width, height)) continue;
      ASSERT_EQ(width * 3 % 4, 0u);
      ASSERT_EQ(height % 2, 0u);
      for (uint32_t format = 0; format < TESTCAM_FORMATS; ++format) {
        const uint32_t bytes = testcam_frame_bytes(format, width, height);
        ASSERT_GT(bytes, 0u);
        ASSERT_LE(bytes, TESTCAM_MAX_FRAME_BYTES);
      }
    }
  }
}

TEST(Format, IntervalsAreNeitherZeroNorEndless) {
  EXPECT_TRUE(testcam_interval_valid(333'333));
  EXPECT_TRUE(testcam_interval_valid(TESTCAM_MIN_INTERVAL));
  EXPECT_TRUE(testcam_interval_valid(TESTCAM_MAX_INTERVAL));
  for (int64_t interval : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{TESTCAM_MIN_INTERVAL - 1},
                           int64_t{TESTCAM_MAX_INTERVAL + 1}, int64_t{0x1'0005'1615}, INT64_MAX}) {
    EXPECT_FALSE(testcam_interval_valid(interval)) << interval;
  }
}

}  // namespace
}  // namespace testcam
