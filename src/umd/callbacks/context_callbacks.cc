// pfnCreateContextCb, pfnCreateContextVirtualCb, pfnDestroyContextCb. What the driver gets is a handle of the
// runtime's.
#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/common/context_use.h"

namespace umd {
namespace {

Context& remember(Device& device, D3DKMT_HANDLE kernel, bool virtual_addresses) REQUIRES(device.runtime.lock) {
  Context& context = device.contexts().add();
  context.handle = device.runtime.handles.add(HandleKind::Context, &context);
  context.kernel = kernel;
  context.virtual_addresses = virtual_addresses;
  return context;
}

// What both functions that create a context have in common.
template <typename Call, typename Args>
Call creation(Device& device, const Args& args) {
  Call call{};
  call.hDevice = device.kernel();
  call.NodeOrdinal = args.NodeOrdinal;
  call.EngineAffinity = args.EngineAffinity;
  call.Flags = args.Flags;
  call.pPrivateDriverData = args.pPrivateDriverData;
  call.PrivateDriverDataSize = args.PrivateDriverDataSize;
  return call;
}

HRESULT create(Device& device, D3DDDICB_CREATECONTEXT& args) {
  auto call = creation<D3DKMT_CREATECONTEXT>(device, args);
  HRESULT result = to_hresult(kmt::CreateContext(device.client(), &call));
  if (FAILED(result)) return result;
  RuntimeGuard guard(device.runtime.lock);
  Context& context = remember(device, call.hContext, false);
  context.command_buffer = context.buffers.lend(static_cast<uint8_t*>(call.pCommandBuffer), call.CommandBufferSize);
  context.command_buffer_bytes = call.CommandBufferSize;
  context.allocation_list = call.pAllocationList;
  context.allocation_list_size = call.AllocationListSize;
  context.patch_list = call.pPatchLocationList;
  context.patch_list_size = call.PatchLocationListSize;
  args.hContext = context.handle;
  args.pCommandBuffer = context.command_buffer;
  args.CommandBufferSize = call.CommandBufferSize;
  args.pAllocationList = call.pAllocationList;
  args.AllocationListSize = call.AllocationListSize;
  args.pPatchLocationList = call.pPatchLocationList;
  args.PatchLocationListSize = call.PatchLocationListSize;
  args.CommandBuffer = call.CommandBuffer;
  return result;
}

HRESULT create_virtual(Device& device, D3DDDICB_CREATECONTEXTVIRTUAL& args) {
  auto call = creation<D3DKMT_CREATECONTEXTVIRTUAL>(device, args);
  HRESULT result = to_hresult(kmt::CreateContextVirtual(device.client(), &call));
  if (FAILED(result)) return result;
  RuntimeGuard guard(device.runtime.lock);
  args.hContext = remember(device, call.hContext, true).handle;
  return result;
}

// Blocks until the context has finished what is queued to it (documented).
HRESULT destroy(Device& device, const D3DDDICB_DESTROYCONTEXT& args) {
  ContextUse use(device, Callback::DestroyContext);
  if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
  note_wait(device);
  D3DKMT_DESTROYCONTEXT call{.hContext = use.first().kernel};
  HRESULT result = to_hresult(kmt::DestroyContext(device.client(), &call));
  if (SUCCEEDED(result)) use.destroyed();
  return result;
}

}  // namespace

void fill_context_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::CreateContext, create>(table.pfnCreateContextCb);
  fill<Callback::CreateContextVirtual, create_virtual>(table.pfnCreateContextVirtualCb);
  fill<Callback::DestroyContext, destroy>(table.pfnDestroyContextCb);
}

}  // namespace umd
