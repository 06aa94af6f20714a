#include "dxgk/present/present.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/context.h"
#include "dxgk/present/present_memory.h"
#include "dxgk/present/present_pass.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/gpu.h"
#include "dxgk/work/render.h"

namespace dxgk {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> judge(Context& context, const PresentCall& call) {
  TRY(context.usable());
  if (context.synchronization_only()) return refuse("the context is for synchronisation only");
  if (!context.adapter().miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiPresent)) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the driver presents nothing: it has no DxgkDdiPresent");
  }
  CHECK(call.listed[DXGK_PRESENT_DESTINATION_INDEX].view);
  if (context.virtual_addressing()) return {};
  const CommandBuffers* buffers = context.command_buffers();
  if (!buffers || buffers->command_bytes() == 0) {
    return refuse("the context takes neither commands that are patched nor ones at virtual addresses");
  }
  return judge_locks(context, call.listed);
}

template <typename Begin>
base::Result<DmaBuffers> translate(Context& context, const PresentCall& call, Begin begin) {
  auto fill = [&](DmaContents& contents, UINT& multipass_offset) {
    return PresentPass(context, call, contents).make(multipass_offset);
  };
  return fill_dma_buffers(context, "DxgkDdiPresent", begin, fill);
}

// The driver lists a reference to each allocation, also where the address is right already (documented).
void check_references(Context& context, const PresentCall& call, const DmaBuffers& made) {
  if (made.empty()) return;
  std::array<bool, 3> named{};
  for (const auto& contents : made) {
    for (const D3DDDI_PATCHLOCATIONLIST& entry : contents->patches()) named[entry.AllocationIndex] = true;
  }
  for (size_t i = 0; i < named.size(); ++i) {
    if (!call.listed[i].view || named[i]) continue;
    context.device().machine().report_violation(
        nt::Violation::PatchReferenceMissing,
        fmt::format("the patch-location list that DxgkDdiPresent wrote does not refer to the {}: it will not be in "
                    "memory when the commands run",
                    i == DXGK_PRESENT_SOURCE_INDEX ? "source" : "destination"));
    return;
  }
}

base::Result<> present_patched(Context& context, const PresentCall& call) {
  const CommandBuffers& buffers = *context.command_buffers();
  DmaBuffers made = TRY(translate(context, call, [&] {
    return DmaContents::create(context.adapter(), buffers.pool(), buffers.dma_sizes(), call.listed);
  }));
  check_references(context, call, made);
  for (const auto& contents : made) enqueue(context, contents, {.present = true});
  return {};
}

base::Result<> present_virtual(Context& context, const PresentCall& call) {
  base::Ref<PresentUse> use = TRY(PresentUse::create(context, call.listed));
  DmaBuffers made = TRY(translate(context, call, [&] { return context.present_memory().take(call.listed, use); }));
  Gpu& gpu = context.adapter().gpu();
  for (const auto& contents : made) {
    Submission& submission = gpu.make(vidsch::PacketKind::Render);
    submission.present = true;
    submission.commands = contents->memory().gpu_address;
    submission.bytes = contents->bytes;
    submission.dma = std::make_unique<DmaBuffer>(contents, DmaPart{.from = 0, .to = contents->bytes});
    gpu.enqueue(context, submission);
  }
  return {};
}

}  // namespace

base::Result<> present(Context& context, const PresentCall& call) {
  TRY(judge(context, call));
  if (call.parts.empty()) return {};
  return context.virtual_addressing() ? present_virtual(context, call) : present_patched(context, call);
}

}  // namespace dxgk
