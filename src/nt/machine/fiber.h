#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/debug/stack.h"

namespace nt {

// A stack of its own and a place to continue. Boost's fcontext does the switch; the code here notifies the sanitizers.
// Used by one OS thread only.
class Fiber {
 public:
  using Entry = void (*)(void*);

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Makes this the OS thread's own context: something to come back to.
  void adopt_current();
  // Runs entry(arg) on [lo, hi) when first switched to; entry never returns.
  void prepare(base::StackBounds stack, Entry entry, void* arg);
  base::StackBounds stack() const { return stack_; }

  // Suspends `from` (which must be running) and continues `to`.
  static void switch_to(Fiber& from, Fiber& to);

 private:
  friend struct FiberEntry;

  void* context_ = nullptr;
  base::StackBounds stack_{};
  Entry entry_ = nullptr;
  void* arg_ = nullptr;
  [[maybe_unused]] void* asan_fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
  [[maybe_unused]] bool owns_tsan_fiber_ = false;
  [[maybe_unused]] int unwatched_ = 0;  // base::t_unwatched while it does not run
};

// Hands out stacks at fixed addresses, each with a guard page below it. One per process; stacks are reused last in,
// first out.
class StackArena {
 public:
  static constexpr size_t kStackBytes = 256 * 1024;

  static StackArena& instance();
  base::StackBounds take();
  void give_back(base::StackBounds stack);
  // Every stack is free again: the next take() gives the lowest. Only when no fiber is left.
  void rewind();

 private:
  StackArena();
  size_t used_ = 0;      // slots ever handed out since the last rewind
  size_t prepared_ = 0;  // slots whose guard page is set
  std::vector<size_t> free_;
};

}  // namespace nt
