#include "ob/global_handles.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "ob/handle_table.h"
#include "ob/name_space.h"
#include "ob/testing/test_object.h"

namespace ob {
namespace {

class GlobalHandlesTest : public testing::Test {
 protected:
  UnpublishedObject<TestDevice> device() { return TestDevice::create(ordinals_, log_); }

  Ordinals ordinals_;
  TestObjectLog log_;
  GlobalHandles globals_;
};

TEST_F(GlobalHandlesTest, IsAGlobalHandleAndNoLocalOne) {
  UnpublishedObject<TestDevice> shared = device();
  uint32_t global = globals_.share(shared).take();
  EXPECT_EQ(global, 0x40000002u);
  KmtHandleTable locals;
  EXPECT_EQ(locals.get<TestDevice>(global).error(), LookupFault::WrongTable);
  EXPECT_EQ(locals.close<TestDevice>(global).error(), LookupFault::WrongTable);
}

TEST_F(GlobalHandlesTest, OpensInTwoProcessesAndGoesWithTheLastLocalHandle) {
  KmtHandleTable a;
  KmtHandleTable b;
  UnpublishedObject<TestDevice> shared = device();
  uint32_t global = globals_.share(shared).take();
  uint32_t in_a = a.reserve().take().publish(std::move(shared));
  uint32_t in_b = b.reserve().take().publish(globals_.open<TestDevice>(global).take());
  ASSERT_TRUE(a.close<TestDevice>(in_a).ok());
  EXPECT_TRUE(globals_.open<TestDevice>(global).ok());
  ASSERT_TRUE(b.close<TestDevice>(in_b).ok());
  EXPECT_EQ(globals_.open<TestDevice>(global).error(), LookupFault::StaleGeneration);
  EXPECT_EQ(globals_.size(), 0u);
  EXPECT_EQ(log_.deaths, 1u);  // the global handle kept nothing
}

TEST_F(GlobalHandlesTest, RefusalsCarryTheirReason) {
  UnpublishedObject<TestDevice> shared = device();
  uint32_t global = globals_.share(shared).take();
  EXPECT_EQ(globals_.share(shared).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(globals_.open<TestEvent>(global).error(), LookupFault::WrongType);
  EXPECT_EQ(globals_.open<TestDevice>(0).error(), LookupFault::Null);
  EXPECT_EQ(globals_.open<TestDevice>(0x1EADBEED).error(), LookupFault::Malformed);
  EXPECT_EQ(globals_.open<TestDevice>(0x40000000).error(), LookupFault::WrongTable);
  UnpublishedObject<TestDevice> next = device();
  EXPECT_EQ(globals_.share(next).take(), global + 0x40);  // the refused share used no number up
  EXPECT_TRUE(globals_.validate());
}

TEST_F(GlobalHandlesTest, AnObjectIsNamedOrGlobalButNotBoth) {
  NameSpace names(NameCase::Insensitive);
  UnpublishedObject<TestDevice> shared = device();
  ASSERT_TRUE(names.insert(u"a", shared).ok());
  EXPECT_EQ(globals_.share(shared).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(GlobalHandlesTest, OpenAgainstLastCloseNeverRevivesAnObject) {
  constexpr uint32_t kRounds = 3'000;
  std::atomic<uint32_t> current{0};
  std::atomic<bool> done{false};
  auto open_what_is_shared = [&] {
    while (!done.load(std::memory_order_acquire)) {
      auto opened = globals_.open<TestDevice>(current.load(std::memory_order_relaxed));
      if (!opened.ok()) continue;
      UnpublishedObject<TestDevice> handle = opened.take();
      ASSERT_TRUE(handle->in_use());
    }
  };
  std::array<std::thread, 2> openers{std::thread(open_what_is_shared), std::thread(open_what_is_shared)};
  for (uint32_t round = 0; round < kRounds; ++round) {
    UnpublishedObject<TestDevice> shared = device();
    current.store(globals_.share(shared).take(), std::memory_order_relaxed);
  }
  done.store(true, std::memory_order_release);
  for (std::thread& opener : openers) opener.join();
  EXPECT_EQ(log_.last_handles, kRounds);
  EXPECT_EQ(log_.deaths, kRounds);
  EXPECT_TRUE(globals_.validate());
}

}  // namespace
}  // namespace ob
