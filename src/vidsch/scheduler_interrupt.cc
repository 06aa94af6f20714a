// What the driver reports from its interrupt.
#include "abi/shared/d3dkmdt_caps.h"
#include "vidsch/scheduler.h"

namespace vidsch {

namespace {

constexpr Verdict kUnknownNode = {kInvalidFence, "The driver reported a fence on a node that does not exist."};

}  // namespace

Verdict Scheduler::completed(uint32_t index, FenceId fence, base::TimeNs now) {
  if (!valid_node(index)) return kUnknownNode;
  Node& node = nodes_[index];
  if (node.resetting_ || stopped_) return {};
  if (!node.find(fence)) {
    // A driver may or may not report a submission that it refused; it is over all the same.
    if (fence == node.last_completed_ && node.completed_refused_) return {};
    if (!is_after(fence, node.last_completed_)) {
      return {kInvalidFence, "The driver reported a fence as completed that was completed before."};
    }
    if (is_after(fence, node.last_submitted_)) {
      return {kInvalidFence, "The driver reported a fence as completed that was not submitted yet."};
    }
    return {kInvalidFence, "The driver reported a fence as completed whose packet is not in the hardware."};
  }
  now_ = now;
  node.complete(fence, now);
  mark_done(node);
  mark(node);
  return {};
}

Verdict Scheduler::preempted(uint32_t index, FenceId preemption, FenceId last_completed, base::TimeNs now) {
  if (!valid_node(index)) return kUnknownNode;
  Node& node = nodes_[index];
  if (node.resetting_ || stopped_) return {};
  if (!node.preempting() || preemption != node.preemption_) {
    if (preemption && preemption == node.abandoned_) {
      node.abandoned_ = 0;
      return {};
    }
    return {kInvalidFence, "The driver reported a preemption that nobody asked for."};
  }
  last_completed = node.with_refused(last_completed);
  if (!node.plausible_last(last_completed)) {
    return {kInvalidFence,
            "The last completed fence of a preemption is neither the last one reported nor in the hardware."};
  }
  now_ = now;
  if (last_completed != node.last_completed_) node.complete(last_completed, now);
  empty_hardware(node, node.for_quantum_ ? Left::PreemptedForQuantum : Left::Preempted);
  node.preemption_ = 0;
  node.for_quantum_ = false;
  node.progress(now);
  mark_done(node);
  mark(node);
  return {};
}

Verdict Scheduler::faulted(uint32_t index, FenceId fence, base::TimeNs now) {
  if (!valid_node(index)) return kUnknownNode;
  Node& node = nodes_[index];
  if (node.resetting_ || stopped_) return {};
  return end_by_fault(node, fence, DeviceError::Fault, now);
}

Verdict Scheduler::page_faulted(uint32_t index, FenceId fence, uint32_t flags, base::TimeNs now) {
  if (!valid_node(index)) return kUnknownNode;
  Node& node = nodes_[index];
  if (node.resetting_ || stopped_) return {};
  const bool adapter_reset = flags & DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED;
  const bool engine_reset = flags & DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  if (flags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) {
    return {kFatalPageFault, "The driver reported a page fault as a fatal error of the hardware."};
  }
  if (flags & DXGK_PAGE_FAULT_FENCE_INVALID) {
    if (fence != 0) return {kInvalidPageFault, "A page fault whose packet is not known came with a fence."};
    if (!adapter_reset && !engine_reset) {
      return {kInvalidPageFault, "A page fault whose packet is not known asks for no reset."};
    }
  } else {
    const Verdict verdict = end_by_fault(node, fence, DeviceError::PageFault, now);
    if (!verdict.fine()) return verdict;
  }
  if (adapter_reset) {
    node.wanted_ = Node::Wanted::AdapterReset;
  } else if (engine_reset && node.wanted_ == Node::Wanted::Nothing) {
    node.wanted_ = Node::Wanted::EngineReset;
  }
  mark(node);
  return {};
}

// Everything before the packet is completed; the packet itself is aborted, its fence counts as completed, its device is
// in error.
Verdict Scheduler::end_by_fault(Node& node, FenceId fence, DeviceError error, base::TimeNs now) {
  Packet* guilty = node.find(fence);
  if (!guilty) return {kInvalidFence, "The driver reported a fault of a fence whose packet is not in the hardware."};
  if (guilty->paging()) return {kFaultedSystemCommand, "The driver reported a fault of a paging command."};
  now_ = now;
  node.complete(fence, now);
  guilty->outcome_ = Outcome::Aborted;
  fail(guilty->context().device(), error);
  mark_done(node);
  mark(node);
  return {};
}

}  // namespace vidsch
