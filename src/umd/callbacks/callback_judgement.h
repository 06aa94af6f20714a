#pragma once

#include <span>

#include "kmt/client/scratch.h"
#include "umd/callbacks/callback.h"

// What the callbacks judge in common. A mistake of the driver's is one finding and E_INVALIDARG; the kernel, which
// would report it again, is not called.
namespace umd {

// Reads a list in the driver's memory, once. The memory may be unmapped.
template <typename T, size_t N>
HRESULT read_list(Device& device, const T* list, UINT count, kmt::Scratch<T, N>& copy) {
  if (base::Result<> made = copy.make(count); !made.ok()) return to_hresult(made.status());
  return to_hresult(device.client().memory().read(copy.span(), list).status());
}

// Each is a live allocation of the device.
HRESULT judge_allocations(Device& device, Callback callback, std::span<const D3DKMT_HANDLE> handles);
HRESULT judge_allocations(Device& device, Callback callback, const D3DKMT_HANDLE* list, UINT count);
// A live allocation of the device; or one of another device of the process, which the kernel checks; or none (0).
HRESULT judge_not_dead(Device& device, Callback callback, D3DKMT_HANDLE handle);

// The kernel's handle of a resource that the driver names by the runtime's.
HRESULT find_resource(Device& device, Callback callback, HANDLE handle, D3DKMT_HANDLE* kernel);

// The callback makes its thread wait for the GPU. Remembered for the judgement of the driver's Flush, or of a lock that
// must not wait.
inline void note_wait(Device& device) {
  Frame* frame = device.frame();
  if (frame && (frame->role == Role::Flush || !frame->may_wait)) frame->waited = true;
}

// The callback releases memory of a resource that is destroyed, if it names one.
inline void note_release(Device& device) {
  if (Frame* frame = device.frame()) frame->released |= frame->waited;
}

}  // namespace umd
