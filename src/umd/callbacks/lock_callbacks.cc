// pfnLockCb, pfnUnlockCb, pfnLock2Cb, pfnUnlock2Cb, pfnInvalidateCacheCb: the driver's access to the bytes of an
// allocation. The kernel renames nothing, so a lock that discards returns the handle it was given.
#include <fmt/format.h>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"

namespace umd {
namespace {

// CreateResource's page: what is shared is not renamed.
void judge_renaming(Device& device, const D3DDDICB_LOCK& args) {
  if (!args.Flags.Discard) return;
  Resource* resource;
  {
    RuntimeGuard guard(device.runtime.lock);
    resource = device.allocations().find(args.hAllocation)->resource;
  }
  if (!resource || !resource->shared) return;
  device.report_violation(
      nt::Violation::UmdSharedRenamed,
      fmt::format("pfnLockCb discards allocation 0x{:X}, which belongs to a shared resource", args.hAllocation),
      device.stacks_of(*resource));
}

void note_discard(Device& device, D3DDDICB_LOCKFLAGS flags, HRESULT result) {
  Frame* frame = device.frame();
  if (frame) frame->discard_busy = result == D3DDDIERR_WASSTILLDRAWING && !flags.NoExistingReference;
}

// Memory that the CPU fills while a resource is created is perhaps what the resource's first content is copied from.
void note_access(Device& device, D3DKMT_HANDLE handle) {
  RuntimeGuard guard(device.runtime.lock);
  Allocation* allocation = device.allocations().find(handle);
  const Resource* owner = allocation && allocation->unnamed ? allocation->unnamed->owner : nullptr;
  if (owner && owner->state == ResourceState::Creating) device.allocations().drop_unnamed(*allocation);
}

HRESULT lock(Device& device, D3DDDICB_LOCK& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::Lock, {&args.hAllocation, 1}); FAILED(refusal)) {
    return refusal;
  }
  judge_renaming(device, args);
  D3DKMT_LOCK call{};
  call.hDevice = device.kernel();
  call.hAllocation = args.hAllocation;
  call.PrivateDriverData = args.PrivateDriverData;
  call.NumPages = args.NumPages;
  call.pPages = args.pPages;
  call.Flags = args.Flags;
  HRESULT result = to_hresult(kmt::Lock(device.client(), &call));
  if (SUCCEEDED(result)) {
    args.pData = call.pData;
    note_access(device, args.hAllocation);
  }
  if (args.Flags.Discard) note_discard(device, args.Flags, result);
  return result;
}

HRESULT unlock(Device& device, const D3DDDICB_UNLOCK& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::Unlock, args.phAllocations, args.NumAllocations);
      FAILED(refusal)) {
    return refusal;
  }
  D3DKMT_UNLOCK call{};
  call.hDevice = device.kernel();
  call.NumAllocations = args.NumAllocations;
  call.phAllocations = args.phAllocations;
  return to_hresult(kmt::Unlock(device.client(), &call));
}

HRESULT lock2(Device& device, D3DDDICB_LOCK2& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::Lock2, {&args.hAllocation, 1}); FAILED(refusal)) {
    return refusal;
  }
  D3DKMT_LOCK2 call{};
  call.hDevice = device.kernel();
  call.hAllocation = args.hAllocation;
  call.Flags = args.Flags;
  HRESULT result = to_hresult(kmt::Lock2(device.client(), &call));
  if (FAILED(result)) return result;
  args.pData = call.pData;
  note_access(device, args.hAllocation);
  return result;
}

HRESULT unlock2(Device& device, const D3DDDICB_UNLOCK2& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::Unlock2, {&args.hAllocation, 1}); FAILED(refusal)) {
    return refusal;
  }
  D3DKMT_UNLOCK2 call{};
  call.hDevice = device.kernel();
  call.hAllocation = args.hAllocation;
  return to_hresult(kmt::Unlock2(device.client(), &call));
}

HRESULT invalidate_cache(Device& device, const D3DDDICB_INVALIDATECACHE& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::InvalidateCache, {&args.hAllocation, 1}); FAILED(refusal)) {
    return refusal;
  }
  D3DKMT_INVALIDATECACHE call{};
  call.hDevice = device.kernel();
  call.hAllocation = args.hAllocation;
  call.Offset = args.Offset;
  call.Length = args.Length;
  return to_hresult(kmt::InvalidateCache(device.client(), &call));
}

}  // namespace

void fill_lock_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::Lock, lock>(table.pfnLockCb);
  fill<Callback::Unlock, unlock>(table.pfnUnlockCb);
  fill<Callback::Lock2, lock2>(table.pfnLock2Cb);
  fill<Callback::Unlock2, unlock2>(table.pfnUnlock2Cb);
  fill<Callback::InvalidateCache, invalidate_cache>(table.pfnInvalidateCacheCb);
}

}  // namespace umd
