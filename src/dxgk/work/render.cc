#include "dxgk/work/render.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/render_pass.h"

namespace dxgk {
namespace {

using nt::Violation;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> judge(Context& context, const RenderCall& call) {
  TRY(context.usable());
  const CommandBuffers* buffers = context.command_buffers();
  if (!buffers || buffers->command_bytes() == 0)
    return refuse("the context takes no commands that are patched (US-07)");
  if (call.command_length > buffers->command_bytes()) return refuse("more commands than the command buffer holds");
  if (call.command_offset > call.command_length) return refuse("the commands begin behind their end");
  CHECK(call.listed.size() <= buffers->allocation_count() && call.patches.size() <= buffers->patch_count());
  return judge_locks(context, call.listed);
}

base::Result<DmaBuffers> translate(Context& context, const RenderCall& call) {
  const CommandBuffers& buffers = *context.command_buffers();
  auto begin = [&] { return DmaContents::create(context.adapter(), buffers.pool(), buffers.dma_sizes(), call.listed); };
  auto fill = [&](DmaContents& contents, UINT& multipass_offset) {
    return RenderPass(context, call, contents).make(multipass_offset);
  };
  return fill_dma_buffers(context, "DxgkDdiRender", begin, fill);
}

// The client's own list says what the commands refer to. What the driver's lists leave out is never paged in
// (observed).
void check_references(Context& context, const RenderCall& call, const DmaBuffers& made) {
  std::vector<bool> named(call.listed.size());
  for (const auto& contents : made) {
    for (const D3DDDI_PATCHLOCATIONLIST& entry : contents->patches()) named[entry.AllocationIndex] = true;
  }
  for (const D3DDDI_PATCHLOCATIONLIST& entry : call.patches) {
    if (entry.AllocationIndex >= named.size() || !call.listed[entry.AllocationIndex].view) continue;
    if (named[entry.AllocationIndex]) continue;
    context.device().machine().report_violation(
        Violation::PatchReferenceMissing,
        fmt::format("the client's patch-location list refers to allocation {}, and the one that DxgkDdiRender wrote "
                    "does not: it will not be in memory when the commands run",
                    entry.AllocationIndex));
    return;
  }
}

}  // namespace

base::Result<std::vector<ListedAllocation>> look_up(Context& context, std::span<const D3DDDI_ALLOCATIONLIST> list) {
  std::vector<ListedAllocation> listed(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    listed[i].written = list[i].WriteOperation;
    if (list[i].hAllocation == 0) continue;
    auto found = context.device().process().handles().get<AllocationView>(list[i].hAllocation);
    if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, describe(found.error()));
    listed[i].view = found.take();
    AllocationView& view = **listed[i].view;
    if (&view.device() != &context.device()) {
      return base::Failure(STATUS_INVALID_HANDLE, "an allocation in the list belongs to another device");
    }
    if (!view.driver_view) return base::Failure(STATUS_INVALID_HANDLE, "the driver does not know the allocation");
  }
  return listed;
}

base::Result<> judge_locks(Context& context, std::span<const ListedAllocation> listed) {
  uint32_t apertures = context.adapter().caps().aperture_set();
  for (const ListedAllocation& one : listed) {
    if (!one.view || (*one.view)->locks == 0) continue;
    const AllocationTraits& traits = (*one.view)->allocation().traits();
    if (((traits.read_segments | traits.write_segments) & apertures) != 0) continue;
    return base::Failure(STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION,
                         "an allocation in the list is locked, and cannot lie where the CPU sees it");
  }
  return {};
}

base::Result<> render(Context& context, const RenderCall& call) {
  TRY(judge(context, call));
  DmaBuffers made = TRY(translate(context, call));
  check_references(context, call, made);
  for (const auto& contents : made) enqueue(context, contents, {.null_rendering = call.null_rendering});
  return {};
}

}  // namespace dxgk
