#include "base/debug/interrupted_stack.h"

#include <algorithm>
#include <optional>

namespace base {
namespace {

// Instructions before which `rbp` is not the frame of the function that they belong to.
struct EdgeInstruction {
  uint8_t bytes[4];
  size_t size_bytes;
  uintptr_t return_address_at;  // from the stack pointer
};

constexpr EdgeInstruction kEdgeInstructions[] = {
    {{0xf3, 0x0f, 0x1e, 0xfa}, 4, 0},  // endbr64
    {{0x55}, 1, 0},                    // push rbp
    {{0x48, 0x89, 0xe5}, 3, 8},        // mov rbp, rsp
    {{0xc3}, 1, 0},                    // ret
    {{0xff, 0x25}, 2, 0},              // jmp [rip + x]: to another module, by its PLT or as the last call
    {{0xf2, 0xff, 0x25}, 3, 0},        // bnd jmp [rip + x]: the same
};

std::optional<uintptr_t> place_of_return_address(const Interrupted& where) {
  for (const EdgeInstruction& edge : kEdgeInstructions) {
    // Byte by byte: what follows a `ret` may be unreadable.
    if (std::equal(edge.bytes, edge.bytes + edge.size_bytes, where.code)) {
      return where.stack_pointer + edge.return_address_at;
    }
  }
  return std::nullopt;
}

}  // namespace

__attribute__((no_sanitize_address, no_sanitize_thread)) Stack capture_interrupted(StackBounds bounds,
                                                                                   const Interrupted& where) {
  Stack stack;
  stack.pc[stack.count++] = reinterpret_cast<uintptr_t>(where.code) + 1;
  std::optional<uintptr_t> place = place_of_return_address(where);
  if (place && *place % sizeof(uintptr_t) == 0 && *place >= bounds.lo && *place < bounds.hi &&
      bounds.hi - *place >= sizeof(uintptr_t)) {
    stack.pc[stack.count++] = *reinterpret_cast<const uintptr_t*>(*place);
  }
  Stack outer = capture(bounds, reinterpret_cast<const void*>(where.frame_pointer));
  uint32_t more = std::min<uint32_t>(outer.count, Stack::kMax - stack.count);
  std::copy_n(outer.pc, more, stack.pc + stack.count);
  stack.count += more;
  return stack;
}

}  // namespace base
