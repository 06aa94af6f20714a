#pragma once

#include "nt/call.h"

namespace nt {

// A normal kernel APC could interrupt the thread now.
inline bool normal_apcs_enabled(const Thread& thread) {
  return thread.irql < APC_LEVEL && thread.critical_regions == 0 && thread.guarded_regions == 0;
}

// Broke::ApcsNotDisabled unless normal kernel APCs are held back, as who holds certain locks must do.
void check_apcs_disabled(Call& call, const char* function);

// Broke::SpecialApcsDisabled in a guarded region: functions that do I/O are completed by a special kernel APC.
void check_special_apcs_enabled(Call& call, const char* function);

}  // namespace nt
