#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nt/machine/machine_observer.h"

namespace nt {

class Machine;

// Catches the faults of driver code (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) on the current OS thread: they become
// structured exceptions if the driver has a __try around them, findings if not. Process-wide; kept for good. A fault
// outside of any machine goes to the handler that was installed before this one.
void install_fault_handlers();

// Registers code that may touch unmapped memory: after a SIGSEGV or SIGBUS of an instruction in [begin, end), execution
// goes on at `target` with all registers as they were, in a machine or outside of one. Process-wide; kept for good.
void add_fault_fixup(const void* begin, const void* end, const void* target);

// Why memory must not be touched now: the rule that the access breaks, and what happened.
struct FaultStory {
  Violation what;
  std::string sentence;
};
// Called with the address of an access that was caught. Process-wide; kept for good.
using FaultExplainer = std::optional<FaultStory> (*)(Machine& machine, uintptr_t address);
void add_fault_explainer(FaultExplainer explainer);
// The first explanation there is. Also for callers that catch accesses by other means.
std::optional<FaultStory> explain_fault(Machine& machine, uintptr_t address);

}  // namespace nt
