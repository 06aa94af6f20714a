// Executive resources. Pages: wdm/nf-wdm-exinitializeresourcelite, nf-wdm-exacquireresourceexclusivelite,
// nf-wdm-exacquireresourcesharedlite, nf-wdm-exconvertexclusivetosharedlite, …;
// kernel/introduction-to-eresource-routines.
//
// The state is in the ERESOURCE, guarded by the dispatcher lock: how many threads own it, whether the one owner is
// exclusive, and how many wait for either. How often a thread has acquired it is in the thread's list of held locks,
// one entry for each time. A release that leaves no owner hands the resource over before it wakes a thread, so that no
// other thread can acquire it in between:
//
//   exclusive owner leaves   all shared waiters own it now; without any, one exclusive waiter
//   last shared owner leaves one exclusive waiter owns it now
//
// The order of waiters is not documented; this one lets neither side starve.
#include <fmt/format.h>

#include <algorithm>

#include "nt/ke/apc_rules.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/resident.h"

using nt::Dispatcher;
using nt::Fn;
using nt::HeldLock;
using nt::InUseKind;
using nt::KernelEntry;
using nt::LockKind;
using nt::ObjectType;
using nt::Violation;

namespace {

constexpr ULONG kSignature = 0x53455245;  // "ERES"

uintptr_t address_of(const ERESOURCE& resource) { return reinterpret_cast<uintptr_t>(&resource); }

bool known(KernelEntry& call, const ERESOURCE& resource, const char* function) {
  if (resource.Signature == kSignature) return true;
  call.machine().report_violation(
      Violation::NotInitialised,
      fmt::format("{} was given an ERESOURCE that was never initialised, or is deleted", function));
  return false;
}

// --- What this thread holds ---

size_t times_held(KernelEntry& call, const ERESOURCE& resource) {
  const auto& held = call.thread().held;
  return static_cast<size_t>(std::count_if(held.begin(), held.end(),
                                           [&](const HeldLock& lock) { return lock.address == address_of(resource); }));
}

bool held_exclusive(KernelEntry& call, const ERESOURCE& resource) {
  const auto& held = call.thread().held;
  return std::any_of(held.begin(), held.end(),
                     [&](const HeldLock& lock) { return lock.address == address_of(resource) && !lock.shared; });
}

// The same access once more.
void hold_again(KernelEntry& call, const ERESOURCE& resource) {
  call.thread().held.push_back({address_of(resource), LockKind::Resource, !held_exclusive(call, resource)});
}

void forget_one(KernelEntry& call, const ERESOURCE& resource) {
  auto& held = call.thread().held;
  auto last = std::find_if(held.rbegin(), held.rend(),
                           [&](const HeldLock& lock) { return lock.address == address_of(resource); });
  held.erase(std::next(last).base());
}

// --- Handing over ---

// The waiters that get a resource which has no owner any more.
struct Heirs {
  LONG shared = 0;
  bool exclusive = false;
};

void wake(KernelEntry& call, ERESOURCE& resource, const Heirs& heirs) {
  if (heirs.exclusive) {
    call.machine().dispatcher().set_event(resource.Exclusive);
  } else if (heirs.shared > 0) {
    auto released = call.machine().dispatcher().release_semaphore(resource.Shared, heirs.shared);
    CHECK(released.ok());
  } else {
    call.machine().executor().yield(base::Point::Unlock);
  }
}

// Both under the dispatcher lock.
Heirs give_to_shared_waiters(ERESOURCE& resource) {
  Heirs heirs{static_cast<LONG>(resource.SharedWaiters), false};
  resource.Owners += resource.SharedWaiters;
  resource.SharedWaiters = 0;
  return heirs;
}

Heirs leave(ERESOURCE& resource) {
  bool was_exclusive = resource.OwnedExclusive != 0;
  resource.OwnedExclusive = 0;
  if (--resource.Owners != 0) return {};
  if (resource.ExclusiveWaiters == 0 || (was_exclusive && resource.SharedWaiters != 0)) {
    return give_to_shared_waiters(resource);
  }
  --resource.ExclusiveWaiters;
  resource.Owners = 1;
  resource.OwnedExclusive = 1;
  return {0, true};
}

// --- Acquiring ---

// How a request for shared access treats the threads that wait for exclusive access.
enum class Manners : uint8_t {
  Polite,      // waits behind them, unless the thread has access already
  PushesPast,  // does not wait for them
  Yields,      // waits behind them even then
};

void wait_for(KernelEntry& call, void* object) {
  call.machine().dispatcher().wait({&object, 1}, WaitAny, base::kForever);
}

bool acquire_exclusive(KernelEntry& call, ERESOURCE& resource, bool wait) {
  if (held_exclusive(call, resource)) {
    hold_again(call, resource);
    return true;
  }
  if (wait) nt::lock_acquiring(call.machine(), address_of(resource), LockKind::Resource);
  call.machine().executor().yield(base::Point::Lock);
  bool owned;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    owned = resource.Owners == 0;
    if (owned) {
      resource.Owners = 1;
      resource.OwnedExclusive = 1;
    } else if (wait) {
      ++resource.ExclusiveWaiters;
    }
  }
  if (!owned && !wait) return false;
  if (!owned) wait_for(call, &resource.Exclusive);
  nt::lock_acquired(call.machine(), address_of(resource), LockKind::Resource);
  return true;
}

bool has_exclusive_waiters(KernelEntry& call, const ERESOURCE& resource) {
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource.ExclusiveWaiters != 0;
}

bool acquire_shared(KernelEntry& call, ERESOURCE& resource, bool wait, Manners manners) {
  bool again = times_held(call, resource) > 0;
  bool steps_back = manners == Manners::Yields && !held_exclusive(call, resource);
  if (again && !(steps_back && has_exclusive_waiters(call, resource))) {
    hold_again(call, resource);
    return true;
  }
  if (wait) nt::lock_acquiring(call.machine(), address_of(resource), LockKind::Resource, true);
  call.machine().executor().yield(base::Point::Lock);
  bool owned;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    owned = !resource.OwnedExclusive && (resource.ExclusiveWaiters == 0 || manners == Manners::PushesPast);
    if (owned) {
      ++resource.Owners;
    } else if (wait) {
      ++resource.SharedWaiters;
    }
  }
  if (!owned && !wait) return false;
  if (!owned) wait_for(call, &resource.Shared);
  nt::lock_acquired(call.machine(), address_of(resource), LockKind::Resource, true);
  return true;
}

// --- Releasing ---

void release(KernelEntry& call, ERESOURCE& resource, const char* function) {
  if (times_held(call, resource) > 1) {
    forget_one(call, resource);
    return;
  }
  if (!nt::lock_releasing(call.machine(), address_of(resource), LockKind::Resource, function)) return;
  Heirs heirs;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    heirs = leave(resource);
  }
  wake(call, resource, heirs);
}

// --- Life ---

bool in_use(KernelEntry& call, const ERESOURCE& resource, const char* function) {
  bool used;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    used = resource.Owners != 0 || resource.SharedWaiters != 0 || resource.ExclusiveWaiters != 0;
  }
  if (used) {
    call.machine().report_violation(Violation::ResourceInUse,
                                    fmt::format("{} of a resource that is held or waited for", function));
  }
  return used;
}

void start(KernelEntry& call, ERESOURCE& resource) {
  Dispatcher& dispatcher = call.machine().dispatcher();
  dispatcher.initialise(&resource.Shared, sizeof(resource.Shared), ObjectType::Semaphore, 0);
  dispatcher.initialise(&resource.Exclusive, sizeof(resource.Exclusive), ObjectType::SynchronizationEvent, 0);
  resource.Shared.Limit = MAXLONG;
  resource.OwnedExclusive = resource.Owners = resource.SharedWaiters = resource.ExclusiveWaiters = 0;
  resource.Signature = kSignature;
}

}  // namespace

extern "C" {

NTSTATUS ExInitializeResourceLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExInitializeResourceLite};
  nt::check_resident(call.machine(), resource, "an ERESOURCE");
  bool fresh;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    nt::InUseTable& live = call.machine().dispatcher().live();
    fresh = !live.find(address_of(*resource), InUseKind::Resource);
    live.ensure(address_of(*resource), InUseKind::Resource);
  }
  if (!fresh) {
    call.machine().report_violation(Violation::ReinitialisedLive,
                                    "ExInitializeResourceLite of a resource that was not deleted");
  }
  start(call, *resource);
  return STATUS_SUCCESS;
}

NTSTATUS ExReinitializeResourceLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExReinitializeResourceLite};
  if (known(call, *resource, "ExReinitializeResourceLite") && !in_use(call, *resource, "ExReinitializeResourceLite")) {
    start(call, *resource);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ExDeleteResourceLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExDeleteResourceLite};
  if (!known(call, *resource, "ExDeleteResourceLite")) return STATUS_SUCCESS;
  if (in_use(call, *resource, "ExDeleteResourceLite")) return STATUS_SUCCESS;  // so that the releases still fit
  resource->Signature = 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  call.machine().dispatcher().live().erase(address_of(*resource), InUseKind::Resource);
  return STATUS_SUCCESS;
}

BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE resource, BOOLEAN wait) {
  KernelEntry call{Fn::ExAcquireResourceExclusiveLite};
  if (!known(call, *resource, "ExAcquireResourceExclusiveLite")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireResourceExclusiveLite");
  return acquire_exclusive(call, *resource, wait);
}

BOOLEAN ExAcquireResourceSharedLite(PERESOURCE resource, BOOLEAN wait) {
  KernelEntry call{Fn::ExAcquireResourceSharedLite};
  if (!known(call, *resource, "ExAcquireResourceSharedLite")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireResourceSharedLite");
  return acquire_shared(call, *resource, wait, Manners::Polite);
}

BOOLEAN ExAcquireSharedStarveExclusive(PERESOURCE resource, BOOLEAN wait) {
  KernelEntry call{Fn::ExAcquireSharedStarveExclusive};
  if (!known(call, *resource, "ExAcquireSharedStarveExclusive")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireSharedStarveExclusive");
  return acquire_shared(call, *resource, wait, Manners::PushesPast);
}

BOOLEAN ExAcquireSharedWaitForExclusive(PERESOURCE resource, BOOLEAN wait) {
  KernelEntry call{Fn::ExAcquireSharedWaitForExclusive};
  if (!known(call, *resource, "ExAcquireSharedWaitForExclusive")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireSharedWaitForExclusive");
  return acquire_shared(call, *resource, wait, Manners::Yields);
}

VOID ExReleaseResourceLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExReleaseResourceLite};
  if (!known(call, *resource, "ExReleaseResourceLite")) return;
  nt::check_apcs_disabled(call, "ExReleaseResourceLite");
  release(call, *resource, "ExReleaseResourceLite");
}

// Ownership cannot be given to another thread here (ExSetResourceOwnerPointerEx): a thread releases only what it owns.
VOID ExReleaseResourceForThreadLite(PERESOURCE resource, ERESOURCE_THREAD thread) {
  KernelEntry call{Fn::ExReleaseResourceForThreadLite};
  if (!known(call, *resource, "ExReleaseResourceForThreadLite")) return;
  if (!call.thread().system) nt::check_apcs_disabled(call, "ExReleaseResourceForThreadLite");
  if (thread != reinterpret_cast<ERESOURCE_THREAD>(call.thread().body)) {
    call.machine().report_violation(Violation::LockNotHeld,
                                    "ExReleaseResourceForThreadLite for a thread that did not transfer its ownership");
    return;
  }
  release(call, *resource, "ExReleaseResourceForThreadLite");
}

VOID ExConvertExclusiveToSharedLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExConvertExclusiveToSharedLite};
  if (!known(call, *resource, "ExConvertExclusiveToSharedLite")) return;
  if (!held_exclusive(call, *resource)) {
    call.machine().report_violation(
        Violation::LockNotHeld,
        "ExConvertExclusiveToSharedLite of a resource that this thread does not hold exclusively");
    return;
  }
  for (HeldLock& lock : call.thread().held) {
    if (lock.address == address_of(*resource)) lock.shared = true;
  }
  Heirs heirs;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    resource->OwnedExclusive = 0;
    heirs = give_to_shared_waiters(*resource);
  }
  wake(call, *resource, heirs);
}

BOOLEAN ExIsResourceAcquiredExclusiveLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExIsResourceAcquiredExclusiveLite};
  return known(call, *resource, "ExIsResourceAcquiredExclusiveLite") && held_exclusive(call, *resource);
}

ULONG ExIsResourceAcquiredSharedLite(PERESOURCE resource) {
  KernelEntry call{Fn::ExIsResourceAcquiredSharedLite};
  if (!known(call, *resource, "ExIsResourceAcquiredSharedLite")) return 0;
  return static_cast<ULONG>(times_held(call, *resource));
}

ULONG ExGetExclusiveWaiterCount(PERESOURCE resource) {
  KernelEntry call{Fn::ExGetExclusiveWaiterCount};
  if (!known(call, *resource, "ExGetExclusiveWaiterCount")) return 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource->ExclusiveWaiters;
}

ULONG ExGetSharedWaiterCount(PERESOURCE resource) {
  KernelEntry call{Fn::ExGetSharedWaiterCount};
  if (!known(call, *resource, "ExGetSharedWaiterCount")) return 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource->SharedWaiters;
}

PVOID ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE resource) {
  KernelEntry call{Fn::ExEnterCriticalRegionAndAcquireResourceExclusive};
  if (!known(call, *resource, "ExEnterCriticalRegionAndAcquireResourceExclusive")) return nullptr;
  ++call.thread().critical_regions;
  acquire_exclusive(call, *resource, true);
  return nullptr;  // drivers ignore it (documented)
}

VOID ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE resource) {
  KernelEntry call{Fn::ExReleaseResourceAndLeaveCriticalRegion};
  if (!known(call, *resource, "ExReleaseResourceAndLeaveCriticalRegion")) return;
  release(call, *resource, "ExReleaseResourceAndLeaveCriticalRegion");
  if (call.thread().critical_regions > 0) {
    --call.thread().critical_regions;
    return;
  }
  call.machine().report_violation(Violation::RegionUnbalanced,
                                  "ExReleaseResourceAndLeaveCriticalRegion outside of a critical region");
}

}  // extern "C"
