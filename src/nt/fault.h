#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nt/probe.h"

namespace nt {

class Machine;

// Catches the faults of driver code (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) on the current OS thread: they become
// structured exceptions if the driver has a __try around them, findings if not. Process-wide; kept for good. A fault
// outside of any machine keeps its usual meaning: whoever caught it before catches it still.
void install_fault_handlers();

// Code that may touch memory which is not there: a SIGSEGV or SIGBUS of an instruction in [begin, end) goes on at
// `target` with all registers as they were, in a machine or outside of one. Process-wide; kept for good.
void add_fault_fixup(const void* begin, const void* end, const void* target);

// Memory that nobody may touch now for a reason of its own: which rule it is to touch it all the same, and what
// happened.
struct FaultStory {
  Broke what;
  std::string sentence;
};
// Asked about the address of an access that was caught. Process-wide; kept for good.
using FaultExplainer = std::optional<FaultStory> (*)(Machine& machine, uintptr_t address);
void add_fault_explainer(FaultExplainer explainer);
// The first explanation there is. Also for who catches accesses by other means.
std::optional<FaultStory> explain_fault(Machine& machine, uintptr_t address);

}  // namespace nt
