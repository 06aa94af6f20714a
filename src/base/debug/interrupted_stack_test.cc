#include "base/debug/interrupted_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace base {
namespace {

using Pcs = std::vector<uintptr_t>;

// A thread interrupted at `code`. Frame 0 is the one that `rbp` still points at; the words below it belong to the
// function that was interrupted.
class Interruption : public testing::Test {
 protected:
  Interruption() {
    top_[1] = 99;
    for (size_t i = 0; i < kFrames; ++i) {
      memory_[2 * i] = i + 1 < kFrames ? at(i + 1) : 0;
      memory_[2 * i + 1] = 100 + i;
    }
  }
  Pcs walk_from(std::initializer_list<uint8_t> code, uintptr_t stack_pointer) {
    std::copy(code.begin(), code.end(), code_);
    Stack stack = capture_interrupted(bounds_with_top(), {code_, stack_pointer, at(0)});
    EXPECT_EQ(stack.pc[0], reinterpret_cast<uintptr_t>(code_) + 1);
    return {stack.pc + 1, stack.pc + stack.count};
  }
  uintptr_t top(size_t word) const { return reinterpret_cast<uintptr_t>(&top_[word]); }
  StackBounds bounds_with_top() const { return {std::min(top(0), at(0)), std::max(top(2), at(kFrames))}; }

  static constexpr size_t kFrames = 3;
  uintptr_t at(size_t frame) const { return reinterpret_cast<uintptr_t>(&memory_[2 * frame]); }

  // Frame i occupies words 2i (the outer frame) and 2i + 1 (the return address).
  alignas(16) uintptr_t memory_[2 * kFrames] = {};
  uintptr_t top_[2] = {};
  uint8_t code_[8] = {};
};

const Pcs kChain{100, 101, 102};
const Pcs kCallerAndChain{99, 100, 101, 102};

TEST_F(Interruption, AtTheEdgesOfAFunctionItsCallerIsNotMissed) {
  EXPECT_EQ(walk_from({0xf3, 0x0f, 0x1e, 0xfa}, top(1)), kCallerAndChain);  // endbr64
  EXPECT_EQ(walk_from({0x55}, top(1)), kCallerAndChain);                    // push rbp
  EXPECT_EQ(walk_from({0x48, 0x89, 0xe5}, top(0)), kCallerAndChain);        // mov rbp, rsp
  EXPECT_EQ(walk_from({0xc3}, top(1)), kCallerAndChain);                    // ret
}

TEST_F(Interruption, OnTheWayToAnotherModuleTheCallerIsNotMissed) {
  EXPECT_EQ(walk_from({0xff, 0x25, 1, 2, 3, 4}, top(1)), kCallerAndChain);        // jmp [rip + x]
  EXPECT_EQ(walk_from({0xf2, 0xff, 0x25, 1, 2, 3, 4}, top(1)), kCallerAndChain);  // bnd jmp [rip + x]
  EXPECT_EQ(walk_from({0xff, 0xe0}, top(1)), kChain);                             // jmp rax: the table of a switch
}

TEST_F(Interruption, InTheMiddleOfAFunctionTheFramesSayEverything) {
  EXPECT_EQ(walk_from({0x48, 0x89, 0xe7}, top(0)), kChain);  // mov rdi, rsp
  EXPECT_EQ(walk_from({0x5d, 0xc3}, top(1)), kChain);        // pop rbp
}

TEST_F(Interruption, AStackPointerOutsideOfTheStackIsNotFollowed) {
  EXPECT_EQ(walk_from({0xc3}, 8), kChain);
  EXPECT_EQ(walk_from({0xc3}, top(1) + 1), kChain);
  EXPECT_EQ(walk_from({0x48, 0x89, 0xe5}, UINTPTR_MAX - 7), kChain);
  EXPECT_EQ(walk_from({0xc3}, bounds_with_top().hi), kChain);
}

}  // namespace
}  // namespace base
