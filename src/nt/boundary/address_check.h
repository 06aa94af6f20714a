#pragma once

#include <cstdint>

namespace nt {

class Machine;

// Whether a driver could touch `address` now. Asks and touches nothing.
bool is_address_valid(Machine& machine, uintptr_t address);
// Whether it lies on the stack of a thread of the machine.
bool is_on_a_stack(Machine& machine, uintptr_t address);

}  // namespace nt
