// D3DKMTLock, D3DKMTUnlock, D3DKMTLock2, D3DKMTUnlock2, D3DKMTInvalidateCache: the client's access to the bytes of an
// allocation.
//
// D3DKMTLock keeps the CPU and the GPU apart as far as packets say what they use: those of D3DKMTRender and of
// presents. D3DKMTLock2 leaves that to the client, and so do commands at GPU virtual addresses (US-20). Nothing is
// renamed (US-17, ours): a lock that discards gets the bytes that are there, when that is safe.
#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/device.h"
#include "dxgk/work/gpu_uses.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using nt::Violation;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Failure not_on_wsl() { return base::Failure(STATUS_NOT_SUPPORTED, "WSL has no such function"); }

Judgement judge(const D3DKMT_LOCK& args) {
  const D3DDDICB_LOCKFLAGS& flags = args.Flags;
  if (flags.Reserved) return Refusal("reserved flags are set");
  if (flags.ReadOnly && flags.WriteOnly) return Refusal("ReadOnly and WriteOnly");
  if (flags.IgnoreSync && flags.AcquireAperture) return Refusal("IgnoreSync and AcquireAperture");
  if (flags.UseAlternateVA && !flags.AcquireAperture) return Refusal("UseAlternateVA without AcquireAperture");
  if (flags.LockEntire && (args.NumPages || args.pPages)) {
    return Refusal(Violation::LockPagesWrong, "LockEntire with a list of pages");
  }
  if (!flags.LockEntire && (!args.NumPages || !args.pPages)) {
    return Refusal(Violation::LockPagesWrong, "neither LockEntire nor a list of pages");
  }
  return std::nullopt;
}

// How a lock is synchronised with the GPU.
struct Sync {
  enum class IfBusy : uint8_t { Wait, Refuse, Ignore };
  IfBusy if_busy = IfBusy::Wait;
  dxgk::GpuUses::Which busy_with = dxgk::GpuUses::Which::All;
};

bool shared(const dxgk::AllocationView& view) { return view.resource && view.resource->resource().shared(); }

bool in_apertures(const dxgk::AllocationView& view) {
  const dxgk::AllocationTraits& traits = view.allocation().traits();
  uint32_t apertures = view.device().adapter().caps().aperture_set();
  return ((traits.read_segments | traits.write_segments) & apertures) != 0;
}

// The CPU may read together with the GPU (ours; documented for IgnoreReadSync alone). With the device's mutex held.
base::Result<Sync> sync_of(const dxgk::AllocationView& view, const D3DDDICB_LOCKFLAGS& flags) {
  if ((flags.IgnoreSync || flags.IgnoreReadSync) && !in_apertures(view)) {
    return refuse("IgnoreSync or IgnoreReadSync with an allocation that no aperture segment may have");
  }
  bool discard = flags.Discard && !shared(view);
  Sync sync;
  if (flags.DonotWait && !discard) sync.if_busy = flags.IgnoreSync ? Sync::IfBusy::Ignore : Sync::IfBusy::Refuse;
  if ((flags.ReadOnly || flags.IgnoreReadSync) && !discard) sync.busy_with = dxgk::GpuUses::Which::Writes;
  // Commands that the driver has not flushed yet may read the only instance there is. The kernel cannot see them, so
  // the driver must flush and say so (US-18).
  if (discard && !flags.NoExistingReference && !view.device().adapter().caps().gpu_mmu) {
    return base::Failure(STATUS_GRAPHICS_ALLOCATION_BUSY, "Discard without NoExistingReference: nothing is renamed");
  }
  return sync;
}

// With the device's mutex held.
base::Result<base::Ref<dxgk::AllocationView>> find_view(Client& client, dxgk::Device& device, D3DKMT_HANDLE handle) {
  base::Ref<dxgk::AllocationView> view = TRY(client.find<dxgk::AllocationView>(handle));
  if (&view->device() != &device) return refuse("the allocation belongs to another device");
  return view;
}

void count_lock(Client& client, dxgk::AllocationView& view) {
  if (view.locks++ == 0) client.view_locked();
}

void unlock(Client& client, dxgk::AllocationView& view) {
  if (--view.locks == 0) client.views_unlocked(1);
}

// With the device's mutex held.
base::Result<> check_lockable(Client& client, dxgk::AllocationView& view) {
  TRY(view.device().usable());
  dxgk::Allocation& allocation = view.allocation();
  if (!allocation.cpu_visible()) {
    return client.refuse(Violation::LockInvisible, STATUS_INVALID_PARAMETER, "the CPU cannot see the allocation");
  }
  if (shared(view) && view.resource->resource().creator() != client.process().id()) {
    return client.refuse(Violation::LockByOpener, STATUS_INVALID_PARAMETER,
                         "a shared allocation is locked by another process than its creator");
  }
  if (view.locks == UINT32_MAX) {
    return base::Failure(STATUS_GRAPHICS_TOO_MANY_REFERENCES, "the allocation is locked too often");
  }
  if (view.device().adapter().memory().offered(allocation)) {
    return client.refuse(Violation::LockOffered, STATUS_INVALID_PARAMETER, "the allocation is offered");
  }
  return {};
}

struct Lockable {
  base::Ref<dxgk::AllocationView> view;
  Sync sync;
};

template <typename SyncOf>
base::Result<Lockable> find_lockable(Client& client, dxgk::Device& device, D3DKMT_HANDLE handle,
                                     SyncOf&& sync_of_view) {
  dxgk::ParkingLock lock(device.mutex());
  base::Ref<dxgk::AllocationView> view = TRY(find_view(client, device, handle));
  TRY(check_lockable(client, *view));
  Sync sync = TRY(sync_of_view(*view));
  return Lockable{std::move(view), sync};
}

// With no mutex held. Bytes that a packet needs where the CPU does not see them can be moved when the packet has
// completed. Even a caller that ignores the GPU waits for that, as it waits for paging.
base::Result<> lock_bytes(dxgk::AllocationView& view, const Sync& sync) {
  using dxgk::GpuUses;
  dxgk::Device& device = view.device();
  dxgk::Allocation& allocation = view.allocation();
  const GpuUses& uses = allocation.gpu_uses;
  if (sync.if_busy == Sync::IfBusy::Refuse && !uses.passed(uses.begun(), sync.busy_with)) {
    return base::Failure(STATUS_GRAPHICS_ALLOCATION_BUSY, "the GPU uses the allocation, and DonotWait is set");
  }
  if (sync.if_busy == Sync::IfBusy::Wait) TRY(wait_for_uses(device, allocation, sync.busy_with));
  for (;;) {
    base::Result<> locked = device.adapter().memory().lock_bytes(allocation);
    if (locked.status() != STATUS_GRAPHICS_ALLOCATION_BUSY || sync.if_busy == Sync::IfBusy::Refuse) return locked;
    TRY(wait_for_uses(device, allocation, GpuUses::Which::All));
  }
}

// The bytes are where the CPU sees them. `tell` writes that to the client; if that fails, nothing is locked.
template <typename Tell>
base::Result<> count_locked(Client& client, dxgk::AllocationView& view, D3DKMT_HANDLE handle, Tell&& tell) {
  dxgk::ParkingLock lock(view.device().mutex());
  base::Ref<dxgk::AllocationView> again = TRY(find_view(client, view.device(), handle));
  if (&*again != &view) return refuse("the allocation was destroyed while it was locked");
  TRY(check_lockable(client, view));
  void* bytes = TRY(view.device().adapter().memory().cpu_address(view.allocation()));
  TRY(tell(view, static_cast<uint8_t*>(bytes)));
  count_lock(client, view);
  return {};
}

// Waits for the GPU, and for what has to be moved first, without the mutex; the client may destroy the allocation
// meanwhile.
template <typename SyncOf, typename Tell>
base::Result<> lock(Client& client, dxgk::Device& device, D3DKMT_HANDLE handle, SyncOf&& sync_of_view, Tell&& tell) {
  Lockable found = TRY(find_lockable(client, device, handle, sync_of_view));
  TRY(lock_bytes(*found.view, found.sync));
  base::Result<> locked = count_locked(client, *found.view, handle, tell);
  if (!locked.ok()) device.adapter().memory().unlock_bytes(found.view->allocation());
  return locked;
}

base::Result<uint64_t> first_page(Client& client, const D3DKMT_LOCK& args, uint64_t pages) {
  if (args.Flags.LockEntire) return 0;
  Scratch<UINT, 64> list;
  TRY(list.make(args.NumPages));
  TRY(client.memory().read(list.span(), args.pPages));
  for (UINT page : list) {
    if (page >= pages) return refuse("a page beyond the end of the allocation");
  }
  return list[0];
}

// All of the list or nothing: what was unlocked before the one that cannot be is locked again.
base::Result<> unlock_all(Client& client, dxgk::Device& device, std::span<const D3DKMT_HANDLE> handles) {
  dxgk::ParkingLock lock(device.mutex());
  std::vector<base::Ref<dxgk::AllocationView>> views;
  views.reserve(handles.size());
  for (D3DKMT_HANDLE handle : handles) views.push_back(TRY(find_view(client, device, handle)));
  for (size_t i = 0; i < views.size(); ++i) {
    if (views[i]->locks) {
      unlock(client, *views[i]);
      continue;
    }
    while (i) count_lock(client, *views[--i]);
    return client.refuse(Violation::UnlockUnlocked, STATUS_INVALID_PARAMETER, "the allocation is not locked");
  }
  for (const auto& view : views) device.adapter().memory().unlock_bytes(view->allocation());
  return {};
}

}  // namespace

Answer serve::Lock(Client& client, D3DKMT_LOCK* user) {
  if (client.like_wsl()) return not_on_wsl();
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  TRY(client.accept(judge(args)));
  auto sync = [&](const dxgk::AllocationView& view) { return sync_of(view, args.Flags); };
  auto tell = [&](dxgk::AllocationView& view, uint8_t* bytes) -> base::Result<> {
    uint64_t page = TRY(first_page(client, args, view.allocation().size() / base::kPageBytes));
    void* from = bytes + page * base::kPageBytes;
    return client.memory().write(UserMemory::address(user, &D3DKMT_LOCK::pData), &from, sizeof(from));
  };
  return lock(client, *device, args.hAllocation, sync, tell);
}

Answer serve::Unlock(Client& client, const D3DKMT_UNLOCK* user) {
  if (client.like_wsl()) return not_on_wsl();
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.NumAllocations == 0) return refuse("NumAllocations is 0");
  if (args.NumAllocations > client.policy().max_allocations_per_call) {
    return refuse("more allocations in one call than the kernel takes");
  }
  HandleScratch handles;
  TRY(handles.make(args.NumAllocations));
  TRY(client.memory().read(handles.span(), args.phAllocations));
  return unlock_all(client, *device, handles.span());
}

Answer serve::Lock2(Client& client, D3DKMT_LOCK2* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.Flags.Value) {
    return client.refuse(Violation::LockFlagsReserved, STATUS_INVALID_PARAMETER, "flags where there are none");
  }
  auto sync = [](const dxgk::AllocationView&) -> base::Result<Sync> { return Sync{.if_busy = Sync::IfBusy::Ignore}; };
  auto tell = [&](dxgk::AllocationView&, uint8_t* bytes) {
    return client.memory().write(UserMemory::address(user, &D3DKMT_LOCK2::pData), &bytes, sizeof(bytes));
  };
  return lock(client, *device, args.hAllocation, sync, tell);
}

Answer serve::Unlock2(Client& client, const D3DKMT_UNLOCK2* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  return unlock_all(client, *device, {&args.hAllocation, 1});
}

// Where CPU caches and the GPU do not agree by themselves the client says what it wants to read anew. They do here.
Answer serve::InvalidateCache(Client& client, const D3DKMT_INVALIDATECACHE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  base::Ref<dxgk::AllocationView> view = TRY(find_view(client, *device, args.hAllocation));
  uint64_t size = view->allocation().size();
  if (args.Offset > size || args.Length > size - args.Offset) return refuse("the range leaves the allocation");
  return {};
}

}  // namespace kmt
