#include "nt/fault/fault_stack.h"

#include <dlfcn.h>

#include "nt/machine/machine.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

constexpr size_t kSearchedWords = 1024;

const void* module_of(uintptr_t pc) {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(pc), &info) != 0 ? info.dli_fbase : nullptr;
}

// Whether a call instruction ends at `pc`: CALL rel32, or one of the short forms of CALL r/m64.
bool follows_call(uintptr_t pc) {
  uint8_t before[7];
  if (!careful_read(before, reinterpret_cast<const void*>(pc - sizeof(before)), sizeof(before)).ok()) return false;
  auto indirect = [&](size_t length) {
    return before[7 - length] == 0xFF && (before[8 - length] >> 3 & 7) == 2;  // opcode FF /2
  };
  return before[2] == 0xE8 || indirect(2) || indirect(3) || indirect(6) || indirect(7);
}

struct Caller {
  uintptr_t pc = 0;     // its return address
  uintptr_t frame = 0;  // its frame pointer
};

// The innermost function of `module` on the stack, whose callee keeps no frame pointer. The callee has either left the
// caller's in its register or pushed it.
Caller find_caller(base::StackBounds stack, const FaultPlace& place, const void* module) {
  auto is_frame_above = [&](uintptr_t value, uintptr_t at) {
    return value > at && value + 16 <= stack.hi && value % 8 == 0;
  };
  uintptr_t pushed = 0;
  uintptr_t at = place.sp & ~uintptr_t{7};
  for (size_t i = 0; i < kSearchedWords && at >= stack.lo && at + 8 <= stack.hi; ++i, at += 8) {
    uintptr_t word = *reinterpret_cast<const uintptr_t*>(at);
    if (is_frame_above(word, at)) {
      pushed = word;
    } else if (module_of(word) == module && follows_call(word)) {
      return {word, is_frame_above(place.frame, at) ? place.frame : pushed};
    }
  }
  return {};
}

void append(base::Stack& stack, uintptr_t pc) {
  if (stack.count < base::Stack::kMax) stack.pc[stack.count++] = pc;
}

}  // namespace

base::Stack stack_of_fault(Machine& machine, const FaultPlace& place) {
  base::Stack stack;
  append(stack, place.pc + 1);  // the other frames are return addresses, which lie behind the call
  base::StackBounds bounds = machine.current_stack();
  uintptr_t frame = place.frame;
  const DriverCallFrame* call = machine.self().driver_call;
  const void* driver = call && call->code ? module_of(call->code) : nullptr;
  const void* here = module_of(place.pc);
  if (driver && here && here != driver && here != module_of(reinterpret_cast<uintptr_t>(&stack_of_fault))) {
    Caller caller = find_caller(bounds, place, driver);
    if (caller.pc) {
      append(stack, caller.pc);
      frame = caller.frame;
    }
  }
  base::Stack outer = base::capture(bounds, reinterpret_cast<const void*>(frame));
  for (uint32_t i = 0; i < outer.count; ++i) append(stack, outer.pc[i]);
  return stack;
}

std::optional<FreedBlock> freed_block_of(Machine& machine, const FaultPlace& place, uintptr_t address,
                                         bool look_at_registers) {
  auto freed = [&](uintptr_t pointer) -> std::optional<PoolBlockInfo> {
    auto block = machine.pool().find(pointer);
    return block && block->freed && block->kind != PoolKind::Internal ? block : std::nullopt;
  };
  std::optional<PoolBlockInfo> found = freed(address);
  for (size_t i = 0; look_at_registers && !found && i < FaultPlace::kRegisters; ++i) found = freed(place.registers[i]);
  if (!found) return std::nullopt;
  return FreedBlock{
      Pool::describe(*found),
      {{"freed", machine.stacks().get(found->freed_at)}, {"allocated", machine.stacks().get(found->allocated_at)}}};
}

}  // namespace nt
