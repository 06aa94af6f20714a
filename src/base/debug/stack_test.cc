#include "base/debug/stack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/align.h"
#include "base/rng.h"
#include "base/scoped.h"
#include "base/testing/seed.h"

namespace base {
namespace {

__attribute__((noinline)) Stack descend(StackBounds bounds, int depth, uint32_t skip) {
  Stack stack = depth == 0 ? capture(bounds, __builtin_frame_address(0), skip) : descend(bounds, depth - 1, skip);
  asm volatile("" : : "r"(&stack) : "memory");  // keeps this frame: the call above is not the last thing it does
  return stack;
}

// The calls from descend to itself return to one place, the outermost one to the test.
void expect_descent(const Stack& stack, uint32_t depth) {
  ASSERT_GT(stack.count, depth + 1);
  for (uint32_t i = 1; i < depth; ++i) EXPECT_EQ(stack.pc[i], stack.pc[0]) << i;
  EXPECT_NE(stack.pc[depth], stack.pc[0]);
}

TEST(StackCapture, WalksRealFrames) { expect_descent(descend(os_thread_stack(), 10, 0), 10); }

TEST(StackCapture, SkipLeavesOutTheInnermost) {
  Stack whole = descend(os_thread_stack(), 10, 0);
  Stack rest = descend(os_thread_stack(), 10, 4);
  expect_descent(rest, 6);
  EXPECT_EQ(rest.pc[0], whole.pc[4]);
}

TEST(StackCapture, StopsWhenFull) { EXPECT_EQ(descend(os_thread_stack(), 100, 0).count, Stack::kMax); }

TEST(StackCapture, WalksAnotherThreadsStack) {
  Stack stack;
  std::thread([&] { stack = descend(os_thread_stack(), 5, 0); }).join();
  expect_descent(stack, 5);
}

// Chains made by hand. Frame i occupies words 2i (the outer frame) and 2i + 1 (the return address).
class Chain : public testing::Test {
 protected:
  static constexpr size_t kFrames = 8;

  Chain() {
    for (size_t i = 0; i < kFrames; ++i) {
      memory_[2 * i] = i + 1 < kFrames ? at(i + 1) : 0;
      memory_[2 * i + 1] = 100 + i;
    }
  }
  uintptr_t at(size_t frame) const { return reinterpret_cast<uintptr_t>(&memory_[2 * frame]); }
  StackBounds bounds() const { return {at(0), at(kFrames)}; }
  std::vector<uintptr_t> walk(StackBounds bounds, uintptr_t frame, uint32_t skip = 0) const {
    Stack stack = capture(bounds, reinterpret_cast<const void*>(frame), skip);
    return {stack.pc, stack.pc + stack.count};
  }

  alignas(16) uintptr_t memory_[2 * kFrames + 2] = {};
};

using Pcs = std::vector<uintptr_t>;

TEST_F(Chain, IsFollowedToItsEnd) { EXPECT_EQ(walk(bounds(), at(0)), (Pcs{100, 101, 102, 103, 104, 105, 106, 107})); }

TEST_F(Chain, SkipMayExceedIt) {
  EXPECT_EQ(walk(bounds(), at(0), 6), (Pcs{106, 107}));
  EXPECT_EQ(walk(bounds(), at(0), 50), Pcs{});
}

TEST_F(Chain, EndsWhereItTurnsBack) {
  memory_[2 * 2] = at(1);
  EXPECT_EQ(walk(bounds(), at(0)), (Pcs{100, 101, 102}));
  memory_[2 * 2] = at(2);
  EXPECT_EQ(walk(bounds(), at(0)), (Pcs{100, 101, 102}));
}

TEST_F(Chain, EndsAtAMisalignedFrame) {
  memory_[2 * 2] = at(3) + 4;
  EXPECT_EQ(walk(bounds(), at(0)), (Pcs{100, 101, 102}));
  EXPECT_EQ(walk(bounds(), at(0) + 1), Pcs{});
}

TEST_F(Chain, EndsAtTheBounds) {
  EXPECT_EQ(walk({at(0), at(3)}, at(0)), (Pcs{100, 101, 102}));
  EXPECT_EQ(walk({at(0), at(3) + 8}, at(0)), (Pcs{100, 101, 102}));  // frame 3 is only half inside
  EXPECT_EQ(walk({at(2), at(8)}, at(0)), Pcs{});
  EXPECT_EQ(walk({0, 8}, at(0)), Pcs{});
  EXPECT_EQ(walk({}, 0), Pcs{});
}

TEST_F(Chain, EndsAtAZeroReturnAddress) {
  memory_[2 * 4 + 1] = 0;
  EXPECT_EQ(walk(bounds(), at(0)), (Pcs{100, 101, 102, 103}));
}

// One page of garbage that mostly points into itself, between pages that must not be touched.
TEST(StackCapture, GarbageNeverLeadsOutOfBounds) {
  ScopedMapping mapping({mmap(nullptr, 3 * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 3 * kPageBytes});
  auto lo = reinterpret_cast<uintptr_t>(mapping.get().address) + kPageBytes;
  auto* words = reinterpret_cast<uintptr_t*>(lo);
  ASSERT_EQ(mprotect(words, kPageBytes, PROT_READ | PROT_WRITE), 0);

  uint64_t seed = seed_for_test(7);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  Rng rng(seed);
  uint32_t longest = 0;
  for (int round = 0; round < 200; ++round) {
    for (size_t i = 0; i < kPageBytes / sizeof(uintptr_t); ++i)
      words[i] = rng.chance(1, 8) ? lo - kPageBytes + rng.below(3 * kPageBytes) : lo + i * 8 + rng.below(24) * 8;
    for (int start = 0; start < 50; ++start) {
      auto* frame = reinterpret_cast<const void*>(lo - 64 + rng.below(kPageBytes + 128));
      Stack stack = capture({lo, lo + kPageBytes}, frame, static_cast<uint32_t>(rng.below(3)));
      ASSERT_LE(stack.count, Stack::kMax);
      longest = std::max(longest, stack.count);
    }
  }
  EXPECT_GT(longest, 5u);
}

TEST(OsThreadStack, HoldsTheCurrentFrame) {
  EXPECT_TRUE(os_thread_stack().contains(reinterpret_cast<uintptr_t>(__builtin_frame_address(0))));
}

}  // namespace
}  // namespace base
