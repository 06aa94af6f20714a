// The current thread: priority, processor, regions. Pages: wdm/nf-wdm-kesetprioritythread,
// nf-wdm-keentercriticalregion, …
#include "nt/apc_rules.h"
#include "nt/call.h"

using nt::Broke;
using nt::Call;
using nt::Fn;
using nt::Thread;
using nt::ThreadBody;

namespace {

Thread& thread_of(PKTHREAD object) { return *reinterpret_cast<ThreadBody*>(object)->thread; }

KAFFINITY bind(Call& call, KAFFINITY affinity) {
  base::Executor& executor = call.machine().executor();
  KAFFINITY before = call.thread().affinity;
  affinity &= KeQueryActiveProcessors();
  call.thread().affinity = affinity;
  executor.bind(affinity ? static_cast<uint32_t>(__builtin_ctzll(affinity)) : base::kAnyProcessor);
  return before;
}

void leave(Call& call, uint32_t& depth, const char* sentence) {
  if (depth == 0) {
    call.machine().broke(Broke::RegionUnbalanced, sentence);
    return;
  }
  --depth;
}

}  // namespace

extern "C" {

PKTHREAD KeGetCurrentThread() {
  Call call{Fn::KeGetCurrentThread};
  return reinterpret_cast<PKTHREAD>(call.thread().body);
}

KPRIORITY KeSetPriorityThread(PKTHREAD object, KPRIORITY priority) {
  Call call{Fn::KeSetPriorityThread};
  return std::exchange(thread_of(object).priority, priority);
}

KPRIORITY KeQueryPriorityThread(PKTHREAD object) {
  Call call{Fn::KeQueryPriorityThread};
  return thread_of(object).priority;
}

VOID KeSetSystemAffinityThread(KAFFINITY affinity) {
  Call call{Fn::KeSetSystemAffinityThread};
  bind(call, affinity);
}

KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY affinity) {
  Call call{Fn::KeSetSystemAffinityThreadEx};
  return bind(call, affinity);
}

VOID KeRevertToUserAffinityThread() {
  Call call{Fn::KeRevertToUserAffinityThread};
  bind(call, 0);
}

VOID KeRevertToUserAffinityThreadEx(KAFFINITY affinity) {
  Call call{Fn::KeRevertToUserAffinityThreadEx};
  bind(call, affinity);
}

VOID KeEnterCriticalRegion() {
  Call call{Fn::KeEnterCriticalRegion};
  ++call.thread().critical_regions;
}

VOID KeLeaveCriticalRegion() {
  Call call{Fn::KeLeaveCriticalRegion};
  leave(call, call.thread().critical_regions, "KeLeaveCriticalRegion outside of a critical region");
}

VOID KeEnterGuardedRegion() {
  Call call{Fn::KeEnterGuardedRegion};
  ++call.thread().guarded_regions;
}

VOID KeLeaveGuardedRegion() {
  Call call{Fn::KeLeaveGuardedRegion};
  leave(call, call.thread().guarded_regions, "KeLeaveGuardedRegion outside of a guarded region");
}

BOOLEAN KeAreApcsDisabled() {
  Call call{Fn::KeAreApcsDisabled};
  return nt::in_critical_region(call.thread()) || call.thread().guarded_regions > 0;
}

BOOLEAN KeAreAllApcsDisabled() {
  Call call{Fn::KeAreAllApcsDisabled};
  return call.thread().guarded_regions > 0 || call.thread().irql >= APC_LEVEL;
}

}  // extern "C"
