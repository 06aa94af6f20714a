#pragma once

#include "nt/boundary/kernel_entry.h"

namespace nt {

// The thread is inside of a critical region: it entered one, or it holds a mutex object, which puts it into one, as
// documented (kernel/disabling-apcs).
bool in_critical_region(const Thread& thread);

// A normal kernel APC could interrupt the thread now.
inline bool normal_apcs_enabled(const Thread& thread) {
  return thread.irql < APC_LEVEL && thread.guarded_regions == 0 && !in_critical_region(thread);
}

// Violation::ApcsNotDisabled unless normal kernel APCs are disabled, as certain locks require of their holder.
void check_apcs_disabled(KernelEntry& call, const char* function);

// Violation::SpecialApcsDisabled in a guarded region: functions that do I/O are completed by a special kernel APC.
void check_special_apcs_enabled(KernelEntry& call, const char* function);

}  // namespace nt
