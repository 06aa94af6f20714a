// D3DKMTCreateContext, D3DKMTCreateContextVirtual, D3DKMTDestroyContext, D3DKMT{Set,Get}ContextSchedulingPriority,
// D3DKMT{Set,Get}ContextInProcessSchedulingPriority.
#include "dxgk/object/context.h"

#include "dxgk/object/unpublished_handle.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/gpu.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::Context;
using Opened = dxgk::UnpublishedHandle<Context>;

constexpr UINT kMostPrivateData = 1u << 20;  // ours: no limit is documented
constexpr INT kPriorityLimit = 7;            // documented: from -7 to +7

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// What the two functions that create a context have in common. The driver may write into the private data, and the
// client sees it.
template <typename Args>
base::Result<Opened> create_with(Client& client, const Args& args, bool virtual_addressing) {
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  if (args.PrivateDriverDataSize > kMostPrivateData) return refuse("more private data than a context can have");
  ByteScratch data;
  TRY(data.make(args.PrivateDriverDataSize));
  TRY(client.memory().read(data.span(), args.pPrivateDriverData));
  Context::Request request{args.NodeOrdinal, args.EngineAffinity, args.Flags, virtual_addressing};
  Opened context = TRY(Opened::make(client.process(), TRY(Context::create(*device, request, data.span()))));
  context->handle = context.handle();
  TRY(client.memory().write(args.pPrivateDriverData, std::span<const uint8_t>(data.span())));
  return context;
}

// --- Priorities ---

base::Result<> check_priority(INT priority) {
  if (priority < -kPriorityLimit || priority > kPriorityLimit) return refuse("a priority outside of -7 to 7");
  return {};
}

template <typename Args>
base::Result<> set_priority(Client& client, const Args* user, int32_t Context::*field) {
  auto args = TRY(client.memory().read(user));
  base::Ref<Context> context = TRY(client.find<Context>(args.hContext));
  TRY(check_priority(args.Priority));
  dxgk::ParkingLock lock(context->device().mutex());
  TRY(context->usable());
  (*context).*field = args.Priority;
  context->adapter().gpu().set_priority(*context);
  return {};
}

template <typename Args>
base::Result<> get_priority(Client& client, Args* user, int32_t Context::*field) {
  auto args = TRY(client.memory().read(user));
  base::Ref<Context> context = TRY(client.find<Context>(args.hContext));
  dxgk::ParkingLock lock(context->device().mutex());
  args.Priority = (*context).*field;
  return client.memory().write(user, args);
}

}  // namespace

Answer serve::CreateContext(Client& client, D3DKMT_CREATECONTEXT* user) {
  if (client.like_wsl()) return base::Failure(STATUS_NOT_SUPPORTED, "WSL has no such function");
  auto args = TRY(client.memory().read(user));
  Opened context = TRY(create_with(client, args, false));
  dxgk::CommandBuffers& buffers = TRY(context->make_command_buffers()).get();
  args.hContext = context.handle();
  args.pCommandBuffer = buffers.commands();
  args.CommandBufferSize = buffers.command_bytes();
  args.pAllocationList = buffers.allocations();
  args.AllocationListSize = buffers.allocation_count();
  args.pPatchLocationList = buffers.patches();
  args.PatchLocationListSize = buffers.patch_count();
  args.CommandBuffer = 0;
  TRY(client.memory().write(user, args));
  context.publish();
  return {};
}

// Declared as if it wrote nothing; the handle comes back in it (documented).
Answer serve::CreateContextVirtual(Client& client, const D3DKMT_CREATECONTEXTVIRTUAL* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (!device->adapter().caps().gpu_mmu) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the adapter has no GPU virtual addresses");
  }
  Opened context = TRY(create_with(client, args, true));
  args.hContext = context.handle();
  TRY(client.memory().write(const_cast<D3DKMT_CREATECONTEXTVIRTUAL*>(user), args));
  context.publish();
  return {};
}

Answer serve::DestroyContext(Client& client, const D3DKMT_DESTROYCONTEXT* user) {
  auto args = TRY(client.memory().read(user));
  auto closed = dxgk::close_handle<Context>(client.process(), args.hContext);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  return {};
}

Answer serve::SetContextSchedulingPriority(Client& client, const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY* user) {
  return set_priority(client, user, &Context::priority);
}

Answer serve::GetContextSchedulingPriority(Client& client, D3DKMT_GETCONTEXTSCHEDULINGPRIORITY* user) {
  return get_priority(client, user, &Context::priority);
}

Answer serve::SetContextInProcessSchedulingPriority(Client& client,
                                                    const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY* user) {
  return set_priority(client, user, &Context::in_process_priority);
}

Answer serve::GetContextInProcessSchedulingPriority(Client& client,
                                                    D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY* user) {
  return get_priority(client, user, &Context::in_process_priority);
}

}  // namespace kmt
