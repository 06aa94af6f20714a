// Rundown protection. Pages: wdm/nf-wdm-exinitializerundownprotection, nf-wdm-exacquirerundownprotection,
// nf-wdm-exwaitforrundownprotectionrelease, nf-wdm-exreinitializerundownprotection, …
//
// Count is twice the number of protections in effect, and odd once the rundown began. Guarded by the dispatcher lock;
// the thread that waits for the last release is in the in-use table.
#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/word_waiters.h"
#include "nt/mm/touch.h"

using nt::Dispatcher;
using nt::Fn;
using nt::KernelEntry;
using nt::Violation;
using nt::WordWaiter;

namespace {

constexpr ULONG_PTR kRundown = 1, kOne = 2;

uintptr_t address_of(const EX_RUNDOWN_REF& reference) { return reinterpret_cast<uintptr_t>(&reference); }

bool acquire(KernelEntry& call, EX_RUNDOWN_REF& reference, ULONG count) {
  nt::touch_for_writing(reference);
  call.machine().executor().yield(base::Point::Lock);
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  if (reference.Count & kRundown) return false;
  reference.Count += kOne * count;
  return true;
}

void release(KernelEntry& call, EX_RUNDOWN_REF& reference, ULONG count, const char* function) {
  nt::touch_for_writing(reference);
  Dispatcher& dispatcher = call.machine().dispatcher();
  base::happens_before(&reference);
  bool held;
  WordWaiter* waiters = nullptr;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    held = reference.Count / kOne >= count;
    if (held) reference.Count -= kOne * count;
    if (held && reference.Count == kRundown) {
      waiters = nt::first_waiter(dispatcher.live(), address_of(reference));
      nt::keep_waiters_from(dispatcher.live(), address_of(reference), nullptr);
    }
  }
  if (!held) {
    call.machine().report_violation(Violation::RundownMisuse,
                                    fmt::format("{} of rundown protection that is not in effect", function));
  }
  nt::wake_waiters(dispatcher, waiters, nullptr);
  if (!waiters) call.machine().executor().yield(base::Point::Unlock);
}

// Whether the object was run down. Reports it when not, because the caller must not call this before.
bool run_down(KernelEntry& call, const EX_RUNDOWN_REF& reference, const char* function) {
  nt::touch(reference);
  bool done;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    done = reference.Count == kRundown;
  }
  if (!done) {
    call.machine().report_violation(
        Violation::RundownMisuse,
        fmt::format("{} of a reference that ExWaitForRundownProtectionRelease did not run down before", function));
  }
  return done;
}

}  // namespace

extern "C" {

VOID ExInitializeRundownProtection(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExInitializeRundownProtection};
  bool waited_for;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    waited_for = nt::first_waiter(call.machine().dispatcher().live(), address_of(*reference)) != nullptr;
  }
  if (waited_for) {
    call.machine().report_violation(Violation::ReinitialisedLive,
                                    "ExInitializeRundownProtection while a thread waits for a release");
    return;
  }
  reference->Count = 0;
}

VOID ExReInitializeRundownProtection(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExReInitializeRundownProtection};
  if (run_down(call, *reference, "ExReInitializeRundownProtection")) reference->Count = 0;
}

BOOLEAN ExAcquireRundownProtection(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExAcquireRundownProtection};
  return acquire(call, *reference, 1);
}

BOOLEAN ExAcquireRundownProtectionEx(PEX_RUNDOWN_REF reference, ULONG count) {
  KernelEntry call{Fn::ExAcquireRundownProtectionEx};
  return acquire(call, *reference, count);
}

VOID ExReleaseRundownProtection(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExReleaseRundownProtection};
  release(call, *reference, 1, "ExReleaseRundownProtection");
}

VOID ExReleaseRundownProtectionEx(PEX_RUNDOWN_REF reference, ULONG count) {
  KernelEntry call{Fn::ExReleaseRundownProtectionEx};
  release(call, *reference, count, "ExReleaseRundownProtectionEx");
}

VOID ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExWaitForRundownProtectionRelease};
  nt::touch_for_writing(*reference);
  Dispatcher& dispatcher = call.machine().dispatcher();
  call.machine().executor().yield(base::Point::Wait);
  WordWaiter waiter{};
  nt::prepare(dispatcher, waiter);
  bool in_use;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    reference->Count |= kRundown;
    in_use = reference->Count != kRundown;
    if (in_use) nt::add_waiter(dispatcher.live(), address_of(*reference), waiter);
  }
  if (in_use) nt::wait(dispatcher, waiter);
  base::happens_after(reference);
}

VOID ExRundownCompleted(PEX_RUNDOWN_REF reference) {
  KernelEntry call{Fn::ExRundownCompleted};
  run_down(call, *reference, "ExRundownCompleted");  // and it stays so
}

}  // extern "C"
