// Remove locks. Pages: wdm/nf-wdm-ioinitializeremovelock, nf-wdm-ioacquireremovelock, nf-wdm-ioreleaseremovelock,
// nf-wdm-ioreleaseremovelockandwait, kernel/using-remove-locks.
//
// The counts are in the lock. The in-use table holds each acquisition with its tag and stack, because a release must
// name the tag of its acquisition, and because the memory must not be freed before the last release. Guarded by the
// dispatcher lock.
#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/pool.h"

using nt::Dispatcher;
using nt::Fn;
using nt::InUseKind;
using nt::InUseTable;
using nt::KernelEntry;
using nt::ObjectType;
using nt::Violation;

namespace {

constexpr ULONG kSignature = 0x4B434C52;  // "RLCK"
constexpr base::TimeNs kMinute = 60'000'000'000;

// One acquisition that was not released yet. In the machine's own pool.
struct Acquisition {
  PVOID tag;
  base::StackId stack;
  base::TimeNs time;
  Acquisition* next;
};

uintptr_t address_of(const IO_REMOVE_LOCK& lock) { return reinterpret_cast<uintptr_t>(&lock); }

bool known(KernelEntry& call, const IO_REMOVE_LOCK& lock, const char* function) {
  if (lock.Signature == kSignature) return true;
  call.machine().report_violation(Violation::NotInitialised,
                                  fmt::format("{} was given a remove lock that was never initialised", function));
  return false;
}

void misuse(KernelEntry& call, std::string sentence, const Acquisition* acquired = nullptr) {
  std::vector<nt::RoleStack> more;
  if (acquired) more.push_back({"acquired", call.machine().stacks().get(acquired->stack)});
  call.machine().report_violation(Violation::RemoveLockMisuse, std::move(sentence), std::move(more));
}

// --- The list of acquisitions, under the dispatcher lock ---

void add(InUseTable& live, const IO_REMOVE_LOCK& lock, Acquisition& acquisition) {
  void*& head = live.ensure(address_of(lock), InUseKind::RemoveLock);
  acquisition.next = static_cast<Acquisition*>(head);
  head = &acquisition;
}

// Takes off the latest with that tag, or failing that the latest. Null when there is none at all.
Acquisition* take(InUseTable& live, const IO_REMOVE_LOCK& lock, PVOID tag) {
  void** head = live.find(address_of(lock), InUseKind::RemoveLock);
  if (!head) return nullptr;
  auto* found = static_cast<Acquisition*>(*head);
  Acquisition* before = nullptr;
  for (Acquisition* each = found; each->next; each = each->next) {
    if (found->tag == tag) break;
    if (each->next->tag == tag) {
      before = each;
      found = each->next;
    }
  }
  if (before) {
    before->next = found->next;
  } else if (found->next) {
    *head = found->next;
  } else {
    live.erase(address_of(lock), InUseKind::RemoveLock);
  }
  return found;
}

// --- Releasing ---

void judge(KernelEntry& call, const IO_REMOVE_LOCK& lock, const Acquisition& acquisition, PVOID tag,
           const char* function) {
  if (acquisition.tag != tag) {
    misuse(call, fmt::format("{} with a tag that no acquisition of the remove lock has", function), &acquisition);
  }
  base::TimeNs held = call.machine().executor().now() - acquisition.time;
  if (lock.MaxLockedMinutes && held > lock.MaxLockedMinutes * kMinute) {
    misuse(
        call,
        fmt::format("a remove lock was held for longer than the {} minutes that its driver set", lock.MaxLockedMinutes),
        &acquisition);
  }
}

// False, after a finding, when the lock was not acquired.
bool release(KernelEntry& call, IO_REMOVE_LOCK& lock, PVOID tag, const char* function) {
  Dispatcher& dispatcher = call.machine().dispatcher();
  Acquisition* acquisition;
  bool last;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    acquisition = take(dispatcher.live(), lock, tag);
    if (acquisition) --lock.IoCount;
    last = acquisition && lock.IoCount == 0 && lock.Removed;
  }
  if (!acquisition) {
    misuse(call, fmt::format("{} of a remove lock that is not acquired", function));
    return false;
  }
  judge(call, lock, *acquisition, tag, function);
  call.machine().pool().free(acquisition, 0);
  if (last) {
    dispatcher.set_event(lock.RemoveEvent);
  } else {
    call.machine().executor().yield(base::Point::Unlock);
  }
  return true;
}

}  // namespace

extern "C" {

VOID IoInitializeRemoveLockEx(PIO_REMOVE_LOCK lock, ULONG, ULONG minutes, ULONG high_water, ULONG) {
  KernelEntry call{Fn::IoInitializeRemoveLockEx};
  bool acquired;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    acquired = call.machine().dispatcher().live().find(address_of(*lock), InUseKind::RemoveLock) != nullptr;
  }
  if (acquired) {
    call.machine().report_violation(Violation::ReinitialisedLive,
                                    "IoInitializeRemoveLock of a remove lock that is acquired");
    return;
  }
  if (lock->Signature == kSignature && lock->Removed) {
    misuse(call, "IoInitializeRemoveLock after IoReleaseRemoveLockAndWait of the same lock");
  }
  call.machine().dispatcher().initialise(&lock->RemoveEvent, sizeof(lock->RemoveEvent), ObjectType::NotificationEvent,
                                         0);
  lock->Removed = FALSE;
  lock->MaxLockedMinutes = minutes;
  lock->HighWatermark = high_water;
  lock->IoCount = 0;
  lock->Signature = kSignature;
}

NTSTATUS IoAcquireRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, PCSTR, ULONG, ULONG) {
  KernelEntry call{Fn::IoAcquireRemoveLockEx};
  if (!known(call, *lock, "IoAcquireRemoveLock")) return STATUS_DELETE_PENDING;
  nt::Machine& machine = call.machine();
  machine.executor().yield(base::Point::Lock);
  void* memory = machine.pool().allocate(sizeof(Acquisition), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  auto* acquisition = new (memory) Acquisition{tag, machine.here_id(), machine.executor().now(), nullptr};
  bool removed;
  LONG count = 0;
  {
    Dispatcher::Guard guard(machine.dispatcher().lock());
    removed = lock->Removed;
    if (!removed) {
      add(machine.dispatcher().live(), *lock, *acquisition);
      count = ++lock->IoCount;
    }
  }
  if (removed) {
    machine.pool().free(acquisition, 0);
    return nt::refuse(machine, base::Failure(STATUS_DELETE_PENDING, "IoReleaseRemoveLockAndWait was called"));
  }
  if (lock->HighWatermark && static_cast<ULONG>(count) > lock->HighWatermark) {
    misuse(call,
           fmt::format("a remove lock is acquired {} times; its driver set a limit of {}", count, lock->HighWatermark));
  }
  return STATUS_SUCCESS;
}

VOID IoReleaseRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG) {
  KernelEntry call{Fn::IoReleaseRemoveLockEx};
  if (known(call, *lock, "IoReleaseRemoveLock")) release(call, *lock, tag, "IoReleaseRemoveLock");
}

VOID IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG) {
  KernelEntry call{Fn::IoReleaseRemoveLockAndWaitEx};
  if (!known(call, *lock, "IoReleaseRemoveLockAndWait")) return;
  Dispatcher& dispatcher = call.machine().dispatcher();
  bool again;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    again = lock->Removed;
    lock->Removed = TRUE;
  }
  if (again) {
    misuse(call, "IoReleaseRemoveLockAndWait was called a second time for one remove lock");
    return;
  }
  if (!release(call, *lock, tag, "IoReleaseRemoveLockAndWait")) return;
  void* event = &lock->RemoveEvent;
  dispatcher.wait({&event, 1}, WaitAny, base::kForever);
}

}  // extern "C"
