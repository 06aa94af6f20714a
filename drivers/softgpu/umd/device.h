// What every DDI's device is made of: the kernel's services, a context with its batch, resources, memory for uploads.
#pragma once

#include "adapter.h"
#include "context.h"
#include "resource.h"
#include "upload.h"

namespace softgpu {

// How the CPU uses memory.
enum class Access {
  Read,
  Write,    // and read
  Discard,  // all of it is written anew: other memory will do
  Append,   // nothing is written that commands use
};
enum class Wait { No, Yes };

// A device; the DDI's own one is derived from it. Its runtime calls it by one thread at a time.
//
// Commands are added to a batch, which is submitted when it is full, when its results are needed, or on request.
// A resource that is destroyed while the batch uses it is retired: its memory is given back after the batch was
// submitted, and the kernel sees to it that the GPU is done with it first.
class Device {
 public:
  HRESULT open(const Adapter& adapter, HANDLE runtime, const D3DDDI_DEVICECALLBACKS& callbacks);
  // Everything is given back, whatever fails; the first failure is returned.
  HRESULT close();

  const Adapter& adapter() const { return *adapter_; }
  const Kernel& kernel() const { return kernel_; }
  Context& context() { return *context_; }
  bool virtual_addressing() const { return adapter_->virtual_addressing(); }

  // --- Commands ---
  HRESULT add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count);
  HRESULT flush();
  HRESULT upload(uint64_t bytes, Slice* slice) { return upload_.take(*this, bytes, slice); }

  // --- Resources ---
  // Takes the resource in any case, and gives it memory; on failure it is gone.
  HRESULT create(Resource* resource);
  // Takes one that has its memory already.
  void adopt(Resource* resource);
  // Ends it, now or after the batch was submitted. On failure it lives on.
  HRESULT retire(Resource* resource);
  // The same without ever submitting.
  void defer(Resource* resource);
  // What was retired and can be given back.
  HRESULT release_retired();
  // The resource may not end before the batch that is being built was submitted.
  void keep(Resource& resource) { resource.kept = context_->batch(); }

  // --- The CPU's access (mapping.cc) ---
  // Locks nest; only the first and the last are the kernel's business. D3DDDIERR_WASSTILLDRAWING: Wait::No, and the GPU
  // is not done.
  HRESULT map(Resource& resource, Surface& surface, Access access, Wait wait, uint8_t** bytes);
  HRESULT unmap(Surface& surface);
  // Before the resource ends: what was written may be lost.
  HRESULT unmap_all(Surface& surface);

 private:
  HRESULT map_patched(Resource& resource, Surface& surface, Access access, Wait wait);
  HRESULT map_virtual(Resource& resource, Surface& surface, Access access, Wait wait);
  HRESULT rename_patched(Surface& surface);
  HRESULT rename_virtual(Resource& resource, Surface& surface);
  HRESULT lock_patched(Surface& surface, D3DDDICB_LOCKFLAGS flags);
  HRESULT lock_virtual(Surface& surface);
  HRESULT unlock(Surface& surface);

  // shadow.cc
  HRESULT map_shadow(Surface& surface, Access access);
  HRESULT unmap_shadow(Surface& surface, bool copy_back);

  void link(Resource* resource);
  void unlink(Resource* resource);
  HRESULT release_all();
  Resource* take_retired();
  // Whether commands that are not submitted yet need it.
  bool is_needed(const Resource& resource) const;

  const Adapter* adapter_ = nullptr;
  Kernel kernel_;
  Context* context_ = nullptr;
  Upload upload_;
  Resource* live_ = nullptr;
  // Those that are retired, the first one first.
  Resource* retired_ = nullptr;
  Resource* last_retired_ = nullptr;
  uint32_t retired_count_ = 0;
};

}  // namespace softgpu
