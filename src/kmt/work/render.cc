// D3DKMTRender.
#include "dxgk/work/render.h"

#include "dxgk/object/context.h"
#include "dxgk/work/command_buffers.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::CommandBuffers;
using dxgk::Context;
using AllocationScratch = Scratch<D3DDDI_ALLOCATIONLIST, 32>;
using PatchScratch = Scratch<D3DDDI_PATCHLOCATIONLIST, 32>;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> judge(const D3DKMT_RENDER& args) {
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  if (args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT)
    return refuse("more contexts than a broadcast can have");
  if (args.BroadcastContextCount) {
    return base::Failure(STATUS_NOT_SUPPORTED, "commands are not broadcast to several contexts");
  }
  if (args.Flags.PresentRedirected || args.Flags.RenderKm || args.Flags.RenderKmReadback) {
    return base::Failure(STATUS_NOT_SUPPORTED, "only the system renders and presents in this way");
  }
  return {};
}

base::Result<> judge(std::span<const D3DDDI_ALLOCATIONLIST> list) {
  for (const D3DDDI_ALLOCATIONLIST& element : list) {
    if (element.Reserved) return refuse("reserved bits of an element of the allocation list are set");
    if (element.OfferPriority) {
      return base::Failure(STATUS_NOT_SUPPORTED, "allocations are not offered with the commands that use them");
    }
  }
  return {};
}

CommandBuffers::Sizes sizes_of(const D3DKMT_RENDER& args) {
  CommandBuffers::Sizes sizes;
  if (args.Flags.ResizeCommandBuffer) sizes.command_bytes = args.NewCommandBufferSize;
  if (args.Flags.ResizeAllocationList) sizes.allocations = args.NewAllocationListSize;
  if (args.Flags.ResizePatchLocationList) sizes.patches = args.NewPatchLocationListSize;
  return sizes;
}

void tell(Context& context, const CommandBuffers& buffers, D3DKMT_RENDER& args) {
  args.pNewCommandBuffer = buffers.commands();
  args.NewCommandBufferSize = buffers.command_bytes();
  args.pNewAllocationList = buffers.allocations();
  args.NewAllocationListSize = buffers.allocation_count();
  args.pNewPatchLocationList = buffers.patches();
  args.NewPatchLocationListSize = buffers.patch_count();
  args.NewCommandBuffer = 0;
  args.QueuedBufferCount = static_cast<UINT>(context.work().queued() - context.work().completed());
}

// The lists are where the client was told to put them, and are read once: the client may write there during the call.
// With the mutex held.
base::Result<> submit(Client& client, Context& context, const D3DKMT_RENDER& args) {
  const CommandBuffers* buffers = context.command_buffers();
  if (!buffers) return refuse("the context takes no commands that are patched (US-07)");
  if (args.AllocationCount > buffers->allocation_count()) return refuse("more allocations than the list holds");
  if (args.PatchLocationCount > buffers->patch_count()) return refuse("more patch locations than the list holds");
  AllocationScratch allocations;
  PatchScratch patches;
  TRY(allocations.make(args.AllocationCount));
  TRY(patches.make(args.PatchLocationCount));
  TRY(client.memory().read(allocations.span(), buffers->allocations()));
  TRY(client.memory().read(patches.span(), buffers->patches()));
  TRY(judge(allocations.span()));
  auto listed = dxgk::look_up(context, allocations.span());
  if (!listed.ok()) {
    return client.refuse(nt::Violation::RenderDeadHandle, listed.status(), listed.failure().why());
  }
  for (const dxgk::ListedAllocation& one : listed.value()) {
    if (!one.written || !one.view || !(*one.view)->resource || !(*one.view)->resource->read_only) continue;
    client.remark(nt::Violation::ReadOnlyWritten, "commands write to an allocation that was opened for reading");
  }
  dxgk::RenderCall call;
  call.command_offset = args.CommandOffset;
  call.command_length = args.CommandLength;
  call.listed = listed.value();
  call.patches = patches.span();
  call.null_rendering = args.Flags.NullRendering;
  return dxgk::render(context, call);
}

}  // namespace

Answer serve::Render(Client& client, D3DKMT_RENDER* user) {
  if (client.like_wsl()) return base::Failure(STATUS_NOT_SUPPORTED, "WSL has no such function");
  auto args = TRY(client.memory().read(user));
  base::Ref<Context> context = TRY(client.find<Context>(args.hContext));
  TRY(judge(args));
  // What is queued cannot be taken back: whether the client's memory can be written is checked first.
  TRY(client.memory().probe_write(user));
  dxgk::ParkingLock lock(context->device().mutex());
  TRY(context->usable());
  TRY(submit(client, *context, args));
  CommandBuffers& buffers = *context->command_buffers();
  buffers.resize(sizes_of(args));
  tell(*context, buffers, args);
  return client.memory().write(user, args);
}

}  // namespace kmt
