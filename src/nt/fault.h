#pragma once

#include <cstdint>

namespace nt {

// Catches the faults of driver code (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) on the current OS thread: they become
// structured exceptions if the driver has a __try around them, findings if not. Process-wide; kept for good. A fault
// outside of any machine keeps its usual meaning.
void install_fault_handlers();

}  // namespace nt
