#include "base/interval_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace base {
namespace {

using Map = IntervalMap<int, std::string>;

TEST(IntervalMap, RefusesOverlapAndEmptyIntervals) {
  Map map;
  ASSERT_TRUE(map.insert(10, 20, "a"));
  EXPECT_FALSE(map.insert(10, 20, "same"));
  EXPECT_FALSE(map.insert(5, 11, "left"));
  EXPECT_FALSE(map.insert(19, 25, "right"));
  EXPECT_FALSE(map.insert(12, 13, "inside"));
  EXPECT_FALSE(map.insert(5, 25, "around"));
  EXPECT_FALSE(map.insert(30, 30, "empty"));
  EXPECT_FALSE(map.insert(31, 30, "backward"));
  EXPECT_TRUE(map.insert(5, 10, "touches on the left"));
  EXPECT_TRUE(map.insert(20, 21, "touches on the right"));
  EXPECT_EQ(map.size(), 3u);
}

TEST(IntervalMap, FindSeesHalfOpenIntervals) {
  Map map;
  map.insert(10, 20, "a");
  EXPECT_EQ(map.find(9), nullptr);
  ASSERT_NE(map.find(10), nullptr);
  EXPECT_EQ(map.find(19)->value, "a");
  EXPECT_EQ(map.find(20), nullptr);
}

TEST(IntervalMap, FindOverlapGivesTheFirst) {
  Map map;
  map.insert(10, 20, "a");
  map.insert(20, 30, "b");
  EXPECT_EQ(map.find_overlap(0, 10), nullptr);
  EXPECT_EQ(map.find_overlap(30, 40), nullptr);
  EXPECT_EQ(map.find_overlap(15, 15), nullptr);
  EXPECT_EQ(map.find_overlap(0, 100)->value, "a");
  EXPECT_EQ(map.find_overlap(19, 100)->value, "a");
  EXPECT_EQ(map.find_overlap(20, 100)->value, "b");
}

TEST(IntervalMap, SplitCutsInTwo) {
  Map map;
  map.insert(10, 20, "a");
  EXPECT_EQ(map.split(10), nullptr);
  EXPECT_EQ(map.split(20), nullptr);
  Map::Entry* right = map.split(14);
  ASSERT_NE(right, nullptr);
  right->value = "b";
  EXPECT_EQ(map.find(13)->hi, 14);
  EXPECT_EQ(map.find(13)->value, "a");
  EXPECT_EQ(map.find(14)->value, "b");
  EXPECT_EQ(map.find(14)->hi, 20);
}

// The oracle: which interval each of a few keys belongs to, as an interval's number in order of creation.
class Oracle {
 public:
  static constexpr int kKeys = 64;

  bool insert(int lo, int hi, int value) {
    if (lo >= hi || std::any_of(&owner_[lo], &owner_[hi], [](const auto& owner) { return owner.has_value(); }))
      return false;
    for (int key = lo; key < hi; ++key) owner_[key] = Owner{lo, hi, value};
    return true;
  }
  bool erase(int lo) {
    if (!owner_[lo] || owner_[lo]->lo != lo) return false;
    for (int key = lo, hi = owner_[lo]->hi; key < hi; ++key) owner_[key].reset();
    return true;
  }
  bool split(int at) {
    if (!owner_[at] || owner_[at]->lo == at) return false;
    Owner whole = *owner_[at];
    for (int key = whole.lo; key < at; ++key) owner_[key]->hi = at;
    for (int key = at; key < whole.hi; ++key) owner_[key]->lo = at;
    return true;
  }

  struct Owner {
    int lo, hi, value;
  };
  const std::optional<Owner>& at(int key) const { return owner_[key]; }

 private:
  std::array<std::optional<Owner>, kKeys + 1> owner_;  // one more, so that &owner_[kKeys] is an end
};

void expect_same(const IntervalMap<int, int>& map, const Oracle& oracle) {
  ASSERT_TRUE(map.validate());
  for (int key = 0; key < Oracle::kKeys; ++key) {
    const auto* entry = map.find(key);
    const auto& owner = oracle.at(key);
    ASSERT_EQ(entry != nullptr, owner.has_value()) << "key " << key;
    if (!entry) continue;
    ASSERT_EQ(entry->lo, owner->lo);
    ASSERT_EQ(entry->hi, owner->hi);
    ASSERT_EQ(entry->value, owner->value);
  }
  int previous = -1;
  size_t count = 0;
  for (const auto& entry : map) {
    ASSERT_GT(entry.lo, previous);
    previous = entry.lo;
    ++count;
  }
  ASSERT_EQ(count, map.size());
}

void expect_same_overlap(const IntervalMap<int, int>& map, const Oracle& oracle, int lo, int hi) {
  const auto* found = map.find_overlap(lo, hi);
  int key = lo;
  while (key < hi && !oracle.at(key)) ++key;
  ASSERT_EQ(found != nullptr, key < hi);
  if (found) {
    ASSERT_EQ(found->lo, oracle.at(key)->lo);
  }
}

TEST(IntervalMap, BehavesAsTheNaiveOne) {
  uint64_t first_seed = seed_for_test(100);
  for (uint64_t seed = first_seed; seed < first_seed + 50; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    Rng rng(seed);
    IntervalMap<int, int> map;
    Oracle oracle;
    for (int step = 0; step < 200; ++step) {
      int lo = static_cast<int>(rng.below(Oracle::kKeys));
      int hi = std::min(Oracle::kKeys, lo + static_cast<int>(rng.below(12)));
      switch (rng.below(4)) {
        case 0:
        case 1:
          ASSERT_EQ(map.insert(lo, hi, step) != nullptr, oracle.insert(lo, hi, step));
          break;
        case 2:
          ASSERT_EQ(map.erase(lo), oracle.erase(lo));
          break;
        case 3:
          ASSERT_EQ(map.split(lo) != nullptr, oracle.split(lo));
          break;
      }
      expect_same(map, oracle);
      expect_same_overlap(map, oracle, lo, hi);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace base
