// Submissions and their fences. Everything here runs at DISPATCH_LEVEL, or may.
#include "context_image.h"
#include "device.h"
#include "driver.h"
#include "interrupt.h"

namespace softgpu {
namespace {

// Some paging work has no context, but a node.
Engine& engine_of(Adapter& adapter, const Context* context, UINT node) {
  return adapter.engines[context != nullptr ? context->node : node];
}

// System contexts do not use the registers. ContextSwitch asks to save and unload the registers that are loaded.
void use_state(Submission& submission, const Context* context, DXGK_SUBMITCOMMANDFLAGS flags) {
  if (context == nullptr || context->system || flags.ContextSwitch) return;
  submission.context = context->id;
  submission.image = context->image != nullptr ? context->image->address : 0;
}

// A page table root and whole packets, or nothing to run.
bool well_formed(const DXGKARG_SUBMITCOMMANDVIRTUAL& args, const Context* context) {
  UINT bytes = args.DmaBufferSize;
  if (bytes == 0 || args.Flags.NullRendering) return true;
  return bytes % 8 == 0 && bytes <= SOFTGPU_INDIRECT_MAX_BYTES && args.DmaBufferVirtualAddress % 8 == 0 &&
         softgpu_address_space(args.DmaBufferVirtualAddress) == SOFTGPU_SPACE_VIRTUAL && context != nullptr &&
         context->root != 0;
}

}  // namespace

// Must not fail. Paging buffers may come without a context, and empty ones have only their fence to run. The packets
// hold physical addresses, so they are privileged: DxgkDdiRender has looked at every one.
NTSTATUS submit_command(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand) {
  Adapter& adapter = adapter_of(hAdapter);
  const auto* context = static_cast<const Context*>(pSubmitCommand->hContext);
  UINT start = pSubmitCommand->DmaBufferSubmissionStartOffset;
  Submission submission = {};
  submission.address =
      softgpu_segment_address(pSubmitCommand->DmaBufferSegmentId,
                              static_cast<UINT64>(pSubmitCommand->DmaBufferPhysicalAddress.QuadPart) + start);
  submission.bytes = pSubmitCommand->DmaBufferSubmissionEndOffset - start;
  if (pSubmitCommand->Flags.NullRendering) submission.bytes = 0;
  use_state(submission, context, pSubmitCommand->Flags);
  submission.fence = pSubmitCommand->SubmissionFenceId;
  engine_of(adapter, context, pSubmitCommand->NodeOrdinal).submit(submission);
  return STATUS_SUCCESS;
}

// Clients' buffers are not privileged: they reach nothing but their own address space. The paging context's are. What
// is refused has a fence all the same, which the graphics kernel counts as completed once all before it are: so does
// the hardware.
NTSTATUS submit_command_virtual(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand) {
  const DXGKARG_SUBMITCOMMANDVIRTUAL& args = *pSubmitCommand;
  const auto* context = static_cast<const Context*>(args.hContext);
  Submission submission = {};
  submission.refused = !well_formed(args, context);
  submission.fence = args.SubmissionFenceId;
  if (!submission.refused && !args.Flags.NullRendering && context != nullptr) {
    submission.address = args.DmaBufferVirtualAddress;
    submission.bytes = args.DmaBufferSize;
    submission.flags = context->system ? 0 : SOFTGPU_FLAG_UNPRIVILEGED;
    submission.root = context->root;
    submission.root_entries = context->root_entries;
    use_state(submission, context, args.Flags);
  }
  engine_of(adapter_of(hAdapter), context, args.NodeOrdinal).submit(submission);
  return submission.refused ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

// Must not fail. Where nothing runs the answer is given at once, else the interrupt brings it.
NTSTATUS preempt_command(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand) {
  Adapter& adapter = adapter_of(hAdapter);
  Engine& engine = adapter.engines[pPreemptCommand->NodeOrdinal];
  hold_interrupts(adapter, [&] { preempt(adapter, engine, pPreemptCommand->PreemptionFenceId); });
  return STATUS_SUCCESS;
}

// Must not fail. What never reached the hardware has left nothing here.
NTSTATUS cancel_command(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CANCELCOMMAND) { return STATUS_SUCCESS; }

// Asked when a fence is overdue: if it was completed and its interrupt was lost, it is reported before we return.
NTSTATUS query_current_fence(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence) {
  if (!has_engine(pCurrentFence->NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = adapter_of(hAdapter);
  Engine& engine = adapter.engines[pCurrentFence->NodeOrdinal];
  hold_interrupts(adapter, [&] {
    report_completed(adapter, engine);
    pCurrentFence->CurrentFence = engine.completed_fence();
  });
  return STATUS_SUCCESS;
}

// A history buffer holds what TIMESTAMP packets wrote: already in the form that is asked for.
NTSTATUS format_history_buffer(IN_CONST_HANDLE, IN_PDXGKARG_FORMATHISTORYBUFFER pFormatData) {
  SIZE_T bytes = static_cast<SIZE_T>(pFormatData->NumTimestamps) * sizeof(UINT64);
  SIZE_T available = pFormatData->HistoryBufferSize -
                     lesser<SIZE_T>(pFormatData->HistoryBufferSize, sizeof(DXGK_HISTORY_BUFFER_HEADER));
  if (bytes > available || bytes > pFormatData->FormattedBufferSize) return STATUS_INVALID_PARAMETER;
  RtlCopyMemory(pFormatData->pFormattedBuffer, pFormatData->pHistoryBuffer->DriverPrivateData, bytes);
  return STATUS_SUCCESS;
}

}  // namespace softgpu
