#include "dxgk/render_pass.h"

#include <fmt/format.h>

#include "dxgk/adapter.h"
#include "dxgk/command_buffers.h"
#include "dxgk/context.h"
#include "dxgk/gpu.h"
#include "dxgk/render.h"
#include "dxgk/render_check.h"
#include "dxgk/thread_context.h"
#include "dxgk/video_memory.h"

namespace dxgk {
namespace {

using nt::Broke;

size_t distance(const void* from, const void* to) {
  return reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
}

std::string describe_damage(const nt::PoolDamage& damage) {
  return damage.after ? fmt::format("{} byte(s) beyond", damage.after)
                      : fmt::format("{} byte(s) before", damage.before);
}

}  // namespace

base::Result<RenderPass::Outcome> RenderPass::make(UINT& multipass_offset) {
  describe(multipass_offset);
  NTSTATUS status = call_driver();
  TRY(check_guards());
  if (status < 0 && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE) {
      context_.adapter().gpu().lose(context_.device(), Device::State::Error);  // documented
    }
    return base::Failure(status, "the driver refused the commands (DxgkDdiRender)");
  }
  TRY(check_pointers());
  TRY(check_list());
  Outcome outcome = TRY(judge(status));
  multipass_offset = args_.MultipassOffset;
  return outcome;
}

void RenderPass::describe(UINT multipass_offset) {
  const CommandBuffers& buffers = *context_.command_buffers();
  DmaMemory& memory = contents_.memory();
  contents_.locate(context_.adapter().memory());
  args_.pCommand = static_cast<const uint8_t*>(buffers.commands()) + call_.command_offset;
  args_.CommandLength = call_.command_length - call_.command_offset;
  args_.pDmaBuffer = memory.data();
  args_.DmaSize = memory.sizes().bytes;
  args_.pDmaBufferPrivateData = memory.private_data();
  args_.DmaBufferPrivateDataSize = memory.sizes().private_bytes;
  args_.pAllocationList = contents_.list().empty() ? nullptr : contents_.list().data();
  args_.AllocationListSize = static_cast<UINT>(contents_.list().size());
  args_.pPatchLocationListIn = buffers.patches();
  args_.PatchLocationListInSize = static_cast<UINT>(call_.patches.size());
  args_.pPatchLocationListOut = memory.patches();
  args_.PatchLocationListOutSize = memory.sizes().patches;
  args_.MultipassOffset = multipass_offset;
  args_.DmaBufferSegmentId = 0;
  args_.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(memory.physical());
  given_ = args_;
}

NTSTATUS RenderPass::call_driver() {
  ThreadContext thread(&context_.device().process());
  return context_.adapter().miniport().call(Ddi::Render, &DRIVER_INITIALIZATION_DATA::DxgkDdiRender, &context_.scope(),
                                            context_.driver_context(), &args_);
}

base::Failure RenderPass::broke(Broke what, const std::string& what_it_did, const char* why) {
  context_.device().machine().broke(what, "DxgkDdiRender " + what_it_did);
  return base::Failure(STATUS_INVALID_PARAMETER, why);
}

base::Result<> RenderPass::check_guards() {
  DmaMemory& memory = contents_.memory();
  if (nt::PoolDamage damage = memory.check_guards()) {
    return broke(Broke::RenderBufferOverrun, fmt::format("wrote {} the DMA buffer", describe_damage(damage)),
                 "the driver wrote outside of the DMA buffer");
  }
  if (nt::PoolDamage damage = memory.check_private_guards()) {
    return broke(Broke::RenderPrivateOverrun,
                 fmt::format("wrote {} the private data of the DMA buffer", describe_damage(damage)),
                 "the driver wrote outside of the DMA buffer's private data");
  }
  if (nt::PoolDamage damage = memory.check_patch_guards()) {
    return broke(Broke::RenderPatchListOverrun,
                 fmt::format("wrote {} the patch-location list", describe_damage(damage)),
                 "the driver wrote outside of the patch-location list");
  }
  return {};
}

// Backwards is very far forwards.
base::Result<> RenderPass::check_pointers() {
  size_t bytes = distance(given_.pDmaBuffer, args_.pDmaBuffer);
  if (bytes > given_.DmaSize) {
    return broke(
        Broke::RenderBufferOverrun,
        fmt::format("moved pDmaBuffer by {} bytes, in a buffer of {}", static_cast<int64_t>(bytes), given_.DmaSize),
        "the driver moved pDmaBuffer out of the DMA buffer");
  }
  size_t listed = distance(given_.pPatchLocationListOut, args_.pPatchLocationListOut);
  size_t count = listed / sizeof(D3DDDI_PATCHLOCATIONLIST);
  if (listed % sizeof(D3DDDI_PATCHLOCATIONLIST) != 0 || count > given_.PatchLocationListOutSize) {
    return broke(Broke::RenderPatchListOverrun,
                 fmt::format("moved pPatchLocationListOut by {} bytes, in a list of {} elements",
                             static_cast<int64_t>(listed), given_.PatchLocationListOutSize),
                 "the driver moved pPatchLocationListOut out of its list");
  }
  contents_.bytes = static_cast<uint32_t>(bytes);
  contents_.patch_count = static_cast<uint32_t>(count);
  return {};
}

base::Result<> RenderPass::check_list() {
  auto fault =
      check_patches(contents_.patches(), {.bytes = contents_.bytes,
                                          .allocations = given_.AllocationListSize,
                                          .most_slots = context_.adapter().caps().driver.MaxAllocationListSlotId});
  if (!fault) return {};
  context_.device().machine().broke(fault->what, std::move(fault->sentence));
  return base::Failure(STATUS_INVALID_PARAMETER, "the driver made a wrong patch-location list");
}

base::Result<RenderPass::Outcome> RenderPass::judge(NTSTATUS status) {
  if (status == STATUS_SUCCESS) return Outcome::Done;
  // What was written goes to the GPU; a driver that can do nothing with a whole buffer never will.
  if (contents_.bytes != 0 || args_.MultipassOffset != given_.MultipassOffset) return Outcome::OutOfRoom;
  context_.device().machine().broke(
      Broke::RenderNoProgress,
      fmt::format("DxgkDdiRender did nothing with {} bytes, the whole of a DMA buffer, and wants more",
                  given_.DmaSize));
  return base::Failure(status, "the driver cannot translate the commands into a whole DMA buffer");
}

}  // namespace dxgk
