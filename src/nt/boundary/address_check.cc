#include "nt/boundary/address_check.h"

#include <sys/mman.h>

#include "base/align.h"
#include "nt/hardware/registers.h"
#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

// Anything else: images and the host's own memory. msync fails where nothing is mapped, and changes nothing where
// something is (the mappings are not of files that we write).
bool mapped_by_the_host(uintptr_t address) {
  return msync(reinterpret_cast<void*>(base::round_down(address, base::kPageBytes)), 1, MS_ASYNC) == 0;
}

}  // namespace

bool is_on_a_stack(Machine& machine, uintptr_t address) {
  if (machine.live()) {  // its threads have the system's stacks, and each knows its own
    base::StackBounds own = machine.current_stack();
    return address >= own.lo && address < own.hi;
  }
  for (const auto& view : machine.simulated().tasks()) {
    if (address >= view.stack.lo && address < view.stack.hi) return true;
  }
  return false;
}

// Our arenas are mapped from end to end, so for them only their owners know.
bool is_address_valid(Machine& machine, uintptr_t address) {
  if (kPoolArena.contains(address)) {
    auto block = machine.pool().find(address);
    return block && !block->freed;
  }
  if (kRamArena.contains(address)) {
    auto block = machine.physical().ram().find(address);
    return block && !block->freed;
  }
  if (kStackArena.contains(address)) return is_on_a_stack(machine, address);
  if (kRegisterArena.contains(address)) return machine.registers().mapped(address);
  return mapped_by_the_host(address);
}

}  // namespace nt
