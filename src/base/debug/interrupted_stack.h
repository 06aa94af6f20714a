#pragma once

#include <cstdint>

#include "base/debug/stack.h"

namespace base {

// Where a signal interrupted a thread. `code` is readable: the thread was about to execute it.
struct Interrupted {
  const uint8_t* code;
  uintptr_t stack_pointer;
  uintptr_t frame_pointer;
};

// As `capture`, for an interrupted thread; the first address is one past `code`. At the edges of a function the frame
// pointer is still, or again, that of the caller: there the return address is read from the stack pointer, so that the
// caller is not missed. Code that a compiler moved in front of `push rbp` is not recognised. Safe in a signal handler.
Stack capture_interrupted(StackBounds bounds, const Interrupted& where);

}  // namespace base
