#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi/um/d3dumddi.h"
#include "nt/boundary/kernel_code.h"
#include "nt/boundary/own_scope.h"
#include "umd/common/device.h"
#include "umd/common/hresult.h"

// What a user-mode driver may call on its device, and the class that every such function begins with.
namespace umd {

// Every slot of the version, filled; those that are not served refuse by name.
void fill_device_callbacks(D3DDDI_DEVICECALLBACKS& table, Era era);
// The parts of it by noun, each in a file of that name.
void fill_memory_callbacks(D3DDDI_DEVICECALLBACKS& table);      // allocate, deallocate
void fill_lock_callbacks(D3DDDI_DEVICECALLBACKS& table);        // lock, unlock and their second forms, invalidate
void fill_residency_callbacks(D3DDDI_DEVICECALLBACKS& table);   // residency, priority, offers, GPU addresses, queues
void fill_context_callbacks(D3DDDI_DEVICECALLBACKS& table);     // contexts
void fill_submission_callbacks(D3DDDI_DEVICECALLBACKS& table);  // render, submit, present, escape, markers
void fill_sync_callbacks(D3DDDI_DEVICECALLBACKS& table);        // synchronisation objects

// The first statement of every callback of a device: finds the device, judges the thread, and may refuse on purpose.
class CallbackCall {
 public:
  CallbackCall(Callback callback, HANDLE device);

  // Null after a finding: then the answer is E_INVALIDARG.
  Device* device() const { return device_; }
  // What the test wants it to fail with; S_OK: nothing.
  HRESULT wanted_failure() const { return wanted_; }
  // The last thing that a callback does: the answer is remembered with the driver's function that called.
  HRESULT finish(HRESULT result);
  HRESULT unsupported();

 private:
  nt::KernelCode code_;
  nt::OwnScope kernel_;
  Callback callback_;
  Device* device_ = nullptr;
  HRESULT wanted_ = S_OK;
};

// A slot of the table, served by serve(Device&, Args&). A driver that passes no arguments is answered E_INVALIDARG.
template <Callback callback, auto serve, typename Args>
HRESULT APIENTRY served(HANDLE device, Args* args) {
  CallbackCall call(callback, device);
  if (!call.device() || !args) return call.finish(E_INVALIDARG);
  if (call.wanted_failure() != S_OK) return call.finish(call.wanted_failure());
  return call.finish(serve(*call.device(), *args));
}

// fill<Callback::Allocate, allocate>(table.pfnAllocateCb)
template <Callback callback, auto serve, typename Args>
void fill(HRESULT (*&slot)(HANDLE, Args*)) {
  slot = &served<callback, serve, Args>;
}

}  // namespace umd
