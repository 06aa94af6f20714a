#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "abi/km/wdm.h"
#include "base/testing/seed.h"

namespace {

constexpr ULONG kNone = 0xffffffff;

// A bitmap beside the plain vector it has to agree with.
class Bitmap : public testing::Test {
 protected:
  void make(ULONG size) {
    words_.assign((size + 31) / 32 + 1, 0xaaaaaaaa);  // the last word is a guard
    RtlInitializeBitMap(&map_, words_.data(), size);
    RtlClearAllBits(&map_);
    model_.assign(size, false);
  }
  void put(ULONG start, ULONG count, bool value) {
    value ? RtlSetBits(&map_, start, count) : RtlClearBits(&map_, start, count);
    std::fill_n(model_.begin() + start, count, value);
  }
  void check() {
    for (ULONG i = 0; i < model_.size(); ++i) ASSERT_EQ(RtlTestBit(&map_, i), model_[i]) << i;
    ASSERT_EQ(RtlNumberOfSetBits(&map_), static_cast<ULONG>(std::count(model_.begin(), model_.end(), true)));
    ASSERT_EQ(words_.back(), 0xaaaaaaaa);
  }
  bool all(ULONG start, ULONG count, bool value) const {
    if (count == 0 || start + count > model_.size()) return false;
    return std::all_of(model_.begin() + start, model_.begin() + start + count, [&](bool bit) { return bit == value; });
  }
  ULONG find_clear(ULONG count, ULONG hint) const {
    for (ULONG i = hint; i < model_.size(); ++i) {
      if (all(i, count, false)) return i;
    }
    for (ULONG i = 0; i < hint; ++i) {
      if (all(i, count, false)) return i;
    }
    return kNone;
  }

  std::vector<ULONG> words_;
  std::vector<bool> model_;
  RTL_BITMAP map_;
};

TEST_F(Bitmap, SetsAndClears) {
  make(70);
  check();
  put(30, 35, true);
  check();
  put(64, 1, false);
  check();
  put(5, 0, true);
  check();
  RtlSetBit(&map_, 0);
  model_[0] = true;
  RtlClearBit(&map_, 40);
  model_[40] = false;
  check();
  RtlSetAllBits(&map_);
  model_.assign(70, true);
  check();
}

TEST_F(Bitmap, RangesOutsideOrEmptyAreNeitherSetNorClear) {
  make(40);
  EXPECT_TRUE(RtlAreBitsClear(&map_, 0, 40));
  EXPECT_FALSE(RtlAreBitsClear(&map_, 0, 41));
  EXPECT_FALSE(RtlAreBitsClear(&map_, 5, 0));
  EXPECT_FALSE(RtlAreBitsClear(&map_, 0xffffffff, 2));
  put(3, 2, true);
  EXPECT_TRUE(RtlAreBitsSet(&map_, 3, 2));
  EXPECT_FALSE(RtlAreBitsSet(&map_, 3, 3));
  EXPECT_FALSE(RtlAreBitsSet(&map_, 3, 0));
}

TEST_F(Bitmap, SearchGoesOnFromTheBeginning) {
  make(64);
  put(40, 24, true);
  EXPECT_EQ(RtlFindClearBits(&map_, 4, 50), 0u);
  EXPECT_EQ(RtlFindClearBits(&map_, 4, 10), 10u);
  EXPECT_EQ(RtlFindClearBits(&map_, 41, 0), kNone);
  EXPECT_EQ(RtlFindClearBits(&map_, 35, 20), 0u);  // only a range across the hint will do
  EXPECT_EQ(RtlFindClearBits(&map_, 4, 1000), 0u);
}

TEST_F(Bitmap, FindAndSetTakesTheRange) {
  make(33);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map_, 33, 7), 0u);
  EXPECT_EQ(RtlNumberOfSetBits(&map_), 33u);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map_, 1, 0), kNone);
  RtlClearBits(&map_, 20, 10);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map_, 4, 0), 20u);
  EXPECT_TRUE(RtlAreBitsSet(&map_, 0, 24));
  EXPECT_TRUE(RtlAreBitsClear(&map_, 24, 6));
}

TEST_F(Bitmap, AgreesWithTheModel) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    make(1 + random() % 150);
    const ULONG size = map_.SizeOfBitMap;
    for (int step = 0; step < 40; ++step) {
      const ULONG at = random() % size;
      put(at, random() % std::min(size - at + 1, 20u), random() % 2);
      ASSERT_NO_FATAL_FAILURE(check());

      const ULONG count = 1 + random() % 12;
      const ULONG hint = random() % size;
      ASSERT_EQ(RtlFindClearBits(&map_, count, hint), find_clear(count, hint));
      ASSERT_EQ(RtlAreBitsClear(&map_, hint, count), all(hint, count, false));
      ASSERT_EQ(RtlAreBitsSet(&map_, hint, count), all(hint, count, true));
    }
  }
}

}  // namespace
