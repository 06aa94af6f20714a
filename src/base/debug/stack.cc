#include "base/debug/stack.h"

#include <pthread.h>

#include "base/check.h"

namespace base {
namespace {

// What a function's prologue leaves on the stack, at its frame pointer.
struct Frame {
  uintptr_t outer;
  uintptr_t return_address;
};

}  // namespace

// Frames of other functions lie between their poisoned variables, and TSan knows nothing of a fiber's past writes.
__attribute__((no_sanitize_address, no_sanitize_thread)) Stack capture(StackBounds bounds, const void* frame,
                                                                       uint32_t skip) {
  Stack stack;
  auto at = reinterpret_cast<uintptr_t>(frame);
  if (bounds.hi < sizeof(Frame)) return stack;
  uintptr_t last = bounds.hi - sizeof(Frame);
  uint32_t count = 0;
  if (at < bounds.lo) return stack;
  while (at <= last && at % alignof(Frame) == 0) {
    const auto* here = reinterpret_cast<const Frame*>(at);
    if (here->return_address == 0) break;  // where a flow begins
    if (skip > 0) {
      --skip;
    } else {
      stack.pc[count++] = here->return_address;
      if (count == Stack::kMax) break;
    }
    if (here->outer <= at) break;
    at = here->outer;
  }
  stack.count = count;
  return stack;
}

StackBounds os_thread_stack() {
  pthread_attr_t attributes;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  void* lowest = nullptr;
  size_t size_bytes = 0;
  CHECK(pthread_attr_getstack(&attributes, &lowest, &size_bytes) == 0);
  pthread_attr_destroy(&attributes);
  auto lo = reinterpret_cast<uintptr_t>(lowest);
  return {lo, lo + size_bytes};
}

}  // namespace base
