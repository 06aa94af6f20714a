#pragma once

#include "base/result.h"
#include "nt/machine/machine.h"

namespace nt {

// Refuses a driver's request: writes the reason to the trace and returns the status.
inline NTSTATUS refuse(Machine& machine, const base::Failure& failure) {
  machine.note(trace::Refusal{
      .status = failure.code(), .reason = failure.why(), .file = failure.where().file, .line = failure.where().line});
  return failure.code();
}

}  // namespace nt
