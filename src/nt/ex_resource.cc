// Executive resources. Pages: wdm/nf-wdm-exinitializeresourcelite, nf-wdm-exacquireresourceexclusivelite,
// nf-wdm-exacquireresourcesharedlite, nf-wdm-exconvertexclusivetosharedlite, …;
// kernel/introduction-to-eresource-routines.
//
// The state is in the ERESOURCE, guarded by the dispatcher lock: how many threads own it, whether the one owner is
// exclusive, and how many wait for either. How often a thread has acquired it is in the thread's list of held locks,
// one entry for each time. A release that leaves no owner hands the resource over before anybody is woken, so that
// nobody can come in between:
//
//   exclusive owner leaves   all shared waiters own it now; without any, one exclusive waiter
//   last shared owner leaves one exclusive waiter owns it now
//
// Who comes first is not documented; this order lets neither side starve.
#include <fmt/format.h>

#include <algorithm>

#include "nt/apc_rules.h"
#include "nt/dispatcher.h"
#include "nt/spin_locks.h"

using nt::Broke;
using nt::Call;
using nt::Dispatcher;
using nt::Fn;
using nt::HeldLock;
using nt::LiveKind;
using nt::LockKind;
using nt::ObjectType;

namespace {

constexpr ULONG kSignature = 0x53455245;  // "ERES"

uintptr_t address_of(const ERESOURCE& resource) { return reinterpret_cast<uintptr_t>(&resource); }

bool known(Call& call, const ERESOURCE& resource, const char* function) {
  if (resource.Signature == kSignature) return true;
  call.machine().broke(Broke::NotInitialised,
                       fmt::format("{} was given an ERESOURCE that was never initialised, or is deleted", function));
  return false;
}

// --- What this thread holds ---

size_t times_held(Call& call, const ERESOURCE& resource) {
  const auto& held = call.thread().held;
  return static_cast<size_t>(std::count_if(held.begin(), held.end(),
                                           [&](const HeldLock& lock) { return lock.address == address_of(resource); }));
}

bool held_exclusive(Call& call, const ERESOURCE& resource) {
  const auto& held = call.thread().held;
  return std::any_of(held.begin(), held.end(),
                     [&](const HeldLock& lock) { return lock.address == address_of(resource) && !lock.shared; });
}

// The same access once more.
void hold_again(Call& call, const ERESOURCE& resource) {
  call.thread().held.push_back({address_of(resource), LockKind::Resource, !held_exclusive(call, resource)});
}

void forget_one(Call& call, const ERESOURCE& resource) {
  auto& held = call.thread().held;
  auto last = std::find_if(held.rbegin(), held.rend(),
                           [&](const HeldLock& lock) { return lock.address == address_of(resource); });
  held.erase(std::next(last).base());
}

// --- Handing over ---

// Whom a resource without an owner goes to.
struct Heirs {
  LONG shared = 0;
  bool exclusive = false;
};

void wake(Call& call, ERESOURCE& resource, const Heirs& heirs) {
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

// How a request for shared access treats those who wait for exclusive access.
enum class Manners : uint8_t {
  Polite,      // waits behind them, unless the thread has access already
  PushesPast,  // does not care
  Yields,      // waits behind them even then
};

void wait_for(Call& call, void* object) { call.machine().dispatcher().wait({&object, 1}, WaitAny, base::kForever); }

bool acquire_exclusive(Call& call, ERESOURCE& resource, bool wait) {
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

bool has_exclusive_waiters(Call& call, const ERESOURCE& resource) {
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource.ExclusiveWaiters != 0;
}

bool acquire_shared(Call& call, ERESOURCE& resource, bool wait, Manners manners) {
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

void release(Call& call, ERESOURCE& resource, const char* function) {
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

bool in_use(Call& call, const ERESOURCE& resource, const char* function) {
  bool used;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    used = resource.Owners != 0 || resource.SharedWaiters != 0 || resource.ExclusiveWaiters != 0;
  }
  if (used) {
    call.machine().broke(Broke::ResourceInUse, fmt::format("{} of a resource that is held or waited for", function));
  }
  return used;
}

void start(Call& call, ERESOURCE& resource) {
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
  Call call{Fn::ExInitializeResourceLite};
  bool fresh;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    nt::LiveTable& live = call.machine().dispatcher().live();
    fresh = !live.find(address_of(*resource), LiveKind::Resource);
    live.ensure(address_of(*resource), LiveKind::Resource);
  }
  if (!fresh) {
    call.machine().broke(Broke::ReinitialisedLive, "ExInitializeResourceLite of a resource that was not deleted");
  }
  start(call, *resource);
  return STATUS_SUCCESS;
}

NTSTATUS ExReinitializeResourceLite(PERESOURCE resource) {
  Call call{Fn::ExReinitializeResourceLite};
  if (known(call, *resource, "ExReinitializeResourceLite") && !in_use(call, *resource, "ExReinitializeResourceLite")) {
    start(call, *resource);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ExDeleteResourceLite(PERESOURCE resource) {
  Call call{Fn::ExDeleteResourceLite};
  if (!known(call, *resource, "ExDeleteResourceLite")) return STATUS_SUCCESS;
  if (in_use(call, *resource, "ExDeleteResourceLite")) return STATUS_SUCCESS;  // so that the releases still fit
  resource->Signature = 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  call.machine().dispatcher().live().erase(address_of(*resource), LiveKind::Resource);
  return STATUS_SUCCESS;
}

BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE resource, BOOLEAN wait) {
  Call call{Fn::ExAcquireResourceExclusiveLite};
  if (!known(call, *resource, "ExAcquireResourceExclusiveLite")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireResourceExclusiveLite");
  return acquire_exclusive(call, *resource, wait);
}

BOOLEAN ExAcquireResourceSharedLite(PERESOURCE resource, BOOLEAN wait) {
  Call call{Fn::ExAcquireResourceSharedLite};
  if (!known(call, *resource, "ExAcquireResourceSharedLite")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireResourceSharedLite");
  return acquire_shared(call, *resource, wait, Manners::Polite);
}

BOOLEAN ExAcquireSharedStarveExclusive(PERESOURCE resource, BOOLEAN wait) {
  Call call{Fn::ExAcquireSharedStarveExclusive};
  if (!known(call, *resource, "ExAcquireSharedStarveExclusive")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireSharedStarveExclusive");
  return acquire_shared(call, *resource, wait, Manners::PushesPast);
}

BOOLEAN ExAcquireSharedWaitForExclusive(PERESOURCE resource, BOOLEAN wait) {
  Call call{Fn::ExAcquireSharedWaitForExclusive};
  if (!known(call, *resource, "ExAcquireSharedWaitForExclusive")) return FALSE;
  nt::check_apcs_disabled(call, "ExAcquireSharedWaitForExclusive");
  return acquire_shared(call, *resource, wait, Manners::Yields);
}

VOID ExReleaseResourceLite(PERESOURCE resource) {
  Call call{Fn::ExReleaseResourceLite};
  if (!known(call, *resource, "ExReleaseResourceLite")) return;
  nt::check_apcs_disabled(call, "ExReleaseResourceLite");
  release(call, *resource, "ExReleaseResourceLite");
}

// Ownership cannot be given to another thread here (ExSetResourceOwnerPointerEx): only one's own can be released.
VOID ExReleaseResourceForThreadLite(PERESOURCE resource, ERESOURCE_THREAD thread) {
  Call call{Fn::ExReleaseResourceForThreadLite};
  if (!known(call, *resource, "ExReleaseResourceForThreadLite")) return;
  if (!call.thread().system) nt::check_apcs_disabled(call, "ExReleaseResourceForThreadLite");
  if (thread != reinterpret_cast<ERESOURCE_THREAD>(call.thread().body)) {
    call.machine().broke(Broke::LockNotHeld,
                         "ExReleaseResourceForThreadLite for a thread that did not transfer its ownership");
    return;
  }
  release(call, *resource, "ExReleaseResourceForThreadLite");
}

VOID ExConvertExclusiveToSharedLite(PERESOURCE resource) {
  Call call{Fn::ExConvertExclusiveToSharedLite};
  if (!known(call, *resource, "ExConvertExclusiveToSharedLite")) return;
  if (!held_exclusive(call, *resource)) {
    call.machine().broke(Broke::LockNotHeld,
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
  Call call{Fn::ExIsResourceAcquiredExclusiveLite};
  return known(call, *resource, "ExIsResourceAcquiredExclusiveLite") && held_exclusive(call, *resource);
}

ULONG ExIsResourceAcquiredSharedLite(PERESOURCE resource) {
  Call call{Fn::ExIsResourceAcquiredSharedLite};
  if (!known(call, *resource, "ExIsResourceAcquiredSharedLite")) return 0;
  return static_cast<ULONG>(times_held(call, *resource));
}

ULONG ExGetExclusiveWaiterCount(PERESOURCE resource) {
  Call call{Fn::ExGetExclusiveWaiterCount};
  if (!known(call, *resource, "ExGetExclusiveWaiterCount")) return 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource->ExclusiveWaiters;
}

ULONG ExGetSharedWaiterCount(PERESOURCE resource) {
  Call call{Fn::ExGetSharedWaiterCount};
  if (!known(call, *resource, "ExGetSharedWaiterCount")) return 0;
  Dispatcher::Guard guard(call.machine().dispatcher().lock());
  return resource->SharedWaiters;
}

PVOID ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE resource) {
  Call call{Fn::ExEnterCriticalRegionAndAcquireResourceExclusive};
  if (!known(call, *resource, "ExEnterCriticalRegionAndAcquireResourceExclusive")) return nullptr;
  ++call.thread().critical_regions;
  acquire_exclusive(call, *resource, true);
  return nullptr;  // drivers ignore it (documented)
}

VOID ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE resource) {
  Call call{Fn::ExReleaseResourceAndLeaveCriticalRegion};
  if (!known(call, *resource, "ExReleaseResourceAndLeaveCriticalRegion")) return;
  release(call, *resource, "ExReleaseResourceAndLeaveCriticalRegion");
  if (call.thread().critical_regions > 0) {
    --call.thread().critical_regions;
    return;
  }
  call.machine().broke(Broke::RegionUnbalanced, "ExReleaseResourceAndLeaveCriticalRegion outside of a critical region");
}

}  // extern "C"
