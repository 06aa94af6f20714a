#pragma once

#include <type_traits>
#include <utility>

#include "ks/exports/ddi.h"
#include "nt/boundary/driver_call.h"

namespace ks {

// Checks before the call what the routine's page requires of the class. A failed check is a bug of ours.
void entering(nt::Machine& machine, Ddi ddi);
// The status that the class goes on with. STATUS_PENDING where the page forbids it is a finding, and becomes a failure.
NTSTATUS judge(nt::Machine& machine, Ddi ddi, NTSTATUS status);

// Calls one routine of a minidriver through a driver call. No mutex of ours is held.
template <typename R, typename... Params, typename... Args>
R call(nt::Machine& machine, Ddi ddi, nt::Scope* scope, R (*routine)(Params...), Args&&... args) {
  entering(machine, ddi);
  if constexpr (std::is_void_v<R>) {
    nt::call_driver(machine, row(ddi).name, scope, routine, std::forward<Args>(args)...);
  } else {
    R result = nt::call_driver(machine, row(ddi).name, scope, routine, std::forward<Args>(args)...);
    if constexpr (std::is_same_v<R, NTSTATUS>) {
      if (__builtin_expect(result == STATUS_PENDING, 0)) result = judge(machine, ddi, result);
    }
    return result;
  }
}

}  // namespace ks
