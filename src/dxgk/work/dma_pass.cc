#include "dxgk/work/dma_pass.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/context.h"
#include "dxgk/work/gpu.h"
#include "dxgk/work/render_check.h"

namespace dxgk {
namespace {

using nt::Violation;

size_t distance(const void* from, const void* to) {
  return reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
}

std::string describe_damage(const nt::PoolDamage& damage) {
  return damage.after ? fmt::format("{} byte(s) beyond", damage.after)
                      : fmt::format("{} byte(s) before", damage.before);
}

}  // namespace

base::Result<DmaPass::Outcome> DmaPass::judge(NTSTATUS status, const Cursor& before, const Cursor& after) {
  TRY(check_guards());
  if (status < 0 && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE) {
      context_.adapter().gpu().lose(context_.device(), Device::State::Error);  // documented
    }
    return base::Failure(status, function_.refused);
  }
  TRY(check_pointers(before, after));
  TRY(check_list());
  if (status == STATUS_SUCCESS) return Outcome::Done;
  // What was written goes to the GPU. A driver that writes nothing into a whole buffer never will.
  if (contents_.bytes != 0 || after.multipass_offset != before.multipass_offset) return Outcome::OutOfRoom;
  context_.device().machine().report_violation(
      Violation::RenderNoProgress,
      fmt::format("{} did nothing with {} bytes, the whole of a DMA buffer, and wants more", function_.name,
                  contents_.memory().sizes().bytes));
  return base::Failure(status, "the driver cannot put anything into a whole DMA buffer");
}

base::Failure DmaPass::report_violation(Violation what, const std::string& what_it_did, const char* why) {
  context_.device().machine().report_violation(what, fmt::format("{} {}", function_.name, what_it_did));
  return base::Failure(STATUS_INVALID_PARAMETER, why);
}

base::Result<> DmaPass::check_guards() {
  DmaMemory& memory = contents_.memory();
  if (nt::PoolDamage damage = memory.check_guards()) {
    return report_violation(Violation::RenderBufferOverrun,
                            fmt::format("wrote {} the DMA buffer", describe_damage(damage)),
                            "the driver wrote outside of the DMA buffer");
  }
  if (nt::PoolDamage damage = memory.check_private_guards()) {
    return report_violation(Violation::RenderPrivateOverrun,
                            fmt::format("wrote {} the private data of the DMA buffer", describe_damage(damage)),
                            "the driver wrote outside of the DMA buffer's private data");
  }
  if (nt::PoolDamage damage = memory.check_patch_guards()) {
    return report_violation(Violation::RenderPatchListOverrun,
                            fmt::format("wrote {} the patch-location list", describe_damage(damage)),
                            "the driver wrote outside of the patch-location list");
  }
  return {};
}

// A pointer that moved backwards is seen as a very large advance.
base::Result<> DmaPass::check_pointers(const Cursor& before, const Cursor& after) {
  const DmaMemory::Sizes& sizes = contents_.memory().sizes();
  size_t bytes = distance(before.dma, after.dma);
  if (bytes > sizes.bytes) {
    return report_violation(
        Violation::RenderBufferOverrun,
        fmt::format("moved pDmaBuffer by {} bytes, in a buffer of {}", static_cast<int64_t>(bytes), sizes.bytes),
        "the driver moved pDmaBuffer out of the DMA buffer");
  }
  size_t listed = distance(before.patches, after.patches);
  size_t count = listed / sizeof(D3DDDI_PATCHLOCATIONLIST);
  if (listed % sizeof(D3DDDI_PATCHLOCATIONLIST) != 0 || count > sizes.patches) {
    return report_violation(Violation::RenderPatchListOverrun,
                            fmt::format("moved pPatchLocationListOut by {} bytes, in a list of {} elements",
                                        static_cast<int64_t>(listed), sizes.patches),
                            "the driver moved pPatchLocationListOut out of its list");
  }
  contents_.bytes = static_cast<uint32_t>(bytes);
  contents_.patch_count = static_cast<uint32_t>(count);
  return {};
}

base::Failure no_end(Context& context, const char* ddi) {
  context.device().machine().report_violation(
      Violation::RenderNoProgress, fmt::format("{} has filled {} DMA buffers and wants more", ddi, kMostPasses));
  return base::Failure(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, "the driver does not come to an end");
}

base::Result<> DmaPass::check_list() {
  auto fault =
      check_patches(contents_.patches(), {.bytes = contents_.bytes,
                                          .allocations = static_cast<uint32_t>(contents_.list().size()),
                                          .most_slots = context_.adapter().caps().driver.MaxAllocationListSlotId,
                                          .ddi = function_.name});
  if (!fault) return {};
  context_.device().machine().report_violation(fault->what, std::move(fault->sentence));
  return base::Failure(STATUS_INVALID_PARAMETER, "the driver made a wrong patch-location list");
}

}  // namespace dxgk
