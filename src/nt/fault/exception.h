#pragma once

#include <optional>

#include "abi/km/wdm.h"
#include "base/result.h"

namespace nt {

class Machine;

// Raises a structured exception on the current thread: control goes to the innermost __except of the driver. With none
// to go to, the run ends with a finding. `address` is what a fault touched, when there was one.
[[noreturn]] void raise_exception(Machine& machine, NTSTATUS code, std::optional<uintptr_t> address = std::nullopt);
[[noreturn]] void raise_exception(Machine& machine, const base::Failure& failure);

// Whether the driver's routine that runs now has a __try around it.
bool can_handle_exception(Machine& machine);

}  // namespace nt
