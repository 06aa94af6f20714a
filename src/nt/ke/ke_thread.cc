// The current thread: priority, processor, regions. Pages: wdm/nf-wdm-kesetprioritythread,
// nf-wdm-keentercriticalregion, …
#include "nt/boundary/kernel_entry.h"
#include "nt/ke/apc_rules.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Thread;
using nt::ThreadBody;
using nt::Violation;

namespace {

Thread& thread_of(PKTHREAD object) { return *reinterpret_cast<ThreadBody*>(object)->thread; }

KAFFINITY bind(KernelEntry& call, KAFFINITY affinity) {
  base::Executor& executor = call.machine().executor();
  KAFFINITY before = call.thread().affinity;
  affinity &= KeQueryActiveProcessors();
  call.thread().affinity = affinity;
  executor.bind(affinity ? static_cast<uint32_t>(__builtin_ctzll(affinity)) : base::kAnyProcessor);
  return before;
}

void leave(KernelEntry& call, uint32_t& depth, const char* sentence) {
  if (depth == 0) {
    call.machine().report_violation(Violation::RegionUnbalanced, sentence);
    return;
  }
  --depth;
}

}  // namespace

extern "C" {

PKTHREAD KeGetCurrentThread() {
  KernelEntry call{Fn::KeGetCurrentThread};
  return reinterpret_cast<PKTHREAD>(call.thread().body);
}

KPRIORITY KeSetPriorityThread(PKTHREAD object, KPRIORITY priority) {
  KernelEntry call{Fn::KeSetPriorityThread};
  return std::exchange(thread_of(object).priority, priority);
}

KPRIORITY KeQueryPriorityThread(PKTHREAD object) {
  KernelEntry call{Fn::KeQueryPriorityThread};
  return thread_of(object).priority;
}

VOID KeSetSystemAffinityThread(KAFFINITY affinity) {
  KernelEntry call{Fn::KeSetSystemAffinityThread};
  bind(call, affinity);
}

KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY affinity) {
  KernelEntry call{Fn::KeSetSystemAffinityThreadEx};
  return bind(call, affinity);
}

VOID KeRevertToUserAffinityThread() {
  KernelEntry call{Fn::KeRevertToUserAffinityThread};
  bind(call, 0);
}

VOID KeRevertToUserAffinityThreadEx(KAFFINITY affinity) {
  KernelEntry call{Fn::KeRevertToUserAffinityThreadEx};
  bind(call, affinity);
}

VOID KeEnterCriticalRegion() {
  KernelEntry call{Fn::KeEnterCriticalRegion};
  ++call.thread().critical_regions;
}

VOID KeLeaveCriticalRegion() {
  KernelEntry call{Fn::KeLeaveCriticalRegion};
  leave(call, call.thread().critical_regions, "KeLeaveCriticalRegion outside of a critical region");
}

VOID KeEnterGuardedRegion() {
  KernelEntry call{Fn::KeEnterGuardedRegion};
  ++call.thread().guarded_regions;
}

VOID KeLeaveGuardedRegion() {
  KernelEntry call{Fn::KeLeaveGuardedRegion};
  leave(call, call.thread().guarded_regions, "KeLeaveGuardedRegion outside of a guarded region");
}

BOOLEAN KeAreApcsDisabled() {
  KernelEntry call{Fn::KeAreApcsDisabled};
  return nt::in_critical_region(call.thread()) || call.thread().guarded_regions > 0;
}

BOOLEAN KeAreAllApcsDisabled() {
  KernelEntry call{Fn::KeAreAllApcsDisabled};
  return call.thread().guarded_regions > 0 || call.thread().irql >= APC_LEVEL;
}

}  // extern "C"
