#include "vidsch/monitored_fence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace vidsch {
namespace {

using Need = Waiter::Need;
using OnReset = Fence::OnReset;
using State = Waiter::State;
using Told = std::vector<int>;
using Width = Fence::Width;

class TestWaiter final : public Waiter {
 public:
  explicit TestWaiter(std::vector<int>& log, int name) : log_(log), name_(name) {}
  void wake() override { log_.push_back(name_); }

 private:
  std::vector<int>& log_;
  const int name_;
};

class MonitoredFenceTest : public ::testing::Test {
 protected:
  base::Ref<TestWaiter> waiter(int name) { return base::make_ref<TestWaiter>(log, name); }
  NTSTATUS signal(Fence& fence, uint64_t value, Rewind rewind = Rewind::Refused) {
    NTSTATUS status = fence.signal(value, rewind, woken).status();
    woken.deliver();
    EXPECT_TRUE(fence.validate());
    return status;
  }
  Told told() { return std::exchange(log, {}); }

  std::vector<int> log;
  WokenList woken;
  WatchedFences watched;
  alignas(8) uint64_t word = ~uint64_t{0};
};

TEST_F(MonitoredFenceTest, BeginsWithItsInitialValueInMemory) {
  Fence fence(&word, 7, Width::Bits64, OnReset::Nothing);
  EXPECT_EQ(word, 7u);
  EXPECT_EQ(fence.value(), 7u);
}

TEST_F(MonitoredFenceTest, ASignalIsSeenInMemoryAndWakesTheWaitersOfThatValueOrLess) {
  Fence fence(&word, 0, Width::Bits64, OnReset::Nothing);
  auto three = waiter(3), one = waiter(1), two = waiter(2), again = waiter(20);
  EXPECT_FALSE(fence.try_wait(*three, 3));
  EXPECT_FALSE(fence.try_wait(*one, 1));
  EXPECT_FALSE(fence.try_wait(*two, 2));
  EXPECT_FALSE(fence.try_wait(*again, 2));
  EXPECT_EQ(signal(fence, 2), STATUS_SUCCESS);
  EXPECT_EQ(word, 2u);
  EXPECT_EQ(told(), (Told{1, 2, 20}));  // by value; equal ones as they came
  EXPECT_TRUE(fence.try_wait(*one, 2));
  EXPECT_TRUE(three->cancel());
}

TEST_F(MonitoredFenceTest, GoesBackwardsOnlyWhenAllowed) {
  Fence fence(&word, 2, Width::Bits64, OnReset::Nothing);
  EXPECT_EQ(signal(fence, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(word, 2u);
  EXPECT_EQ(signal(fence, 2), STATUS_SUCCESS);
  EXPECT_EQ(signal(fence, 1, Rewind::Allowed), STATUS_SUCCESS);
  auto two = waiter(2);
  EXPECT_FALSE(fence.try_wait(*two, 2));
  EXPECT_EQ(signal(fence, 2), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{2});
}

TEST_F(MonitoredFenceTest, WhatTheGpuWroteIsFoundBySampling) {
  Fence fence(&word, 0, Width::Bits64, OnReset::Nothing, &watched);
  auto a = waiter(1), b = waiter(2);
  fence.try_wait(*a, 10);
  fence.try_wait(*b, 20);
  word = 10;
  EXPECT_TRUE(told().empty());
  watched.sample(woken);
  woken.deliver();
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(signal(fence, 5), STATUS_INVALID_PARAMETER);
  word = 20;
  auto late = waiter(3);
  EXPECT_TRUE(fence.try_wait(*late, 20));  // without a sample() before
  EXPECT_TRUE(b->cancel());
}

TEST_F(MonitoredFenceTest, SaysAboveWhichValueAWaiterMustBeTold) {
  Fence fence(&word, 0, Width::Bits64, OnReset::Nothing);
  EXPECT_EQ(fence.monitored_value(), UINT64_MAX);
  auto a = waiter(1), b = waiter(2);
  fence.try_wait(*a, 10);
  fence.try_wait(*b, 4);
  EXPECT_EQ(fence.monitored_value(), 3u);
  signal(fence, 4);
  EXPECT_EQ(fence.monitored_value(), 9u);
  a->cancel();
  EXPECT_EQ(fence.monitored_value(), UINT64_MAX);
}

// Many fences: only what was written is looked at, and the same are woken in the same order as by looking at all.
TEST_F(MonitoredFenceTest, OfManyThoseThatWereWrittenAreFoundInTheOrderOfAWalk) {
  uint64_t seed = base::seed_for_test(7);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  base::Rng rng(seed);
  constexpr size_t kCount = 1500;
  std::vector<uint64_t> words(2 * kCount);
  WatchedFences walked;
  std::vector<std::unique_ptr<Fence>> fences;  // those of the index, then those of the walk
  std::vector<int> walk_log;
  std::vector<base::Ref<TestWaiter>> waiters;
  for (size_t i = 0; i < 2 * kCount; ++i) {
    bool indexed = i < kCount;
    Width width = i % 3 == 0 ? Width::Bits32 : Width::Bits64;
    fences.push_back(std::make_unique<Fence>(&words[i], 0, width, OnReset::Nothing, indexed ? &watched : &walked));
    waiters.push_back(base::make_ref<TestWaiter>(indexed ? log : walk_log, static_cast<int>(i % kCount)));
  }
  for (size_t step = 0; step < 300; ++step) {
    for (size_t i = 0; i < 20; ++i) {
      size_t which = rng.below(kCount);
      if (waiters[which]->state() == Waiter::State::Waiting) continue;
      uint64_t value = words[which] + 1 + rng.below(4);
      for (size_t each : {which, which + kCount}) fences[each]->try_wait(*waiters[each], value);
    }
    for (size_t i = rng.below(12); i > 0; --i) {
      size_t first = rng.below(kCount), count = 1 + rng.below(std::min<size_t>(kCount - first, 700));
      if (rng.below(4) != 0) count = 1;
      for (size_t word = first; word < first + count; ++word) words[word + kCount] = words[word] += rng.below(3);
      auto at = reinterpret_cast<uintptr_t>(&words[first]);
      watched.written(at, count * sizeof(uint64_t) - (count == 1 ? rng.below(5) : 0));
    }
    watched.sample_written(woken);
    woken.deliver();
    walked.sample(woken);
    woken.deliver();
    ASSERT_EQ(told(), std::exchange(walk_log, {})) << step;
    ASSERT_EQ(watched.size(), walked.size());
  }
  EXPECT_GT(watched.size(), WatchedFences::kFew);
  for (auto& each : waiters) each->cancel();
  EXPECT_TRUE(watched.empty());
}

TEST_F(MonitoredFenceTest, IsWatchedWhileItHasWaiters) {
  Fence fence(&word, 0, Width::Bits64, OnReset::Nothing, &watched);
  EXPECT_TRUE(watched.empty());
  auto a = waiter(1), b = waiter(2);
  fence.try_wait(*a, 1);
  fence.try_wait(*b, 2);
  EXPECT_FALSE(watched.empty());
  signal(fence, 1);
  EXPECT_FALSE(watched.empty());
  b->cancel();
  EXPECT_TRUE(watched.empty());
}

// Waking the first takes all the others off the list under the walker's feet.
TEST_F(MonitoredFenceTest, SamplingSurvivesFencesThatLeaveTheListMeanwhile) {
  constexpr int kFences = 5;
  uint64_t words[kFences];
  std::vector<std::unique_ptr<Fence>> fences;
  std::vector<Waiter::Condition> all;
  for (uint64_t& each : words) {
    fences.push_back(std::make_unique<Fence>(&each, 0, Width::Bits64, OnReset::Nothing, &watched));
    all.push_back({fences.back().get(), 1});
  }
  auto any = waiter(1);
  ASSERT_FALSE(any->begin(all, Need::Any));
  for (uint64_t& each : words) each = 1;
  watched.sample(woken);
  woken.deliver();
  EXPECT_EQ(told(), Told{1});
  EXPECT_TRUE(watched.empty());
}

TEST_F(MonitoredFenceTest, AResetSignalsTheMaximumUnlessItIsNotWanted) {
  Fence fence(&word, 0, Width::Bits64, OnReset::SignalMax);
  auto a = waiter(1), b = waiter(2);
  fence.try_wait(*a, UINT64_MAX);
  fence.device_lost(woken);
  woken.deliver();
  EXPECT_EQ(word, UINT64_MAX);
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(signal(fence, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(signal(fence, 1, Rewind::Allowed), STATUS_SUCCESS);

  Fence stays(&word, 3, Width::Bits64, OnReset::Nothing);
  stays.try_wait(*b, 4);
  stays.device_lost(woken);
  EXPECT_TRUE(woken.empty());
  EXPECT_EQ(word, 3u);
  b->cancel();
}

TEST_F(MonitoredFenceTest, ThirtyTwoBitsWrapAround) {
  Fence fence(&word, 0xfffffffe, Width::Bits32, OnReset::Nothing);
  EXPECT_EQ(word, 0xfffffffeu);
  auto a = waiter(1), b = waiter(2), passed = waiter(3);
  EXPECT_TRUE(fence.try_wait(*passed, 0xfffffff0));
  EXPECT_FALSE(fence.try_wait(*a, 3));  // beyond the wrap
  EXPECT_FALSE(fence.try_wait(*b, 0xffffffff));
  EXPECT_EQ(signal(fence, 1), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{2});
  EXPECT_EQ(signal(fence, 0xffffffff), STATUS_INVALID_PARAMETER);  // backwards
  EXPECT_EQ(signal(fence, 3), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{1});
}

TEST_F(MonitoredFenceTest, ThirtyTwoBitsReachHalfAWayAndNoFurther) {
  Fence fence(&word, 100, Width::Bits32, OnReset::Nothing);
  auto a = waiter(1), b = waiter(2);
  EXPECT_FALSE(fence.try_wait(*a, 100 + UINT32_MAX / 2));
  EXPECT_TRUE(fence.try_wait(*b, 101 + uint64_t{UINT32_MAX / 2}));  // taken for a value of the past
  EXPECT_TRUE(a->cancel());
}

TEST_F(MonitoredFenceTest, ThirtyTwoBitsLeaveTheUpperHalfAlone) {
  Fence fence(&word, 1, Width::Bits32, OnReset::SignalMax);
  word |= uint64_t{0xabcd} << 32;
  EXPECT_EQ(signal(fence, 2), STATUS_SUCCESS);
  EXPECT_EQ(word, (uint64_t{0xabcd} << 32) + 2);
  EXPECT_EQ(fence.value(), 2u);
}

TEST_F(MonitoredFenceTest, AResetSatisfiesEveryWaitOfThirtyTwoBits) {
  Fence fence(&word, 0, Width::Bits32, OnReset::SignalMax);
  auto a = waiter(1), b = waiter(2);
  fence.try_wait(*a, 0x7fffffff);
  fence.device_lost(woken);
  woken.deliver();
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(fence.value(), UINT32_MAX);
  EXPECT_TRUE(fence.try_wait(*b, 0x100));  // half a way ahead of the maximum
  EXPECT_EQ(signal(fence, 0x10, Rewind::Allowed), STATUS_SUCCESS);
  EXPECT_FALSE(fence.try_wait(*b, 0x100));
  EXPECT_TRUE(b->cancel());
}

TEST_F(MonitoredFenceTest, TheGpuWrapsTheValueBetweenTwoSamples) {
  Fence fence(&word, 0, Width::Bits32, OnReset::Nothing);
  auto a = waiter(1);
  for (uint32_t value : {0x70000000u, 0xe0000000u, 0x50000000u}) {
    word = value;
    EXPECT_TRUE(fence.try_wait(*a, value));
    EXPECT_FALSE(fence.try_wait(*a, value + 1));
    EXPECT_TRUE(a->cancel());
  }
}

TEST_F(MonitoredFenceTest, AllIsForEachAtItsTime) {
  uint64_t other_word;
  Fence fence(&word, 0, Width::Bits64, OnReset::Nothing), other(&other_word, 0, Width::Bits64, OnReset::Nothing);
  auto all = waiter(1);
  Waiter::Condition conditions[] = {{&fence, 1}, {&other, 1}};
  EXPECT_FALSE(all->begin(conditions, Need::All));
  signal(fence, 1);
  signal(fence, 0, Rewind::Allowed);  // it has been reached all the same
  EXPECT_TRUE(told().empty());
  signal(other, 1);
  EXPECT_EQ(told(), Told{1});
}

// --- Against an oracle that looks at every waiter each time ---

class Model {
 public:
  struct Wait {
    int name;
    std::vector<std::pair<size_t, uint64_t>> terms;
    std::vector<bool> met;
    Need need;
  };
  explicit Model(size_t fences) : values(fences, 0) {}

  // Sorted names of the waits that are done now.
  std::vector<int> settle() {
    std::vector<int> done;
    std::erase_if(waits, [&](Wait& wait) {
      size_t met = 0;
      for (size_t i = 0; i < wait.terms.size(); ++i) {
        if (values[wait.terms[i].first] >= wait.terms[i].second) wait.met[i] = true;
        met += wait.met[i];
      }
      bool over = wait.need == Need::Any ? met != 0 : met == wait.terms.size();
      if (over) done.push_back(wait.name);
      return over;
    });
    std::ranges::sort(done);
    return done;
  }

  std::vector<uint64_t> values;
  std::vector<Wait> waits;
};

class MonitoredFenceProperty : public MonitoredFenceTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(MonitoredFenceProperty, WakesWhomTheOracleWakes) {
  const uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  base::Rng rng(seed);
  constexpr size_t kFences = 4;
  const Width width = seed % 2 ? Width::Bits32 : Width::Bits64;
  const uint64_t offset = width == Width::Bits32 ? 0xffffff80 : 0;  // wraps early
  uint64_t words[kFences];
  std::vector<std::unique_ptr<Fence>> fences;
  for (uint64_t& each : words) {
    fences.push_back(std::make_unique<Fence>(&each, offset, width, OnReset::Nothing, &watched));
  }
  auto raw = [&](uint64_t value) { return width == Width::Bits32 ? static_cast<uint32_t>(value + offset) : value; };
  Model model(kFences);
  std::vector<base::Ref<TestWaiter>> waiting;
  std::vector<int> names;
  for (int step = 0; step < 2000; ++step) {
    SCOPED_TRACE(step);
    size_t at = rng.below(kFences);
    switch (rng.below(5)) {
      case 0:
      case 1: {  // a wait
        Model::Wait wait{step, {}, {}, rng.below(2) ? Need::All : Need::Any};
        std::vector<Waiter::Condition> conditions;
        for (uint64_t n = rng.below(4) + 1; n; --n) {
          size_t fence = rng.below(kFences);
          uint64_t value = model.values[fence] + rng.below(6);
          wait.terms.emplace_back(fence, value);
          conditions.push_back({fences[fence].get(), raw(value)});
        }
        wait.met.resize(wait.terms.size());
        auto made = waiter(step);
        bool at_once = made->begin(conditions, wait.need);
        model.waits.push_back(wait);
        bool expected = !model.settle().empty();
        ASSERT_EQ(at_once, expected);
        if (!at_once) {
          waiting.push_back(made);
          names.push_back(step);
        }
        break;
      }
      case 2:  // a signal, by the CPU
        model.values[at] += rng.below(4);
        ASSERT_EQ(signal(*fences[at], raw(model.values[at])), STATUS_SUCCESS);
        break;
      case 3: {  // by the GPU; or backwards
        if (rng.below(4) == 0 && model.values[at] > 0) {
          model.values[at] -= 1;
          ASSERT_EQ(signal(*fences[at], raw(model.values[at]), Rewind::Allowed), STATUS_SUCCESS);
        } else {
          model.values[at] += rng.below(4);
          words[at] = raw(model.values[at]);
          watched.sample(woken);
          woken.deliver();
        }
        break;
      }
      default:  // a waiter is cancelled
        if (waiting.empty()) break;
        size_t who = rng.below(waiting.size());
        bool there = std::erase_if(model.waits, [&](auto& wait) { return wait.name == names[who]; }) != 0;
        ASSERT_EQ(waiting[who]->cancel(), there);
        waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(who));
        names.erase(names.begin() + static_cast<ptrdiff_t>(who));
    }
    Told woken_now = told();
    std::ranges::sort(woken_now);
    ASSERT_EQ(woken_now, model.settle());
    for (auto& fence : fences) ASSERT_TRUE(fence->validate());
  }
  for (auto& fence : fences) fence->close(woken);
  woken.deliver();
  EXPECT_EQ(told().size(), model.waits.size());
  EXPECT_TRUE(watched.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, MonitoredFenceProperty, ::testing::Range(uint64_t{1}, uint64_t{17}));

}  // namespace
}  // namespace vidsch
