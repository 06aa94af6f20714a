#include "dxgk/render.h"

#include <fmt/format.h>

#include "dxgk/adapter.h"
#include "dxgk/command_buffers.h"
#include "dxgk/context.h"
#include "dxgk/gpu.h"
#include "dxgk/render_pass.h"
#include "dxgk/segment_room.h"
#include "dxgk/video_memory.h"

namespace dxgk {
namespace {

using nt::Broke;

// A driver that has not come to an end by then never will (ours).
constexpr size_t kMostPasses = 256;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// A locked allocation can be used from where the CPU sees it: an aperture (US-03).
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

using Made = std::vector<base::Ref<DmaContents>>;

base::Result<Made> translate(Context& context, const RenderCall& call) {
  Made made;
  UINT multipass_offset = 0;
  for (size_t passes = 0; passes < kMostPasses; ++passes) {
    base::Ref<DmaContents> contents = TRY(DmaContents::create(context, call.listed));
    RenderPass pass(context, call, *contents);
    RenderPass::Outcome outcome = TRY(pass.make(multipass_offset));
    if (contents->bytes != 0) made.push_back(std::move(contents));
    if (outcome == RenderPass::Outcome::Done) return made;
  }
  context.device().machine().broke(Broke::RenderNoProgress,
                                   fmt::format("DxgkDdiRender has filled {} DMA buffers and wants more", kMostPasses));
  return base::Failure(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, "the driver does not come to an end");
}

// The client's own list says what the commands refer to. What the driver's lists leave out is never paged in
// (observed).
void check_references(Context& context, const RenderCall& call, const Made& made) {
  std::vector<bool> named(call.listed.size());
  for (const auto& contents : made) {
    for (const D3DDDI_PATCHLOCATIONLIST& entry : contents->patches()) named[entry.AllocationIndex] = true;
  }
  for (const D3DDDI_PATCHLOCATIONLIST& entry : call.patches) {
    if (entry.AllocationIndex >= named.size() || !call.listed[entry.AllocationIndex].view) continue;
    if (named[entry.AllocationIndex]) continue;
    context.device().machine().broke(
        Broke::PatchReferenceMissing,
        fmt::format("the client's patch-location list refers to allocation {}, and the one that DxgkDdiRender wrote "
                    "does not: it will not be in memory when the commands run",
                    entry.AllocationIndex));
    return;
  }
}

std::vector<DmaPart> parts_of(VideoMemory& memory, const DmaContents& contents) {
  std::optional<SegmentRoom> room;
  {
    base::Guard guard(memory.lock());
    room.emplace(memory, contents);
  }
  return split(contents.patches(), contents.bytes, *room);
}

void enqueue(Context& context, const base::Ref<DmaContents>& contents, bool null_rendering) {
  Gpu& gpu = context.adapter().gpu();
  for (const DmaPart& part : parts_of(context.adapter().memory(), *contents)) {
    Submission& submission = gpu.make(vidsch::PacketKind::Render);
    submission.null_rendering = null_rendering;
    submission.dma = std::make_unique<DmaBuffer>(contents, part);
    gpu.enqueue(context, submission);
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

base::Result<> render(Context& context, const RenderCall& call) {
  TRY(judge(context, call));
  Made made = TRY(translate(context, call));
  check_references(context, call, made);
  for (const auto& contents : made) enqueue(context, contents, call.null_rendering);
  return {};
}

}  // namespace dxgk
