#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "ob/handle_table.h"
#include "ob/testing/test_object.h"

// Look-up, close, reuse and iteration on several OS threads. The handles lie in a few shared cells, so that every
// thread keeps meeting handles that another is closing. Meant for -fsanitize=thread and =address as much as for its own
// checks.
namespace ob {
namespace {

constexpr uint32_t kThreads = 4;
constexpr uint32_t kSteps = 60'000;
constexpr uint64_t kSeed = 0x0b07;

class HandleTableStressTest : public testing::Test {
 protected:
  uint32_t open() {
    auto reservation = table_.reserve().take();
    UnpublishedObject<TestDevice> fresh = TestDevice::create(ordinals_, log_);
    fresh->handle = reservation.handle();
    created_.fetch_add(1, std::memory_order_relaxed);
    return reservation.publish(std::move(fresh));
  }
  void close(uint32_t handle) {
    auto closed = table_.close_ignore_destroyed<TestDevice>(handle);
    if (!closed.ok()) return;
    closed_.fetch_add(1, std::memory_order_relaxed);
    ASSERT_EQ(closed.value()->handle, handle);
    ASSERT_FALSE(closed.value()->in_use());
  }
  void work(base::Rng rng) {
    for (uint32_t step = 0; step < kSteps; ++step) {
      std::atomic<uint32_t>& cell = cells_[rng.below(cells_.size())];
      uint32_t handle = cell.load(std::memory_order_relaxed);
      switch (rng.below(8)) {
        case 0:
          cell.store(open(), std::memory_order_relaxed);  // the one it replaces stays open until the table's end
          break;
        case 1:
        case 2:
          close(handle);
          break;
        case 3:
          static_cast<void>(table_.mark_destroyed<TestDevice>(handle).ok());
          break;
        case 4: {
          auto pinned = table_.pin<TestDevice>(handle);
          if (rng.chance(1, 4)) close(handle);
          if (pinned.ok()) {
            ASSERT_EQ((*pinned.value()).handle, handle);
          }
          break;
        }
        case 5: {
          auto reserved = table_.reserve();
          ASSERT_EQ(table_.get<TestDevice>(reserved.value().handle()).error(), LookupFault::Reserved);
          break;
        }
        default: {
          auto found = table_.get<TestDevice>(handle);
          if (found.ok()) {
            ASSERT_EQ(found.value()->handle, handle);
          }
        }
      }
    }
  }

  Ordinals ordinals_;
  TestObjectLog log_;
  std::atomic<uint32_t> created_{0};
  std::atomic<uint32_t> closed_{0};
  std::array<std::atomic<uint32_t>, 16> cells_{};
  KmtHandleTable table_;
};

TEST_F(HandleTableStressTest, EveryObjectEndsExactlyOnce) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i] { work(base::Rng(kSeed).split("stress", i)); });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(table_.validate());
  EXPECT_EQ(table_.open_count(), created_ - closed_);
  EXPECT_EQ(log_.last_handles, closed_);
  table_.close_all();
  EXPECT_EQ(log_.last_handles, created_);
  EXPECT_EQ(log_.deaths, created_);
  EXPECT_TRUE(table_.validate());
}

TEST_F(HandleTableStressTest, OneHandleClosedByAllIsClosedOnce) {
  constexpr uint32_t kRounds = 2'000;
  std::atomic<uint32_t> round{0};
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t> handle{open()};
  auto race = [&] {
    for (uint32_t mine = 0; mine < kRounds; ++mine) {
      while (round.load(std::memory_order_acquire) != mine) std::this_thread::yield();
      close(handle.load(std::memory_order_relaxed));
      if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == kThreads) {
        arrived.store(0, std::memory_order_relaxed);
        handle.store(open(), std::memory_order_relaxed);
        round.store(mine + 1, std::memory_order_release);
      }
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(race);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(closed_, kRounds);
  EXPECT_EQ(table_.open_count(), 1u);
}

TEST_F(HandleTableStressTest, TeardownToleratesEverythingAtOnce) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::atomic<bool> done{false};
  std::thread teardown([&] {
    while (!done.load(std::memory_order_acquire)) {
      table_.for_each([&](uint32_t handle, Object& object) {
        ASSERT_EQ(static_cast<TestDevice&>(object).handle, handle);
        close(handle);
      });
    }
  });
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i) {
    threads.emplace_back([this, i] { work(base::Rng(kSeed).split("teardown", i)); });
  }
  for (std::thread& thread : threads) thread.join();
  done.store(true, std::memory_order_release);
  teardown.join();
  table_.close_all();
  EXPECT_EQ(log_.deaths, created_);
  EXPECT_TRUE(table_.validate());
}

}  // namespace
}  // namespace ob
