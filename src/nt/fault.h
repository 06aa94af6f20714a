#pragma once

#include <cstdint>

namespace nt {

// Catches the faults of driver code (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) on the current OS thread: they become
// structured exceptions if the driver has a __try around them, findings if not. Process-wide; kept for good. A fault
// outside of any machine keeps its usual meaning: whoever caught it before catches it still.
void install_fault_handlers();

// Code that may touch memory which is not there: a SIGSEGV or SIGBUS of an instruction in [begin, end) goes on at
// `target` with all registers as they were, in a machine or outside of one. Process-wide; kept for good.
void add_fault_fixup(const void* begin, const void* end, const void* target);

}  // namespace nt
