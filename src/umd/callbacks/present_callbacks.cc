// pfnPresentCb: the driver names what the program's present is made of.
#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/callbacks/submission_callbacks.h"

namespace umd {
namespace {

// What the program requested; false where it is not presenting: then there are no rectangles to copy.
bool copy_request(Device& device, D3DKMT_PRESENT& call) {
  RuntimeGuard guard(device.runtime.lock);
  const D3DKMT_PRESENT* request = device.contexts().presenting;
  if (request) call = *request;
  return request != nullptr;
}

// 0 names none: no source is a fill, and no destination one that the kernel would have to find.
HRESULT judge_allocation(Device& device, D3DKMT_HANDLE handle) {
  return handle ? judge_allocations(device, Callback::Present, {&handle, 1}) : S_OK;
}

HRESULT judge(Device& device, ContextUse& use, const D3DDDICB_PRESENT& args) {
  if (args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return E_INVALIDARG;
  if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
  if (HRESULT refusal = use.add({args.BroadcastContext, args.BroadcastContextCount}); FAILED(refusal)) return refusal;
  if (HRESULT refusal = judge_allocation(device, args.hSrcAllocation); FAILED(refusal)) return refusal;
  return judge_allocation(device, args.hDstAllocation);
}

HRESULT present(Device& device, const D3DDDICB_PRESENT& args) {
  ContextUse use(device, Callback::Present);
  if (HRESULT refusal = judge(device, use, args); FAILED(refusal)) return refusal;
  D3DKMT_PRESENT call{};
  if (!copy_request(device, call)) return E_INVALIDARG;
  call.hContext = use.first().kernel;
  call.hSource = args.hSrcAllocation;
  call.hDestination = args.hDstAllocation;
  call.Flags.Blt = call.Flags.SrcRectValid = args.hSrcAllocation != 0;
  call.Flags.ColorFill = args.hSrcAllocation == 0;
  if (call.Flags.ColorFill) call.pSrcSubRects = &call.DstRect;
  call.BroadcastContextCount = args.BroadcastContextCount;
  use.copy_kernel_handles(1, call.BroadcastContext);
  call.BroadcastSrcAllocation = args.BroadcastSrcAllocation;
  call.BroadcastDstAllocation = args.BroadcastDstAllocation;
  call.PrivateDriverDataSize = args.PrivateDriverDataSize;
  call.pPrivateDriverData = args.pPrivateDriverData;
  call.bOptimizeForComposition = args.bOptimizeForComposition;
  HRESULT result = to_hresult(kmt::Present(device.client(), &call));
  if (SUCCEEDED(result)) note_submission(device, use);
  return result;
}

}  // namespace

void fill_present_callbacks(D3DDDI_DEVICECALLBACKS& table) { fill<Callback::Present, present>(table.pfnPresentCb); }

}  // namespace umd
