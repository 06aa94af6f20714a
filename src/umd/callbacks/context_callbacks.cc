// pfnCreateContextCb, pfnCreateContextVirtualCb, pfnDestroyContextCb. What the driver gets is a handle of the
// runtime's.
#include <vector>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/common/context_use.h"

namespace umd {
namespace {

// DXGK_ENGINE_TYPE's page. One of another kind may be able to, whatever its kind is called.
bool draws(DXGK_ENGINE_TYPE engine) {
  switch (engine) {
    case DXGK_ENGINE_TYPE_COPY:
    case DXGK_ENGINE_TYPE_CRYPTO:
    case DXGK_ENGINE_TYPE_OVERLAY:
    case DXGK_ENGINE_TYPE_VIDEO_CODEC:
    case DXGK_ENGINE_TYPE_VIDEO_DECODE:
    case DXGK_ENGINE_TYPE_VIDEO_ENCODE:
      return false;
    default:
      return true;
  }
}

bool can_draw(Device& device, UINT node) {
  D3DKMT_NODEMETADATA answer{};
  answer.NodeOrdinalAndAdapterIndex = node;
  D3DKMT_QUERYADAPTERINFO args{};
  args.hAdapter = device.kernel_adapter();
  args.Type = KMTQAITYPE_NODEMETADATA;
  args.pPrivateDriverData = &answer;
  args.PrivateDriverDataSize = sizeof(answer);
  return !NT_SUCCESS(kmt::QueryAdapterInfo(device.client(), &args)) || draws(answer.NodeData.EngineType);
}

// Asked once there are several contexts: a submission to one of them then contains only what its engine can do.
void learn_engines(Device& device) {
  std::vector<std::pair<HANDLE, UINT>> unknown;
  {
    RuntimeGuard guard(device.runtime.lock);
    if (!device.contexts().several()) return;
    for (const auto& context : device.contexts()) {
      if (!context->engine_known) unknown.emplace_back(context->handle, context->node);
    }
  }
  for (auto [handle, node] : unknown) {
    bool answer = can_draw(device, node);
    RuntimeGuard guard(device.runtime.lock);
    for (const auto& context : device.contexts()) {
      if (context->handle != handle) continue;
      context->engine_known = true;
      context->can_draw = answer;
    }
  }
}

Context& remember(Device& device, D3DKMT_HANDLE kernel, UINT node, bool virtual_addresses)
    REQUIRES(device.runtime.lock) {
  Context& context = device.contexts().add();
  context.handle = device.runtime.handles.add(HandleKind::Context, &context);
  context.kernel = kernel;
  context.node = node;
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

// The new context, and the buffers for its first submission.
void lend(Device& device, D3DDDICB_CREATECONTEXT& args, const D3DKMT_CREATECONTEXT& call) {
  RuntimeGuard guard(device.runtime.lock);
  Context& context = remember(device, call.hContext, args.NodeOrdinal, false);
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
}

HRESULT create(Device& device, D3DDDICB_CREATECONTEXT& args) {
  auto call = creation<D3DKMT_CREATECONTEXT>(device, args);
  HRESULT result = to_hresult(kmt::CreateContext(device.client(), &call));
  if (FAILED(result)) return result;
  lend(device, args, call);
  learn_engines(device);
  return result;
}

HRESULT create_virtual(Device& device, D3DDDICB_CREATECONTEXTVIRTUAL& args) {
  auto call = creation<D3DKMT_CREATECONTEXTVIRTUAL>(device, args);
  HRESULT result = to_hresult(kmt::CreateContextVirtual(device.client(), &call));
  if (FAILED(result)) return result;
  {
    RuntimeGuard guard(device.runtime.lock);
    args.hContext = remember(device, call.hContext, args.NodeOrdinal, true).handle;
  }
  learn_engines(device);
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
