// Packets that do not complete: timeouts, and how a node or the adapter is recovered ("TDR in Windows 8 and later").
//
//   the oldest packet has run for TdrDelay
//     └ QueryFence: was it only an interrupt that got lost?
//        └ Preempt, where the driver is aware of it and was not asked already; it has TdrDelay to answer
//           └ with SupportPerEngineTDR: QueryDependents, 500 ms for the dependents to preempt, ResetEngine for each
//             that did not; packets up to the last aborted fence are aborted and their devices in error
//              └ failed, a paging packet aborted, or a packet hangs again that an engine's reset spared: ResetAdapter.
//                More than TdrLimitCount of these in TdrLimitTime: bug check 0x116
//
// Packets that were not aborted are taken back and run again. The last step's "hangs again" is policy: with a driver
// that always says that nothing was aborted, this would otherwise go on for ever.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "vidsch/scheduler.h"

namespace vidsch {

namespace {

constexpr uint32_t kVideoTdrFailure = 0x116;

}  // namespace

base::TimeNs Scheduler::timeout_deadline(const Node& node) const {
  if (config_.timeout.level == TdrLevel::Off || recovery_.phase != Recovery::Phase::None) return base::kForever;
  const bool running = node.in_hardware_ != 0;
  if (!running && !node.preempting()) return base::kForever;
  // Nor has a preemption that is asked of it: the next packet's time begins when this one has ended.
  if (running && node.hardware_.front()->context().settings_.may_run_long) return base::kForever;
  base::TimeNs since = node.preempting() ? node.preempting_since_ : 0;
  if (running) since = std::max(since, node.running_since_);
  return since + config_.timeout.delay_ns;
}

void Scheduler::end_patience(DeviceState& device, base::TimeNs now) {
  for (Context* context = device.contexts_.front(); context; context = device.contexts_.after(*context)) {
    if (!std::exchange(context->settings_.may_run_long, false)) continue;
    Node& node = nodes_[context->node()];
    const Packet* first = node.hardware_.front();
    if (first && &first->context() == context) node.progress(now);
    mark(node);
  }
}

Action Scheduler::watch(Node& node, base::TimeNs now) {
  if (recovery_.phase != Recovery::Phase::None) return {};
  if (node.wanted_ != Node::Wanted::Nothing) {
    return begin_recovery(node, node.wanted_ == Node::Wanted::EngineReset && config_.per_engine_tdr, now);
  }
  if (now < timeout_deadline(node)) return {};
  if (!node.queried_) {
    node.queried_ = true;
    return {.kind = Action::Kind::QueryFence, .node = node.index()};
  }
  if (config_.preemption_aware && !node.preempting()) return ask_preemption(node, now);
  return time_out(node, now);
}

Action Scheduler::time_out(Node& node, base::TimeNs now) {
  if (!node.in_hardware_) {
    const FenceId lost = node.preemption_;
    node.abandon_preemption();
    return {.kind = Action::Kind::Unanswered, .node = node.index(), .fence = lost};
  }
  if (config_.timeout.level == TdrLevel::BugCheck) {
    return bug_check(kVideoTdrFailure, "The GPU timed out, and TdrLevel asks for no recovery.");
  }
  Action action = begin_recovery(node, config_.per_engine_tdr && !node.hardware_.front()->spared_, now);
  action.timed_out = action.kind != Action::Kind::BugCheck;
  return action;
}

// From here on what the node reports is ignored: the reset is about what is in its hardware now.
Action Scheduler::begin_recovery(Node& node, bool engine, base::TimeNs now) {
  node.resetting_ = true;
  node.frozen_ = true;
  node.wanted_ = Node::Wanted::Nothing;
  recovery_ = {.phase = Recovery::Phase::Ask, .node = node.index()};
  if (!engine) return reset_adapter(now);
  return await({.kind = Action::Kind::QueryDependents, .node = node.index()});
}

Verdict Scheduler::dependents(uint32_t index, uint64_t node_mask, base::TimeNs now) {
  if (stopped_) return {};
  answered(Action::Kind::QueryDependents);
  CHECK(recovery_.node == index);
  const uint32_t first = index / config_.nodes * config_.nodes;  // all of one engine
  const uint64_t own = uint64_t{1} << index;
  const uint64_t group = (node_mask & (~uint64_t{0} >> (64 - config_.nodes))) << first;
  for (uint64_t rest = group & ~own; rest; rest &= rest - 1) {
    Node& node = nodes_[std::countr_zero(rest)];
    node.frozen_ = true;
    if (node.in_hardware_ || node.preempting()) recovery_.preempting |= uint64_t{1} << node.index();
  }
  recovery_.phase = Recovery::Phase::Preempt;
  recovery_.deadline = config_.preemption_aware ? now + config_.timeout.dependents_delay_ns : now;
  if (group & own) return {};
  return {kInvalidNodeMask, "The node that is to be reset is missing in the mask of those that its reset affects."};
}

Action Scheduler::recover(base::TimeNs now) {
  if (recovery_.phase == Recovery::Phase::Preempt) {
    const Action action = let_dependents_preempt(now);
    if (action.kind != Action::Kind::None) return action;
  }
  if (recovery_.phase == Recovery::Phase::Reset) return reset_next_engine();
  if (recovery_.phase == Recovery::Phase::Adapter) return reset_adapter(now);
  return {};
}

Action Scheduler::let_dependents_preempt(base::TimeNs now) {
  const bool late = now >= recovery_.deadline;
  for (uint64_t rest = recovery_.preempting; rest; rest &= rest - 1) {
    Node& node = nodes_[std::countr_zero(rest)];
    if (node.preempting()) continue;
    if (!node.in_hardware_) {
      recovery_.preempting &= ~(uint64_t{1} << node.index());
    } else if (!late) {
      return ask_preemption(node, now);
    }
  }
  if (recovery_.preempting && !late) return {};
  recovery_.resetting = recovery_.preempting | uint64_t{1} << recovery_.node;
  recovery_.phase = Recovery::Phase::Reset;
  return {};
}

Action Scheduler::reset_next_engine() {
  while (recovery_.resetting) {
    Node& node = nodes_[std::countr_zero(recovery_.resetting)];
    if (node.in_hardware_ || node.index() == recovery_.node) {
      node.resetting_ = true;
      return await({.kind = Action::Kind::ResetEngine, .node = node.index(), .packet = node.hardware_.front()});
    }
    // It finished by itself and still owes the answer to its preemption; that alone is not worth a reset.
    recovery_.resetting &= recovery_.resetting - 1;
  }
  end_recovery();
  return {};
}

Verdict Scheduler::engine_reset(uint32_t index, Reset reset, FenceId last_aborted, base::TimeNs now) {
  if (stopped_) return {};
  answered(Action::Kind::ResetEngine);
  CHECK(valid_node(index) && nodes_[index].resetting_);
  Node& node = nodes_[index];
  last_aborted = node.with_refused(last_aborted);
  const bool plausible = node.plausible_last(last_aborted);
  if (reset == Reset::Failed || !plausible) {
    recovery_.phase = Recovery::Phase::Adapter;
    if (reset == Reset::Failed) return {};
    return {kInvalidAbortedFence, "LastAbortedFenceId is neither the last completed fence nor one in the hardware."};
  }
  now_ = now;
  bool paging_lost = false;
  if (last_aborted == node.last_completed_) {
    if (Packet* first = node.hardware_.front()) first->spared_ = true;
  } else {
    while (Packet* first = node.hardware_.front()) {
      if (is_after(first->fence(), last_aborted)) break;
      paging_lost |= first->paging();
      abort(node, *first);
    }
    node.last_completed_ = node.last_accepted_ = last_aborted;
    node.completed_refused_ = false;
  }
  empty_hardware(node, Left::EngineReset);
  node.abandon_preemption();
  recovery_.resetting &= ~(uint64_t{1} << index);
  if (paging_lost) {
    recovery_.phase = Recovery::Phase::Adapter;
  } else {
    node.resetting_ = false;
    if (!recovery_.resetting) end_recovery();
  }
  return {};
}

Action Scheduler::reset_adapter(base::TimeNs now) {
  if (!resets_.admit(now)) {
    return bug_check(kVideoTdrFailure, "The adapter was reset more often than TdrLimitCount in TdrLimitTime.");
  }
  recovery_.phase = Recovery::Phase::Adapter;
  for (uint32_t i = 0; i < node_count_; ++i) nodes_[i].resetting_ = true;
  return await({.kind = Action::Kind::ResetAdapter,
                .node = recovery_.node,
                .packet = nodes_[recovery_.node].hardware_.front(),
                .deadline = now + config_.timeout.driver_delay_ns});
}

void Scheduler::adapter_reset_done(base::TimeNs now) {
  if (stopped_) return;
  answered(Action::Kind::ResetAdapter);
  now_ = now;
  ++life_;  // the driver's state of preempted packets was in the memory that was purged
  Node& hung = nodes_[recovery_.node];
  if (Packet* guilty = hung.hardware_.front()) abort(hung, *guilty);
  for (uint32_t i = 0; i < node_count_; ++i) {
    Node& node = nodes_[i];
    empty_hardware(node, Left::AdapterReset);
    node.last_completed_ = node.last_accepted_ = node.last_submitted_;
    node.completed_refused_ = false;
    node.abandon_preemption();
    node.wanted_ = Node::Wanted::Nothing;
    node.resetting_ = false;
  }
  end_recovery();
}

// The system's own device is never in error.
void Scheduler::abort(Node& node, Packet& packet) {
  DeviceState& device = packet.context().device();
  const bool system = packet.context().system();
  node.finish(packet, Outcome::Aborted);
  mark_done(node);
  if (!system) fail(device, DeviceError::Hung);
}

// Takes everything out of the hardware. What can run again is taken back, the youngest first, so that the contexts
// return in their old order.
void Scheduler::empty_hardware(Node& node, Left left) {
  for (Packet* packet = node.hardware_.front(); packet;) {
    Packet* next = node.hardware_.after(*packet);
    const bool lost = left == Left::AdapterReset && packet->context().device().failed();
    if (lost || packet->state_ == Packet::State::Refused) {
      node.finish(*packet, Outcome::Aborted);
      mark_done(node);
    }
    packet = next;
  }
  const Turn turn = left == Left::PreemptedForQuantum ? Turn::Last : Turn::First;
  while (Packet* packet = node.hardware_.back()) {
    node.take(*packet);
    if (left == Left::Preempted || left == Left::PreemptedForQuantum) packet->preempted_in_ = life_;
    if (packet->paging() && left != Left::AdapterReset) {
      packet->state_ = Packet::State::Again;
      node.again_.push_front(*packet);
    } else {
      take_back(*packet, turn);
    }
  }
  if (left != Left::AdapterReset) return;
  while (Packet* packet = node.again_.pop_back()) take_back(*packet, turn);
}

void Scheduler::end_recovery() {
  recovery_ = {};
  for (uint32_t i = 0; i < node_count_; ++i) nodes_[i].frozen_ = false;
  mark_all();
}

void Scheduler::stop() {
  stopped_ = true;
  if (!calling_) awaited_ = Action::Kind::None;
  recovery_ = {};
  for (uint32_t i = 0; i < node_count_; ++i) {
    Node& node = nodes_[i];
    while (Packet* packet = node.hardware_.front()) node.finish(*packet, Outcome::Aborted);
    while (Packet* packet = node.again_.pop_front()) {
      packet->outcome_ = Outcome::Aborted;
      packet->state_ = Packet::State::Done;
      node.done_.push_back(*packet);
    }
    node.preemption_ = 0;
    mark_done(node);
  }
}

Action Scheduler::bug_check(uint32_t code, const char* sentence) {
  stopped_ = true;
  return {.kind = Action::Kind::BugCheck, .code = code, .sentence = sentence};
}

}  // namespace vidsch
