#pragma once

#include "nt/call.h"

namespace nt {

// The thread is inside of a critical region: it entered one, or it holds a mutex object, which puts it into one, as
// documented (kernel/disabling-apcs).
bool in_critical_region(const Thread& thread);

// A normal kernel APC could interrupt the thread now.
inline bool normal_apcs_enabled(const Thread& thread) {
  return thread.irql < APC_LEVEL && thread.guarded_regions == 0 && !in_critical_region(thread);
}

// Broke::ApcsNotDisabled unless normal kernel APCs are held back, as who holds certain locks must do.
void check_apcs_disabled(Call& call, const char* function);

// Broke::SpecialApcsDisabled in a guarded region: functions that do I/O are completed by a special kernel APC.
void check_special_apcs_enabled(Call& call, const char* function);

}  // namespace nt
