// Waiting. Pages: wdm/nf-wdm-kewaitforsingleobject, nf-wdm-kewaitformultipleobjects, nf-wdm-kedelayexecutionthread.
#include <fmt/format.h>

#include "nt/ke/dispatcher.h"
#include "nt/ke/irql.h"
#include "nt/ke/spin_locks.h"
#include "nt/ke/timers.h"
#include "nt/ke/wait_rules.h"

using nt::Fn;
using nt::KernelEntry;
using nt::ObjectType;
using nt::Violation;

namespace nt {

bool may_block(KernelEntry& call, const char* what) {
  KIRQL irql = call.thread().irql;
  if (irql < DISPATCH_LEVEL) return true;
  call.machine().report_violation(Violation::WaitAtDispatch, fmt::format("{} at {} may block", what, irql_name(irql)));
  return false;
}

namespace {

KMUTEX* as_mutex(void* object) {
  auto* header = static_cast<DISPATCHER_HEADER*>(object);
  return header->Type == static_cast<UCHAR>(ObjectType::Mutex) ? static_cast<KMUTEX*>(object) : nullptr;
}

// Before the wait: tells the observer of every mutex that this thread does not own yet. Not called before a wait with a
// timeout: that can end without the mutex, so it is no part of a deadlock.
void announce_mutexes(KernelEntry& call, std::span<void* const> objects) {
  for (void* object : objects) {
    KMUTEX* mutex = as_mutex(object);
    if (mutex && mutex->OwnerThread != call.thread().body) {
      lock_acquiring(call.machine(), reinterpret_cast<uintptr_t>(object), LockKind::Mutex);
    }
  }
}

// After the wait: a mutex that the thread owns for the first time goes on its list of held locks, and disables normal
// kernel APCs (apc_rules.h).
void note_mutexes(KernelEntry& call, std::span<void* const> taken) {
  for (void* object : taken) {
    auto address = reinterpret_cast<uintptr_t>(object);
    if (!as_mutex(object) || holds_lock(call.thread(), address)) continue;
    lock_acquired(call.machine(), address, LockKind::Mutex);
  }
}

bool all_known(KernelEntry& call, std::span<void* const> objects, const char* function) {
  for (void* object : objects) {
    if (!call.machine().dispatcher().waitable(*static_cast<DISPATCHER_HEADER*>(object), function)) return false;
  }
  return true;
}

NTSTATUS wait(KernelEntry& call, std::span<void* const> objects, WAIT_TYPE type, const LARGE_INTEGER* timeout,
              const char* function) {
  bool poll = timeout && timeout->QuadPart == 0;
  if (!poll && !may_block(call, function)) return STATUS_TIMEOUT;
  if (!all_known(call, objects, function)) return STATUS_INVALID_PARAMETER;
  if (!timeout) announce_mutexes(call, objects);
  base::TimeNs deadline = poll ? 0 : timeout ? call.machine().timers().deadline_of(*timeout) : base::kForever;
  NTSTATUS status = call.machine().dispatcher().wait(objects, type, deadline);
  if (status != STATUS_TIMEOUT) {
    note_mutexes(call, type == WaitAll ? objects : objects.subspan(static_cast<size_t>(status), 1));
  }
  return status;
}

}  // namespace
}  // namespace nt

extern "C" {

NTSTATUS KeWaitForSingleObject(PVOID object, KWAIT_REASON, KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER timeout) {
  KernelEntry call{Fn::KeWaitForSingleObject};
  return nt::wait(call, {&object, 1}, WaitAny, timeout, "KeWaitForSingleObject");
}

NTSTATUS KeWaitForMultipleObjects(ULONG count, PVOID objects[], WAIT_TYPE type, KWAIT_REASON, KPROCESSOR_MODE, BOOLEAN,
                                  PLARGE_INTEGER timeout, PKWAIT_BLOCK blocks) {
  KernelEntry call{Fn::KeWaitForMultipleObjects};
  // More than THREAD_WAIT_OBJECTS need the caller's own wait blocks; Windows stops with MAXIMUM_WAIT_OBJECTS_EXCEEDED.
  if (count == 0 || count > MAXIMUM_WAIT_OBJECTS || (count > THREAD_WAIT_OBJECTS && !blocks)) {
    call.machine().report_violation(
        Violation::TooManyWaitObjects,
        fmt::format("KeWaitForMultipleObjects for {} objects {} wait blocks", count, blocks ? "with" : "without"));
    return STATUS_INVALID_PARAMETER;
  }
  return nt::wait(call, {objects, count}, type, timeout, "KeWaitForMultipleObjects");
}

NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER interval) {
  KernelEntry call{Fn::KeDelayExecutionThread};
  if (!nt::may_block(call, "KeDelayExecutionThread")) return STATUS_SUCCESS;
  base::Executor& executor = call.machine().executor();
  base::TimeNs deadline = call.machine().timers().deadline_of(*interval);
  if (deadline <= executor.now()) {
    executor.yield(base::Point::Wait);
  } else {
    executor.sleep_until(deadline);
  }
  return STATUS_SUCCESS;
}

}  // extern "C"
