#include "nt/ke/apc_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace nt {

bool in_critical_region(const Thread& thread) {
  return thread.critical_regions > 0 ||
         std::ranges::any_of(thread.held, [](const HeldLock& lock) { return lock.kind == LockKind::Mutex; });
}

void check_apcs_disabled(KernelEntry& call, const char* function) {
  if (!normal_apcs_enabled(call.thread())) return;
  call.machine().report_violation(Violation::ApcsNotDisabled,
                                  fmt::format("{} was called at PASSIVE_LEVEL outside of a critical region", function));
}

void check_special_apcs_enabled(KernelEntry& call, const char* function) {
  if (call.thread().guarded_regions == 0) return;
  call.machine().report_violation(Violation::SpecialApcsDisabled,
                                  fmt::format("{} was called in a guarded region", function));
}

}  // namespace nt
