// How commands with physical addresses go to the driver: DxgkDdiPatch, then DxgkDdiSubmitCommand. By the scheduler's
// thread, with the paging mutex held: level 1.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/dma_buffer.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

using Data = DRIVER_INITIALIZATION_DATA;

constexpr uint32_t kSchedulerInternalError = 0x119;  // VIDEO_SCHEDULER_INTERNAL_ERROR
constexpr uint64_t kSubmitFailed = 2, kPatchFailed = 3;

// A part of a paging buffer. It belongs to no context, and has nothing to patch (documented).
void describe(const PagingBuilder::Submission& part, uint32_t node, DXGKARG_PATCH& patch,
              DXGKARG_SUBMITCOMMAND& submit) {
  const PagingBuffer& buffer = part.buffer;
  const PagingBuffer::Placement& placement = buffer.placement();
  patch.DmaBufferSegmentId = placement.segment;
  patch.DmaBufferPhysicalAddress.QuadPart =
      static_cast<LONGLONG>(placement.segment ? placement.address : buffer.physical());
  patch.pDmaBuffer = buffer.data();
  patch.DmaBufferSize = static_cast<UINT>(buffer.size());
  patch.DmaBufferSubmissionStartOffset = static_cast<UINT>(part.from);
  patch.DmaBufferSubmissionEndOffset = static_cast<UINT>(part.to);
  patch.pDmaBufferPrivateData = buffer.private_data();
  patch.DmaBufferPrivateDataSize = static_cast<UINT>(buffer.private_size());
  patch.DmaBufferPrivateDataSubmissionStartOffset = static_cast<UINT>(part.private_from);
  patch.DmaBufferPrivateDataSubmissionEndOffset = static_cast<UINT>(part.private_to);
  patch.Flags.Paging = 1;
  submit.NodeOrdinal = node;
}

// A part of what DxgkDdiRender or DxgkDdiPresent wrote, with the places where its allocations are now.
void describe(const Context& context, const DmaBuffer& dma, DXGKARG_PATCH& patch, DXGKARG_SUBMITCOMMAND& submit) {
  DmaContents& contents = *dma.contents;
  const DmaMemory& memory = contents.memory();
  patch.hContext = context.driver_context();
  patch.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(memory.physical());
  patch.pDmaBuffer = memory.data();
  patch.DmaBufferSize = memory.sizes().bytes;
  patch.DmaBufferSubmissionStartOffset = dma.part.from;
  patch.DmaBufferSubmissionEndOffset = dma.part.to;
  patch.pDmaBufferPrivateData = memory.private_data();
  patch.DmaBufferPrivateDataSize = memory.sizes().private_bytes;
  patch.DmaBufferPrivateDataSubmissionEndOffset = memory.sizes().private_bytes;
  patch.pAllocationList = contents.list().empty() ? nullptr : contents.list().data();
  patch.AllocationListSize = static_cast<UINT>(contents.list().size());
  patch.pPatchLocationList = contents.patches().empty() ? nullptr : contents.patches().data();
  patch.PatchLocationListSize = static_cast<UINT>(contents.patches().size());
  patch.PatchLocationListSubmissionStart = dma.part.first_patch;
  patch.PatchLocationListSubmissionLength = dma.part.patch_count;
  submit.NodeOrdinal = context.node();
}

void mark_written(VideoMemory& memory, const DmaBuffer& dma) {
  base::Guard guard(memory.lock());
  for (vidmm::Block* block : dma.written) memory.manager().mark_written(*block);
}

// The same in both calls: the offsets at patch time are those at submission time (documented).
void copy_range(const DXGKARG_PATCH& patch, DXGKARG_SUBMITCOMMAND& submit) {
  submit.hContext = patch.hContext;
  submit.DmaBufferSegmentId = patch.DmaBufferSegmentId;
  submit.DmaBufferPhysicalAddress = patch.DmaBufferPhysicalAddress;
  submit.DmaBufferSize = patch.DmaBufferSize;
  submit.DmaBufferSubmissionStartOffset = patch.DmaBufferSubmissionStartOffset;
  submit.DmaBufferSubmissionEndOffset = patch.DmaBufferSubmissionEndOffset;
  submit.pDmaBufferPrivateData = patch.pDmaBufferPrivateData;
  submit.DmaBufferPrivateDataSize = patch.DmaBufferPrivateDataSize;
  submit.DmaBufferPrivateDataSubmissionStartOffset = patch.DmaBufferPrivateDataSubmissionStartOffset;
  submit.DmaBufferPrivateDataSubmissionEndOffset = patch.DmaBufferPrivateDataSubmissionEndOffset;
  submit.SubmissionFenceId = patch.SubmissionFenceId;
  submit.Flags.Paging = patch.Flags.Paging;
  submit.Flags.Present = patch.Flags.Present;
  submit.Flags.NullRendering = patch.Flags.NullRendering;
}

// Neither call may fail (US-09). The driver call has reported the status already; Windows stops there, and so does the
// run.
void stop_as_windows_does(nt::Machine& machine, uint64_t parameter, NTSTATUS status) {
  uint64_t second = static_cast<uint32_t>(status);
  if (machine.options().pace != nt::Pace::Simulated)
    machine.bug_check(kSchedulerInternalError, parameter, second, 0, 0);
  machine.note(trace::BugCheck{.code = kSchedulerInternalError, .p1 = parameter, .p2 = second, .p3 = 0, .p4 = 0});
  machine.stop();
}

}  // namespace

// Patched each time it goes to the hardware, whether or not DxgkDdiRender knew the addresses (ours: the documents only
// say that it might not be).
void Gpu::submit_physical(Submission& submission, vidsch::FenceId fence) {
  DXGKARG_PATCH patch{};
  DXGKARG_SUBMITCOMMAND submit{};
  nt::Scope* scope = &adapter_.scope();
  if (submission.paging) {
    describe(*submission.paging, adapter_.caps().paging_node, patch, submit);
  } else {
    scope = &submission.context->scope();
    submission.dma->contents->locate(adapter_.memory());
    describe(*submission.context, *submission.dma, patch, submit);
    mark_written(adapter_.memory(), *submission.dma);
  }
  patch.SubmissionFenceId = fence;
  patch.Flags.Present = submission.present;
  patch.Flags.NullRendering = submission.null_rendering;
  copy_range(patch, submit);
  // Zero in WDDM 1.x, whether it was preempted before or not (documented).
  submit.Flags.Resubmission = adapter_.caps().wddm2() && submission.resubmission();
  Miniport& miniport = adapter_.miniport();
  if (miniport.has(&Data::DxgkDdiPatch)) {
    NTSTATUS status = miniport.call(Ddi::Patch, &Data::DxgkDdiPatch, scope, adapter_.context(), &patch);
    if (status < 0) stop_as_windows_does(machine_, kPatchFailed, status);
  }
  machine_.raise_irql(DISPATCH_LEVEL);
  NTSTATUS status = miniport.call(Ddi::SubmitCommand, &Data::DxgkDdiSubmitCommand, scope, adapter_.context(), &submit);
  if (status < 0) stop_as_windows_does(machine_, kSubmitFailed, status);
  machine_.lower_irql(PASSIVE_LEVEL);
}

}  // namespace dxgk
