#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/debug/stack.h"
#include "nt/machine/machine_observer.h"

namespace nt {

class Machine;

// Where an instruction faulted: what the signal said of the thread.
struct FaultPlace {
  static constexpr size_t kRegisters = 16;

  uintptr_t pc = 0, sp = 0, frame = 0;
  uintptr_t registers[kRegisters] = {};  // the general ones, whichever way round
};

// The stack of a fault, innermost first. A library that the driver called (memcpy and the like) keeps no frame
// pointers, so following those alone misses the frame of the driver's function. That frame is searched for on the
// stack.
base::Stack stack_of_fault(Machine& machine, const FaultPlace& place);

// A freed block of pool that the fault is about: `address` lies in it or, with `look_at_registers`, one of them points
// into it. The registers are needed when a pointer was read from freed memory (the virtual-function table of a deleted
// object): it faults at an address that has nothing to do with the block.
struct FreedBlock {
  std::string description;        // "the 40-byte pool block 7 with tag 'Mill'"
  std::vector<RoleStack> stacks;  // where it was allocated, and where it was freed
};
std::optional<FreedBlock> freed_block_of(Machine& machine, const FaultPlace& place, uintptr_t address,
                                         bool look_at_registers);

}  // namespace nt
