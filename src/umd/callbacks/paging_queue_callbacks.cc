// pfnCreatePagingQueueCb, pfnDestroyPagingQueueCb.
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/callbacks/residency_callbacks.h"

namespace umd {
namespace {

HRESULT create_paging_queue(Device& device, D3DDDICB_CREATEPAGINGQUEUE& args) {
  D3DKMT_CREATEPAGINGQUEUE call{};
  call.hDevice = device.kernel();
  call.Priority = static_cast<D3DDDI_PAGINGQUEUE_PRIORITY>(kmt::raw(args.Priority));
  call.PhysicalAdapterIndex = args.PhysicalAdapterIndex;
  HRESULT result = to_hresult(kmt::CreatePagingQueue(device.client(), &call));
  if (FAILED(result)) return result;
  args.hPagingQueue = call.hPagingQueue;
  args.hSyncObject = call.hSyncObject;
  args.FenceValueCPUVirtualAddress = call.FenceValueCPUVirtualAddress;
  return result;
}

// Waits for everything that was queued (documented).
HRESULT destroy_paging_queue(Device& device, const D3DDDI_DESTROYPAGINGQUEUE& args) {
  note_wait(device);
  D3DDDI_DESTROYPAGINGQUEUE call = args;
  return to_hresult(kmt::DestroyPagingQueue(device.client(), &call));
}

}  // namespace

void fill_paging_queue_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::CreatePagingQueue, create_paging_queue>(table.pfnCreatePagingQueueCb);
  fill<Callback::DestroyPagingQueue, destroy_paging_queue>(table.pfnDestroyPagingQueueCb);
}

}  // namespace umd
