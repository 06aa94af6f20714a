// The CPU's access to surfaces. Where commands are patched the kernel keeps CPU and GPU apart and renames what is
// discarded; where they have addresses both are the driver's business (pfnLockCb, pfnLock2Cb).
#include "device.h"

namespace softgpu {

HRESULT Device::map(Resource& resource, Surface& surface, Access access, Wait wait, uint8_t** bytes) {
  if (surface.system) {
    *bytes = surface.system;
    ++surface.locks;
    return S_OK;
  }
  if (surface.locks == 0) {
    if (access == Access::Discard && resource.shared) access = Access::Write;
    HRESULT result = resource.opened        ? map_shadow(surface, access)
                     : virtual_addressing() ? map_virtual(resource, surface, access, wait)
                                            : map_patched(resource, surface, access, wait);
    if (FAILED(result)) return result;
  }
  ++surface.locks;
  *bytes = surface.mapped;
  return S_OK;
}

HRESULT Device::unmap(Surface& surface) {
  if (surface.locks == 0) return E_INVALIDARG;
  if (surface.locks == 1 && surface.mapped) {
    HRESULT result = surface.shadow ? unmap_shadow(surface, surface.shadow_written) : unlock(surface);
    if (FAILED(result)) return result;
  }
  --surface.locks;
  return S_OK;
}

HRESULT Device::unmap_all(Surface& surface) {
  HRESULT result = S_OK;
  if (surface.mapped) result = surface.shadow ? unmap_shadow(surface, false) : unlock(surface);
  if (SUCCEEDED(result)) surface.locks = 0;
  return result;
}

// --- Where commands are patched ---

HRESULT Device::map_patched(Resource&, Surface& surface, Access access, Wait wait) {
  if (access == Access::Discard) return rename_patched(surface);
  D3DDDICB_LOCKFLAGS flags = {};
  flags.LockEntire = 1;
  flags.ReadOnly = access == Access::Read;
  flags.DonotWait = wait == Wait::No || access == Access::Append;
  flags.IgnoreSync = access == Access::Append;
  if (access == Access::Append)
    return lock_patched(surface, flags);  // the batch, which may be another thread's, is not asked
  const Allocation& memory = *surface.current;
  bool needed = access == Access::Read ? context_->writes(memory) : context_->uses(memory);
  HRESULT result = needed ? flush() : S_OK;
  return FAILED(result) ? result : lock_patched(surface, flags);
}

// When no instance is left the batch may hold one that is not needed any more.
HRESULT Device::rename_patched(Surface& surface) {
  D3DDDICB_LOCKFLAGS flags = {};
  flags.LockEntire = 1;
  flags.Discard = 1;
  HRESULT result = lock_patched(surface, flags);
  if (SUCCEEDED(result) || result == D3DDDIERR_DEVICEREMOVED) return result;
  result = flush();
  if (FAILED(result)) return result;
  flags.NoExistingReference = 1;
  return lock_patched(surface, flags);
}

HRESULT Device::lock_patched(Surface& surface, D3DDDICB_LOCKFLAGS flags) {
  Allocation& memory = *surface.current;
  D3DDDICB_LOCK args = {};
  args.hAllocation = memory.handle;
  args.Flags = flags;
  HRESULT result = kernel_.call.pfnLockCb(kernel_.device, &args);
  if (FAILED(result)) return result;
  if (args.hAllocation != memory.handle) {
    context_->forget(memory);
    memory.handle = args.hAllocation;
  }
  surface.mapped = static_cast<uint8_t*>(args.pData);
  return S_OK;
}

// --- Where commands have addresses ---

HRESULT Device::map_virtual(Resource& resource, Surface& surface, Access access, Wait wait) {
  if (access == Access::Discard) {
    HRESULT result = rename_virtual(resource, surface);
    if (FAILED(result)) return result;
  }
  if (access == Access::Read || access == Access::Write) {
    const Allocation& memory = *surface.current;
    uint64_t batch = access == Access::Read ? memory.last_write : memory.last_use;
    bool unsubmitted = access == Access::Read ? context_->writes(memory) : context_->uses(memory);
    HRESULT result = unsubmitted ? flush() : S_OK;
    if (SUCCEEDED(result) && wait == Wait::No && !context_->done(batch)) return D3DDDIERR_WASSTILLDRAWING;
    if (SUCCEEDED(result)) result = context_->wait(batch);
    if (FAILED(result)) return result;
  }
  return lock_virtual(surface);
}

// The next instance if the GPU is done with it, else a new one. Without memory for that, which is only there for speed,
// or when there are many, the next one has to be waited for.
HRESULT Device::rename_virtual(Resource& resource, Surface& surface) {
  if (!context_->uses(*surface.current) && context_->done(surface.current->last_use)) return S_OK;
  const Allocation& next = *surface.current->next;
  bool idle = !context_->uses(next) && context_->done(next.last_use);
  if (!idle && surface.instances < kMostInstances) {
    HRESULT result = add_instance(kernel_, resource, surface);
    if (FAILED(result) && result != E_OUTOFMEMORY) return result;
    idle = SUCCEEDED(result);
  }
  if (!idle) {
    HRESULT result = context_->uses(next) ? flush() : S_OK;
    if (SUCCEEDED(result)) result = context_->wait(next.last_use);
    if (FAILED(result)) return result;
  }
  surface.current = surface.current->next;
  return S_OK;
}

HRESULT Device::lock_virtual(Surface& surface) {
  D3DDDICB_LOCK2 args = {};
  args.hAllocation = surface.current->handle;
  HRESULT result = kernel_.call.pfnLock2Cb(kernel_.device, &args);
  if (SUCCEEDED(result)) surface.mapped = static_cast<uint8_t*>(args.pData);
  return result;
}

HRESULT Device::unlock(Surface& surface) {
  HRESULT result;
  if (virtual_addressing()) {
    D3DDDICB_UNLOCK2 args = {surface.current->handle};
    result = kernel_.call.pfnUnlock2Cb(kernel_.device, &args);
  } else {
    D3DDDICB_UNLOCK args = {1, &surface.current->handle};
    result = kernel_.call.pfnUnlockCb(kernel_.device, &args);
  }
  if (SUCCEEDED(result)) surface.mapped = nullptr;
  return result;
}

}  // namespace softgpu
