#pragma once

#include <cstddef>

namespace nt {

class Machine;

// Memory for an object that a driver asks the kernel to make: zeroed, at a fixed address, and not of the driver's pool.
// Null where the observer wants the driver's request to fail, as pool would: on Windows this is nonpaged pool too.
void* allocate_body(Machine& machine, size_t bytes);

}  // namespace nt
