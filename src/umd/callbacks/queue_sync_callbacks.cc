// pfnWaitForSynchronizationObject(2)Cb, pfnSignalSynchronizationObject(2)Cb, their FromGpu forms: synchronisation in
// the queues of contexts. None of them makes the driver's thread wait.
#include <algorithm>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/callbacks/sync_callbacks.h"
#include "umd/common/context_use.h"

namespace umd {
namespace {

template <typename Call>
using Thunk = NTSTATUS (*)(kmt::Client&, const Call*);

// --- One context, and objects in the structure itself ---

// `more` fills in what the versions do not have in common.
template <typename Call, typename Args, typename More>
HRESULT with_objects(Device& device, Callback callback, const Args& args, Thunk<Call> thunk, More&& more) {
  Call call{};
  if (args.ObjectCount > std::size(call.ObjectHandleArray)) return E_INVALIDARG;
  ContextUse use(device, callback);
  if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
  call.hContext = use.first().kernel;
  call.ObjectCount = args.ObjectCount;
  std::copy_n(args.ObjectHandleArray, args.ObjectCount, call.ObjectHandleArray);
  if (HRESULT refusal = more(call, use); FAILED(refusal)) return refusal;
  return to_hresult(thunk(device.client(), &call));
}

HRESULT wait(Device& device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT& args) {
  return with_objects(device, Callback::WaitForSynchronizationObject, args, &kmt::WaitForSynchronizationObject,
                      [](D3DKMT_WAITFORSYNCHRONIZATIONOBJECT&, ContextUse&) { return S_OK; });
}

HRESULT wait2(Device& device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT2& args) {
  return with_objects(device, Callback::WaitForSynchronizationObject2, args, &kmt::WaitForSynchronizationObject2,
                      [&](D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2& call, ContextUse&) {
                        call.Fence.FenceValue = args.FenceValue;
                        return S_OK;
                      });
}

HRESULT signal(Device& device, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT& args) {
  return with_objects(device, Callback::SignalSynchronizationObject, args, &kmt::SignalSynchronizationObject,
                      [&](D3DKMT_SIGNALSYNCHRONIZATIONOBJECT& call, ContextUse&) {
                        call.Flags = args.Flags;
                        return S_OK;
                      });
}

HRESULT signal2(Device& device, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2& args) {
  if (args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return E_INVALIDARG;
  return with_objects(device, Callback::SignalSynchronizationObject2, args, &kmt::SignalSynchronizationObject2,
                      [&](D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2& call, ContextUse& use) {
                        HRESULT refusal = use.add({args.BroadcastContext, args.BroadcastContextCount});
                        if (FAILED(refusal)) return refusal;
                        call.Flags = args.Flags;
                        call.BroadcastContextCount = args.BroadcastContextCount;
                        use.copy_kernel_handles(1, call.BroadcastContext);
                        if (args.Flags.EnqueueCpuEvent) {
                          call.CpuEventHandle = args.CpuEventHandle;
                        } else {
                          call.Fence.FenceValue = args.FenceValue;
                        }
                        return S_OK;
                      });
}

// --- Objects in a list ---

template <typename Call, typename Args>
HRESULT with_list(Device& device, Callback callback, const Args& args, Thunk<Call> thunk) {
  ContextUse use(device, callback);
  if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
  Call call{};
  call.hContext = use.first().kernel;
  call.ObjectCount = args.ObjectCount;
  call.ObjectHandleArray = args.ObjectHandleArray;
  std::copy(std::begin(args.Reserved), std::end(args.Reserved), call.Reserved);
  return to_hresult(thunk(device.client(), &call));
}

HRESULT wait_from_gpu(Device& device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& args) {
  return with_list(device, Callback::WaitForSynchronizationObjectFromGpu, args,
                   &kmt::WaitForSynchronizationObjectFromGpu);
}

HRESULT signal_from_gpu(Device& device, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& args) {
  return with_list(device, Callback::SignalSynchronizationObjectFromGpu, args,
                   &kmt::SignalSynchronizationObjectFromGpu);
}

HRESULT signal_from_gpu2(Device& device, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2& args) {
  if (args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return E_INVALIDARG;
  kmt::Scratch<HANDLE, D3DDDI_MAX_BROADCAST_CONTEXT> handles;
  if (HRESULT refusal = read_list(device, args.BroadcastContextArray, args.BroadcastContextCount, handles);
      FAILED(refusal)) {
    return refusal;
  }
  ContextUse use(device, Callback::SignalSynchronizationObjectFromGpu2);
  if (HRESULT refusal = use.add(handles.span()); FAILED(refusal)) return refusal;
  D3DKMT_HANDLE contexts[D3DDDI_MAX_BROADCAST_CONTEXT];
  use.copy_kernel_handles(0, contexts);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 call{};
  call.ObjectCount = args.ObjectCount;
  call.ObjectHandleArray = args.ObjectHandleArray;
  call.Flags = args.Flags;
  call.BroadcastContextCount = args.BroadcastContextCount;
  call.BroadcastContextArray = contexts;
  std::copy(std::begin(args.Reserved), std::end(args.Reserved), call.Reserved);
  return to_hresult(kmt::SignalSynchronizationObjectFromGpu2(device.client(), &call));
}

}  // namespace

void fill_queue_sync_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::WaitForSynchronizationObject, wait>(table.pfnWaitForSynchronizationObjectCb);
  fill<Callback::WaitForSynchronizationObject2, wait2>(table.pfnWaitForSynchronizationObject2Cb);
  fill<Callback::SignalSynchronizationObject, signal>(table.pfnSignalSynchronizationObjectCb);
  fill<Callback::SignalSynchronizationObject2, signal2>(table.pfnSignalSynchronizationObject2Cb);
  fill<Callback::WaitForSynchronizationObjectFromGpu, wait_from_gpu>(table.pfnWaitForSynchronizationObjectFromGpuCb);
  fill<Callback::SignalSynchronizationObjectFromGpu, signal_from_gpu>(table.pfnSignalSynchronizationObjectFromGpuCb);
  fill<Callback::SignalSynchronizationObjectFromGpu2, signal_from_gpu2>(table.pfnSignalSynchronizationObjectFromGpu2Cb);
}

}  // namespace umd
