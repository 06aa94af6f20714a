#pragma once

#include <type_traits>
#include <utility>

#include "ks/ddi.h"
#include "nt/door.h"

namespace ks {

// What the page of the routine asks of the class, checked before the call: a failed check is a fault of ours.
void entering(nt::Machine& machine, Ddi ddi);
// What the class takes the status for. STATUS_PENDING where the page forbids it is a finding, and a failure.
NTSTATUS judge(nt::Machine& machine, Ddi ddi, NTSTATUS status);

// Calls one routine of a minidriver through the door. No mutex of ours is held.
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
