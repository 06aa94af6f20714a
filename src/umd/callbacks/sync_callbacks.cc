// pfn{Create,Destroy}SynchronizationObject(2)Cb, pfn{WaitFor,Signal}SynchronizationObjectFromCpuCb. The objects are the
// kernel's, and so are the driver's names for them.
#include "umd/callbacks/sync_callbacks.h"

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"

namespace umd {
namespace {

template <typename Call, typename Args>
HRESULT create_with(Device& device, Args& args, NTSTATUS (*thunk)(kmt::Client&, Call*)) {
  Call call{};
  call.hDevice = device.kernel();
  call.Info = args.Info;
  HRESULT result = to_hresult(thunk(device.client(), &call));
  if (FAILED(result)) return result;
  args.Info = call.Info;
  args.hSyncObject = call.hSyncObject;
  return result;
}

HRESULT create(Device& device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT& args) {
  return create_with(device, args, &kmt::CreateSynchronizationObject);
}

HRESULT create2(Device& device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT2& args) {
  return create_with(device, args, &kmt::CreateSynchronizationObject2);
}

HRESULT destroy(Device& device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT& args) {
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT call{.hSyncObject = args.hSyncObject};
  return to_hresult(kmt::DestroySynchronizationObject(device.client(), &call));
}

HRESULT wait_from_cpu(Device& device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args) {
  if (!args.hAsyncEvent) note_wait(device);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU call{};
  call.hDevice = device.kernel();
  call.ObjectCount = args.ObjectCount;
  call.ObjectHandleArray = args.ObjectHandleArray;
  call.FenceValueArray = args.FenceValueArray;
  call.hAsyncEvent = args.hAsyncEvent;
  call.Flags = args.Flags;
  return to_hresult(kmt::WaitForSynchronizationObjectFromCpu(device.client(), &call));
}

HRESULT signal_from_cpu(Device& device, D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU call{};
  call.hDevice = device.kernel();
  call.ObjectCount = args.ObjectCount;
  call.ObjectHandleArray = args.ObjectHandleArray;
  call.FenceValueArray = args.FenceValueArray;
  return to_hresult(kmt::SignalSynchronizationObjectFromCpu(device.client(), &call));
}

}  // namespace

void fill_sync_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::CreateSynchronizationObject, create>(table.pfnCreateSynchronizationObjectCb);
  fill<Callback::CreateSynchronizationObject2, create2>(table.pfnCreateSynchronizationObject2Cb);
  fill<Callback::DestroySynchronizationObject, destroy>(table.pfnDestroySynchronizationObjectCb);
  fill<Callback::WaitForSynchronizationObjectFromCpu, wait_from_cpu>(table.pfnWaitForSynchronizationObjectFromCpuCb);
  fill<Callback::SignalSynchronizationObjectFromCpu, signal_from_cpu>(table.pfnSignalSynchronizationObjectFromCpuCb);
  fill_queue_sync_callbacks(table);
}

}  // namespace umd
