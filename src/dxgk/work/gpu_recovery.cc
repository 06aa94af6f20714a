// When the GPU does not answer: what the scheduler's thread asks the driver for on the way from a lost interrupt to a
// reset of the whole adapter.
#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/adapter/hardware_watch.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/object/process.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"
#include "nt/ke/dpc_queues.h"

namespace dxgk {
namespace {

using Data = DRIVER_INITIALIZATION_DATA;

nt::Violation rule_of(uint32_t parameter) {
  switch (parameter) {
    case vidsch::kFaultedSystemCommand:
      return nt::Violation::SystemCommandFaulted;
    case vidsch::kInvalidNodeMask:
      return nt::Violation::DependentsWithoutItself;
    case vidsch::kInvalidAbortedFence:
      return nt::Violation::AbortedFenceWrong;
    case vidsch::kFatalPageFault:
    case vidsch::kInvalidPageFault:
      return nt::Violation::PageFaultWrong;
    default:
      return nt::Violation::FenceWrong;
  }
}

// What keeps every driver from reporting a fence; empty: nothing does.
std::string missing_interrupt(Adapter& adapter) {
  if (adapter.hardware().line) return {};
  return adapter.hardware().device ? "; the model of the device's hardware has no interrupt line"
                                   : "; the device has no interrupt line: no model of its hardware is loaded";
}

// The time between the reset and the restart. It has some length, so that accesses of hardware that still runs are
// seen.
class [[nodiscard]] Cleanup {
 public:
  explicit Cleanup(Adapter& adapter)
      : adapter_(adapter), device_(adapter.talks_to_driver() ? adapter.hardware().device : nullptr) {
    if (device_) adapter.hardware_watch().begin_cleanup(*device_);
  }
  ~Cleanup() {
    if (!device_) return;
    adapter_.machine().executor().sleep_for(kAtLeast);
    adapter_.hardware_watch().end_cleanup(*device_);
  }
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;

 private:
  static constexpr base::TimeNs kAtLeast = 1'000'000;

  Adapter& adapter_;
  nt::Device* device_;
};

}  // namespace

void Gpu::judge(const vidsch::Verdict& verdict) {
  if (verdict.fine()) return;
  machine_.report_violation(rule_of(verdict.parameter),
                            fmt::format("{} (0x119, parameter 0x{:X})", verdict.sentence, verdict.parameter));
}

void Gpu::judge_timeout(const vidsch::Action& action) {
  if (!action.timed_out) return;
  const std::string missing = missing_interrupt(adapter_);
  const std::string sentence = fmt::format(
      "node {} has not reported the fence of a packet that ends: the scheduler gives it up{}", action.node, missing);
  if (hardware_trusted()) {
    machine_.report_violation(nt::Violation::EngineTimedOut, sentence);
  } else if (!missing.empty()) {
    machine_.note(trace::Refusal{.status = STATUS_IO_TIMEOUT, .reason = sentence, .file = __FILE__, .line = __LINE__});
  }
}

// `before`: the last fence that was known to be completed when the driver was asked.
void Gpu::judge_current_fence(uint32_t node, vidsch::FenceId before, vidsch::FenceId answer) {
  vidsch::FenceId reported, completed, submitted;
  {
    base::Guard guard(lock_);
    reported = reported_[node];
    completed = scheduler_->node(node).last_completed();
    submitted = scheduler_->node(node).last_submitted();
  }
  auto wrong = [&](const std::string& how) {
    machine_.report_violation(nt::Violation::CurrentFenceWrong,
                              fmt::format("DxgkDdiQueryCurrentFence answered {} for node {}, {}", answer, node, how));
  };
  // A report that comes meanwhile proves nothing about the answer.
  bool told_before = reported && !vidsch::is_after(reported, before);
  if (told_before && vidsch::is_after(reported, answer)) {
    wrong(fmt::format("which has reported {} as completed", reported));
  } else if (vidsch::is_after(answer, submitted)) {
    wrong(fmt::format("where {} is the last that was submitted", submitted));
  } else if (vidsch::is_after(answer, completed)) {
    wrong("and did not report it by DxgkCbNotifyInterrupt before it returned");
  } else if (vidsch::is_after(completed, before) && hardware_trusted()) {
    machine_.report_violation(
        nt::Violation::CompletionUntold,
        fmt::format("fence {} of node {} was reported only when DxgkDdiQueryCurrentFence was called, after "
                    "all the time that a packet has",
                    completed, node));
  }
}

// Commands that faulted may have been right when they were written, and their memory taken away since. The client's
// mistake is looked for at once, before the client goes on. This may run in the driver's DPC, but is no violation of
// the driver's.
void Gpu::explain_abort(const Submission& submission) {
  uint64_t address;
  {
    base::Guard guard(lock_);
    if (!page_fault_ || page_fault_->node != submission.context->node()) return;
    if (page_fault_->fence != submission.fence()) return;
    address = page_fault_->address;
    page_fault_.reset();
  }
  auto cause = cause_of_fault(submission.context->device(), address, submission.sequence());
  if (!cause) return;
  base::Guard guard(lock_);
  causes_.push_back(std::move(*cause));
}

void Gpu::tell_causes() {
  std::vector<FaultCause> causes;
  {
    base::Guard guard(lock_);
    causes.swap(causes_);
  }
  for (FaultCause& cause : causes)
    machine_.report_violation(cause.what, std::move(cause.sentence), std::move(cause.stacks));
}

// An interrupt may have been lost: the fence that the driver names now counts as reported.
void Gpu::query_fence(uint32_t node) {
  if (!adapter_.miniport().has(&Data::DxgkDdiQueryCurrentFence) || !adapter_.talks_to_driver()) return;
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node;
  vidsch::FenceId before;
  {
    base::Guard guard(lock_);
    before = scheduler_->node(node).last_completed();
  }
  NTSTATUS status = adapter_.miniport().call(Ddi::QueryCurrentFence, &Data::DxgkDdiQueryCurrentFence, &adapter_.scope(),
                                             adapter_.context(), &args);
  if (status < 0) return;
  judge_current_fence(node, before, args.CurrentFence);
  vidsch::Verdict verdict;
  {
    base::Guard guard(lock_);
    const vidsch::Node& asked = scheduler_->node(node);
    if (!vidsch::is_after(args.CurrentFence, asked.last_completed())) return;
    if (vidsch::is_after(args.CurrentFence, asked.last_submitted())) return;
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
  ParkingLock lock(adapter_.paging_mutex());
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
    ParkingLock lock(adapter_.paging_mutex());
    NTSTATUS status = adapter_.miniport().call(Ddi::ResetEngine, &Data::DxgkDdiResetEngine, &adapter_.scope(),
                                               adapter_.context(), &args);
    if (status >= 0) reset = Reset::Done;
  }
  vidsch::Verdict verdict;
  {
    base::Guard guard(lock_);
    verdict = scheduler_->engine_reset(node, reset, args.LastAbortedFenceId, machine_.executor().now());
    reported_[node] = 0;
  }
  judge(verdict);
}

// Level 3: alone. The contents of local memory are lost, and with them every client's device (TR-03: no object is
// destroyed).
void Gpu::reset_adapter() {
  adapter_.memory().begin_reset();
  {
    Adapter::Alone alone(adapter_);
    if (adapter_.talks_to_driver()) {
      static_cast<void>(adapter_.miniport().call(Ddi::ResetFromTimeout, &Data::DxgkDdiResetFromTimeout,
                                                 &adapter_.scope(), adapter_.context()));
    }
    {
      Cleanup cleanup(adapter_);
      adapter_.memory().lose_contents();
    }
    if (adapter_.talks_to_driver()) {
      static_cast<void>(adapter_.miniport().call(Ddi::RestartFromTimeout, &Data::DxgkDdiRestartFromTimeout,
                                                 &adapter_.scope(), adapter_.context()));
    }
  }
  {
    base::Guard guard(lock_);
    scheduler_->adapter_reset_done(machine_.executor().now());
    std::fill(reported_.begin(), reported_.end(), 0);
  }
  for (const auto& process : adapter_.process_adapters()) {
    ParkingLock lock(process->mutex());
    for (Device* device : process->devices) {
      Device::State said = scheduled_state(*device);  // of the guilty one, that it hung
      lose(*device, said == Device::State::Active ? Device::State::Reset : said);
    }
  }
  adapter_.memory().end_reset();
}

}  // namespace dxgk
