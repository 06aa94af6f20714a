#include "dxgk/work/render_pass.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/render.h"

namespace dxgk {
namespace {

constexpr DmaPass::Function kRender{"DxgkDdiRender", "the driver refused the commands (DxgkDdiRender)"};

}  // namespace

base::Result<DmaPass::Outcome> RenderPass::make(UINT& multipass_offset) {
  describe(multipass_offset);
  DmaPass::Cursor before = DmaPass::cursor_of(args_);
  NTSTATUS status = call_driver();
  DmaPass pass(context_, contents_, kRender);
  DmaPass::Outcome outcome = TRY(pass.judge(status, before, DmaPass::cursor_of(args_)));
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
}

NTSTATUS RenderPass::call_driver() {
  ThreadContext thread(&context_.device().process());
  return context_.adapter().miniport().call(Ddi::Render, &DRIVER_INITIALIZATION_DATA::DxgkDdiRender, &context_.scope(),
                                            context_.driver_context(), &args_);
}

}  // namespace dxgk
