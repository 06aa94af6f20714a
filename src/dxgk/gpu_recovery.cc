// When the GPU does not answer: what the scheduler's thread asks the driver for on the way from a lost interrupt to a
// reset of the whole adapter.
#include <fmt/format.h>

#include "dxgk/adapter.h"
#include "dxgk/adapter_interrupts.h"
#include "dxgk/context.h"
#include "dxgk/device_queue.h"
#include "dxgk/gpu.h"
#include "dxgk/kernel.h"
#include "dxgk/process.h"
#include "dxgk/video_memory.h"

namespace dxgk {
namespace {

using Data = DRIVER_INITIALIZATION_DATA;

nt::Broke rule_of(uint32_t parameter) {
  switch (parameter) {
    case vidsch::kFaultedSystemCommand:
      return nt::Broke::SystemCommandFaulted;
    case vidsch::kInvalidNodeMask:
      return nt::Broke::DependentsWithoutItself;
    case vidsch::kInvalidAbortedFence:
      return nt::Broke::AbortedFenceWrong;
    case vidsch::kFatalPageFault:
    case vidsch::kInvalidPageFault:
      return nt::Broke::PageFaultWrong;
    default:
      return nt::Broke::FenceWrong;
  }
}

}  // namespace

void Gpu::judge(const vidsch::Verdict& verdict) {
  if (verdict.fine()) return;
  machine_.broke(rule_of(verdict.parameter),
                 fmt::format("{} (0x119, parameter 0x{:X})", verdict.sentence, verdict.parameter));
}

// An interrupt may have been lost: what the driver names now counts as reported.
void Gpu::query_fence(uint32_t node) {
  if (!adapter_.miniport().has(&Data::DxgkDdiQueryCurrentFence) || !adapter_.talks_to_driver()) return;
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node;
  NTSTATUS status = adapter_.miniport().call(Ddi::QueryCurrentFence, &Data::DxgkDdiQueryCurrentFence, &adapter_.scope(),
                                             adapter_.context(), &args);
  if (status < 0) return;
  vidsch::Verdict verdict;
  {
    base::Guard guard(lock_);
    const vidsch::Node& asked = scheduler_->node(node);
    if (!vidsch::is_after(args.CurrentFence, asked.last_completed())) return;
    verdict = scheduler_->completed(node, args.CurrentFence, machine_.executor().now());
    scheduler_->retire_completed();
  }
  judge(verdict);
}

uint64_t Gpu::query_dependents(uint32_t node) {
  uint64_t self = uint64_t{1} << node;
  if (!adapter_.miniport().has(&Data::DxgkDdiQueryDependentEngineGroup) || !adapter_.talks_to_driver()) return self;
  DXGKARG_QUERYDEPENDENTENGINEGROUP args{};
  args.NodeOrdinal = node;
  Inside inside(adapter_.paging_gate());
  NTSTATUS status = adapter_.miniport().call(Ddi::QueryDependentEngineGroup, &Data::DxgkDdiQueryDependentEngineGroup,
                                             &adapter_.scope(), adapter_.context(), &args);
  return status < 0 ? self : args.DependentNodeOrdinalMask;
}

void Gpu::reset_engine(uint32_t node) {
  using Reset = vidsch::Scheduler::Reset;
  Reset reset = Reset::Failed;
  DXGKARG_RESETENGINE args{};
  args.NodeOrdinal = node;
  if (adapter_.miniport().has(&Data::DxgkDdiResetEngine) && adapter_.talks_to_driver()) {
    machine_.dpcs().flush();
    Inside inside(adapter_.paging_gate());
    NTSTATUS status = adapter_.miniport().call(Ddi::ResetEngine, &Data::DxgkDdiResetEngine, &adapter_.scope(),
                                               adapter_.context(), &args);
    if (status >= 0) reset = Reset::Done;
  }
  vidsch::Verdict verdict;
  {
    base::Guard guard(lock_);
    verdict = scheduler_->engine_reset(node, reset, args.LastAbortedFenceId, machine_.executor().now());
  }
  judge(verdict);
}

// Level 3: alone. What was in local memory is lost, and with it every client's device (TR-03: no object goes).
void Gpu::reset_adapter() {
  {
    Adapter::Alone alone(adapter_);
    if (adapter_.talks_to_driver()) {
      static_cast<void>(adapter_.miniport().call(Ddi::ResetFromTimeout, &Data::DxgkDdiResetFromTimeout,
                                                 &adapter_.scope(), adapter_.context()));
    }
    adapter_.memory().lose_contents();
    if (adapter_.talks_to_driver()) {
      static_cast<void>(adapter_.miniport().call(Ddi::RestartFromTimeout, &Data::DxgkDdiRestartFromTimeout,
                                                 &adapter_.scope(), adapter_.context()));
    }
  }
  {
    base::Guard guard(lock_);
    scheduler_->adapter_reset_done(machine_.executor().now());
  }
  for (const auto& process : adapter_.process_adapters()) {
    Inside inside(process->gate());
    for (Device* device : process->devices) lose(*device, Device::State::Reset);
  }
}

}  // namespace dxgk
