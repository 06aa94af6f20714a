#pragma once

#include <span>

#include "kmt/scratch.h"
#include "umd/callback.h"

// What the callbacks judge in common. A mistake of the driver's is one finding and E_INVALIDARG, and the kernel, which
// would find it again, is not asked.
namespace umd {

// A list in the driver's memory, which may not be there: read once.
template <typename T, size_t N>
HRESULT read_list(Device& device, const T* list, UINT count, kmt::Scratch<T, N>& copy) {
  if (base::Result<> made = copy.make(count); !made.ok()) return to_hresult(made.status());
  return to_hresult(device.client().memory().read(copy.span(), list).status());
}

// Each is a live allocation of the device.
HRESULT judge_allocations(Device& device, Callback callback, std::span<const D3DKMT_HANDLE> handles);
HRESULT judge_allocations(Device& device, Callback callback, const D3DKMT_HANDLE* list, UINT count);
// … or of another device of the process, which the kernel knows; or none (0).
HRESULT judge_not_dead(Device& device, Callback callback, D3DKMT_HANDLE handle);

// The kernel's handle of a resource that the driver names by the runtime's.
HRESULT find_resource(Device& device, Callback callback, HANDLE handle, D3DKMT_HANDLE* kernel);

// The callback makes its thread wait for the GPU. Whoever judges the driver's Flush, or a lock that shall not wait,
// wants to know.
inline void note_wait(Device& device) {
  Frame* frame = device.frame();
  if (frame && (frame->role == Role::Flush || !frame->may_wait)) frame->waited = true;
}

// The callback releases memory of a resource that is destroyed, if it names one.
inline void note_release(Device& device) {
  if (Frame* frame = device.frame()) frame->released |= frame->waited;
}

}  // namespace umd
