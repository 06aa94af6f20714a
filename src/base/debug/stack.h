#pragma once

#include <cstddef>
#include <cstdint>

#include "base/address_range.h"

namespace base {

using StackBounds = AddressRange;  // the memory of one flow's stack: a fiber's or an OS thread's

// A call stack: return addresses, innermost first.
struct Stack {
  static constexpr size_t kMax = 32;

  uint32_t count = 0;
  uintptr_t pc[kMax];  // only [0, count) are set
};

// Walks the chain of frame pointers that starts at `frame` (`__builtin_frame_address(0)`) and leaves out the first
// `skip` frames. The chain may be broken or hostile: it is followed only along aligned frames that lie wholly inside
// `bounds` and that go outward, and nothing outside `bounds` is read. Everything of ours and every driver is built
// with -fno-omit-frame-pointer; code that was not (libc) makes the walk end early or miss a frame.
Stack capture(StackBounds bounds, const void* frame, uint32_t skip = 0);

// The calling OS thread's own stack. Slow (it may read /proc); ask once a thread.
StackBounds os_thread_stack();

}  // namespace base
