#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/testing/seed.h"
#include "ksalloc/ksalloc_pattern.h"

namespace {

constexpr uint32_t kBytes = 512;

std::vector<uint8_t> frame_of(uint64_t number, uint32_t bytes = kBytes) {
  std::vector<uint8_t> frame(bytes);
  ksalloc_write(frame.data(), bytes, number);
  return frame;
}

TEST(KsallocPattern, ANumberComesBack) {
  for (uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{256}, UINT64_MAX}) {
    std::vector<uint8_t> frame = frame_of(number);
    uint64_t found = number + 1;
    EXPECT_TRUE(ksalloc_read(frame.data(), kBytes, &found));
    EXPECT_EQ(found, number);
  }
}

TEST(KsallocPattern, AStampAloneIsAFrame) {
  std::vector<uint8_t> frame = frame_of(42, sizeof(KSALLOC_STAMP));
  uint64_t found = 0;
  EXPECT_TRUE(ksalloc_read(frame.data(), sizeof(KSALLOC_STAMP), &found));
  EXPECT_EQ(found, 42u);
  EXPECT_FALSE(ksalloc_read(frame.data(), sizeof(KSALLOC_STAMP) - 1, &found));
}

// But for the upper bytes of the number: those make it a whole frame of another number.
TEST(KsallocPattern, EveryChangedByteIsSeen) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const uint64_t number = random();
  for (uint32_t i = 0; i < kBytes; ++i) {
    std::vector<uint8_t> frame = frame_of(number);
    frame[i] = static_cast<uint8_t>(frame[i] ^ (1 + random() % 255));
    uint64_t found = number;
    const bool whole = ksalloc_read(frame.data(), kBytes, &found);
    if (i > 8 && i < sizeof(KSALLOC_STAMP)) {
      EXPECT_NE(found, number) << "byte " << i;
    } else {
      EXPECT_FALSE(whole) << "byte " << i;
    }
  }
}

TEST(KsallocPattern, FramesOfDifferentNumbersDiffer) {
  EXPECT_NE(frame_of(1), frame_of(2));
  EXPECT_NE(frame_of(0), frame_of(uint64_t{1} << 40));
}

}  // namespace
