// The scheduler thread's calls to the driver in normal operation. Each with the paging mutex held: level 1.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/dma_buffer.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

using Data = DRIVER_INITIALIZATION_DATA;

// The client's private data, as far as the driver sees them, or those of a DMA buffer that the driver filled itself.
std::span<uint8_t> private_data_of(const Submission& submission) {
  if (!submission.dma) return {static_cast<uint8_t*>(submission.private_data), submission.private_bytes};
  const DmaMemory& memory = submission.dma->contents->memory();
  return {memory.private_data(), memory.sizes().private_bytes};
}

}  // namespace

bool Gpu::perform(const vidsch::Action& action) {
  using Kind = vidsch::Action::Kind;
  judge_timeout(action);
  switch (action.kind) {
    case Kind::None:
      return false;
    case Kind::Submit: {
      auto& submission = static_cast<Submission&>(*action.packet);
      vidsch::Scheduler::Submission answer = submit(submission, action.fence);
      vidsch::Verdict verdict;
      {
        base::Guard guard(lock_);
        verdict = scheduler_->submitted(submission, answer);
      }
      judge(verdict);
      return true;
    }
    case Kind::Cancel: {
      auto& submission = static_cast<Submission&>(*action.packet);
      cancel_at_driver(submission);
      base::Guard guard(lock_);
      scheduler_->cancelled(submission);
      return true;
    }
    case Kind::Preempt:
      preempt(action.node, action.fence);
      return true;
    case Kind::QueryFence:
      query_fence(action.node);
      return true;
    case Kind::QueryDependents: {
      uint64_t mask = query_dependents(action.node);
      vidsch::Verdict verdict;
      {
        base::Guard guard(lock_);
        verdict = scheduler_->dependents(action.node, mask, machine_.executor().now());
      }
      judge(verdict);
      return true;
    }
    case Kind::ResetEngine:
      reset_engine(action.node);
      return true;
    case Kind::ResetAdapter:
      reset_adapter();
      return true;
    case Kind::Unanswered:
      if (machine_.broken()) return true;  // it may be a consequence of that
      machine_.report_violation(
          nt::Violation::PreemptionUnanswered,
          "DxgkDdiPreemptCommand was called, the node is idle, and no DXGK_INTERRUPT_DMA_PREEMPTED came");
      return true;
    case Kind::BugCheck:
      machine_.bug_check(action.code, action.parameter, 0, 0, 0);
  }
  CHECK(false);
}

// --- Submitting ---

vidsch::Scheduler::Submission Gpu::submit(Submission& submission, vidsch::FenceId fence) {
  using Answer = vidsch::Scheduler::Submission;
  ParkingLock lock(adapter_.paging_mutex());
  if (!adapter_.talks_to_driver()) return Answer::Accepted;  // the packet ends with the adapter
  if (adapter_.caps().gpu_mmu && (submission.paging || submission.context->virtual_addressing())) {
    NTSTATUS status = submit_virtual(submission, fence);
    if (status == STATUS_INVALID_PARAMETER && submission.paging) {
      machine_.report_violation(nt::Violation::SystemCommandFaulted,
                                "DxgkDdiSubmitCommandVirtual refused a paging buffer");
    }
    return status >= 0 ? Answer::Accepted : Answer::Refused;
  }
  submit_physical(submission, fence);
  return Answer::Accepted;
}

// The driver is told the root of the page tables with the first packet of a context, not before (observed).
void Gpu::tell_root(Context& context) {
  AddressSpace* space = context.device().process_adapter().address_space.get();
  if (!space) return;
  uint32_t version = space->root_version.load(std::memory_order_acquire);
  if (context.root_told == version) return;
  DXGKARG_SETROOTPAGETABLE args{};
  {
    base::Guard guard(adapter_.memory().lock());
    args.Address = space->root_address();
    args.NumEntries = space->root().count;
  }
  args.hContext = context.driver_context();
  context.root_told = version;
  adapter_.miniport().call(Ddi::SetRootPageTable, &Data::DxgkDdiSetRootPageTable, &context.scope(), adapter_.context(),
                           &args);
}

NTSTATUS Gpu::submit_virtual(Submission& submission, vidsch::FenceId fence) {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  nt::Scope* scope = &adapter_.scope();
  if (submission.paging) {
    const PagingBuilder::Submission& part = *submission.paging;
    args.hContext = system_context_;
    args.DmaBufferVirtualAddress = part.buffer.placement().gpu_address + part.from;
    args.DmaBufferSize = static_cast<UINT>(part.to - part.from);
    args.pDmaBufferPrivateData = part.buffer.private_data() ? part.buffer.private_data() + part.private_from : nullptr;
    args.DmaBufferPrivateDataSize = static_cast<UINT>(part.private_to - part.private_from);
    args.Flags.Paging = 1;
    args.NodeOrdinal = adapter_.caps().paging_node;
  } else {
    Context& context = *submission.context;
    tell_root(context);
    scope = &context.scope();
    args.hContext = context.driver_context();
    args.DmaBufferVirtualAddress = submission.commands;
    args.DmaBufferSize = submission.bytes;
    std::span<uint8_t> private_data = private_data_of(submission);
    args.pDmaBufferPrivateData = private_data.data();
    args.DmaBufferPrivateDataSize = static_cast<UINT>(private_data.size());
    args.DmaBufferUmdPrivateDataSize = submission.client_private_bytes;
    args.Flags.Present = submission.present;
    args.Flags.NullRendering = submission.null_rendering;
    args.NodeOrdinal = context.node();
  }
  args.Flags.Resubmission = submission.resubmission();
  args.SubmissionFenceId = fence;
  return adapter_.miniport().call(Ddi::SubmitCommandVirtual, &Data::DxgkDdiSubmitCommandVirtual, scope,
                                  adapter_.context(), &args);
}

// --- Taking back ---

void Gpu::cancel_at_driver(Submission& submission) {
  if (!adapter_.talks_to_driver() || !submission.context) return;
  Context& context = *submission.context;
  DXGKARG_CANCELCOMMAND args{};
  args.hContext = context.driver_context();
  args.DmaBufferVirtualAddress = submission.commands;
  args.DmaBufferSize = submission.bytes;
  std::span<uint8_t> private_data = private_data_of(submission);
  args.pDmaBufferPrivateData = private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(private_data.size());
  ParkingLock lock(adapter_.paging_mutex());
  static_cast<void>(adapter_.miniport().call(Ddi::CancelCommand, &Data::DxgkDdiCancelCommand, &context.scope(),
                                             adapter_.context(), &args));
}

void Gpu::preempt(uint32_t node, vidsch::FenceId fence) {
  ParkingLock lock(adapter_.paging_mutex());
  if (!adapter_.talks_to_driver()) return;
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = fence;
  args.NodeOrdinal = node;
  bool low = adapter_.caps().driver.SchedulingCaps.LowIrqlPreemptCommand;
  if (!low) machine_.raise_irql(DISPATCH_LEVEL);
  static_cast<void>(adapter_.miniport().call(Ddi::PreemptCommand, &Data::DxgkDdiPreemptCommand, &adapter_.scope(),
                                             adapter_.context(), &args));
  if (!low) machine_.lower_irql(PASSIVE_LEVEL);
}

}  // namespace dxgk
