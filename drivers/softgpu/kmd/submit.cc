// Submissions and their fences. Everything here runs at DISPATCH_LEVEL, or may.
#include "device.h"
#include "driver.h"

namespace softgpu {

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
  submission.fence = pSubmitCommand->SubmissionFenceId;
  adapter.engines[context != nullptr ? context->node : pSubmitCommand->NodeOrdinal].submit(submission);
  return STATUS_SUCCESS;
}

// Clients' buffers are not privileged: they reach nothing but their own address space. The paging context's are.
NTSTATUS submit_command_virtual(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand) {
  const auto& context = *static_cast<const Context*>(pSubmitCommand->hContext);
  UINT bytes = pSubmitCommand->Flags.NullRendering ? 0 : pSubmitCommand->DmaBufferSize;
  if (bytes % 8 != 0 || bytes > SOFTGPU_INDIRECT_MAX_BYTES) return STATUS_INVALID_PARAMETER;
  if (pSubmitCommand->DmaBufferVirtualAddress % 8 != 0) return STATUS_INVALID_PARAMETER;
  if (bytes != 0 && context.root == 0) return STATUS_INVALID_PARAMETER;
  Submission submission = {};
  submission.address = softgpu_address(SOFTGPU_SPACE_VIRTUAL, pSubmitCommand->DmaBufferVirtualAddress);
  submission.bytes = bytes;
  submission.flags = context.system ? 0 : SOFTGPU_FLAG_UNPRIVILEGED;
  submission.root = context.root;
  submission.root_entries = context.root_entries;
  submission.fence = pSubmitCommand->SubmissionFenceId;
  adapter_of(hAdapter).engines[context.node].submit(submission);
  return STATUS_SUCCESS;
}

// Must not fail. The interrupt brings the answer, of an idle engine too.
NTSTATUS preempt_command(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand) {
  Adapter& adapter = adapter_of(hAdapter);
  Engine& engine = adapter.engines[pPreemptCommand->NodeOrdinal];
  hold_interrupts(adapter, [&engine, pPreemptCommand] { engine.preempt(pPreemptCommand->PreemptionFenceId); });
  return STATUS_SUCCESS;
}

NTSTATUS query_current_fence(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence) {
  if (!has_engine(pCurrentFence->NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  pCurrentFence->CurrentFence = adapter_of(hAdapter).engines[pCurrentFence->NodeOrdinal].completed_fence();
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
