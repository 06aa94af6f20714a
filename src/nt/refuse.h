#pragma once

#include "base/result.h"
#include "nt/machine.h"

namespace nt {

// Says no to a driver: the reason goes into the trace, the status to the caller.
inline NTSTATUS refuse(Machine& machine, const base::Failure& failure) {
  machine.note(trace::Refusal{
      .status = failure.code(), .reason = failure.why(), .file = failure.where().file, .line = failure.where().line});
  return failure.code();
}

}  // namespace nt
