// Which packet goes to the hardware next.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "vidsch/scheduler.h"

namespace vidsch {

Action Scheduler::next(base::TimeNs now) {
  CHECK_MSG(awaited_ == Action::Kind::None, "the last action was not answered");
  now_ = now;
  for (;;) {
    retire_completed();
    while (Context* context = attention_.front()) {
      const Action action = attend(*context);
      if (action.kind != Action::Kind::None) return action;
    }
    if (stopped_) break;
    if (recovery_.phase != Recovery::Phase::None) {
      const Action action = recover(now);
      if (action.kind != Action::Kind::None) return action;
    }
    if (now >= wake_at_) {
      wake_at_ = base::kForever;
      mark_all();
    }
    while (due_) {
      Node& node = nodes_[std::countr_zero(due_)];
      due_ &= due_ - 1;
      const Action action = step(node, now);
      if (action.kind == Action::Kind::None) continue;
      mark(node);
      return action;
    }
    if (attention_.empty() && !done_) break;
  }
  return {};
}

base::TimeNs Scheduler::next_deadline() const {
  if (stopped_) return base::kForever;
  base::TimeNs earliest = base::kForever;
  if (recovery_.phase == Recovery::Phase::Preempt) earliest = recovery_.deadline;
  for (uint32_t i = 0; i < node_count_; ++i) {
    earliest = std::min({earliest, timeout_deadline(nodes_[i]), quantum_deadline(nodes_[i])});
  }
  return earliest;
}

Action Scheduler::await(const Action& action) {
  awaited_ = action.kind;
  return action;
}

void Scheduler::answered(Action::Kind kind) {
  CHECK_MSG(awaited_ == kind, "an answer to an action that was not asked for");
  awaited_ = Action::Kind::None;
}

Action Scheduler::step(Node& node, base::TimeNs now) {
  Action action = watch(node, now);
  if (action.kind == Action::Kind::None) action = schedule(node, now);
  wake_at_ = std::min({wake_at_, timeout_deadline(node), quantum_deadline(node)});
  return action;
}

// Whether nothing may be submitted to the node for now.
bool Scheduler::closed(const Node& node) const { return node.preempting() || node.resetting_ || node.frozen_; }

Action Scheduler::schedule(Node& node, base::TimeNs now) {
  if (closed(node)) return {};
  if (Packet* packet = node.again_.front()) {
    if (full(node)) return {};
    node.again_.remove(*packet);
    return submit(node, *packet, packet->fence(), now);
  }
  while (Context* context = node.waiting_.best()) {
    if (pauses_ && !context->system()) return {};  // nor is anything behind it: paging comes first
    if (context == node.current_ && now >= node.quantum_end_ && !node.waiting_.best_is_alone()) {
      node.waiting_.rotate();
      context = node.waiting_.best();
    }
    const bool preempt = worth_preempting(node, *context, now);
    if (!preempt && full(node)) return {};
    // Held before ready() is called, so that a resume() from within counts.
    context->holds_ |= Context::kPreparing;
    if (!context->system() && !owner_.ready(*context)) {
      place(*context);
      continue;
    }
    context->holds_ &= static_cast<uint8_t>(~Context::kPreparing);
    if (!preempt) return submit_next(node, *context, now);
    node.for_quantum_ = context->level() == node.lowest_level();
    return ask_preemption(node, now);
  }
  return {};
}

// Whether a packet in the hardware keeps this context from it, and the driver can take it back: a packet of a lower
// level, or of the same level with its quantum used up.
bool Scheduler::worth_preempting(const Node& node, const Context& context, base::TimeNs now) const {
  if (!config_.preemption_aware || !node.in_hardware_) return false;
  if (context.level() != node.lowest_level()) return context.level() > node.lowest_level();
  return &context != node.current_ && now >= quantum_deadline(node);
}

// When a context of the waiting contexts' level has held a full hardware for its quantum.
base::TimeNs Scheduler::quantum_deadline(const Node& node) const {
  const Context* best = node.waiting_.best();
  const Context* current = node.current_;
  if (!config_.preemption_aware || !best || !current || !current->in_hardware_ || !full(node) || closed(node)) {
    return base::kForever;
  }
  if (pauses_) return base::kForever;
  if (!node.again_.empty() || best->level() != node.lowest_level()) return base::kForever;
  if (best == current && node.waiting_.best_is_alone()) return base::kForever;
  return node.quantum_end_;
}

Action Scheduler::submit_next(Node& node, Context& context, base::TimeNs now) {
  if (node.current_ != &context || now >= node.quantum_end_) {
    node.current_ = &context;
    node.quantum_end_ = now + (context.settings_.quantum_ns ? context.settings_.quantum_ns : config_.quantum_ns);
  }
  Packet& packet = *context.cursor_;
  advance(context);
  place(context);
  return submit(node, packet, node.take_fence(), now);
}

Action Scheduler::submit(Node& node, Packet& packet, FenceId fence, base::TimeNs now) {
  node.put(packet, fence, now);
  packet.resubmission_ = packet.preempted_in_ == life_;
  calling_ = &packet;
  return await({.kind = Action::Kind::Submit, .node = node.index(), .fence = fence, .packet = &packet});
}

Verdict Scheduler::submitted(Packet& packet, Submission submission) {
  answered(Action::Kind::Submit);
  CHECK(calling_ == &packet);
  calling_ = nullptr;
  Node& node = nodes_[packet.context().node()];
  const bool done = packet.state_ == Packet::State::Done;
  if (done) mark_done(node);
  if (submission == Submission::Accepted || stopped_) return {};
  if (!packet.context().system()) fail(packet.context().device(), DeviceError::Refused);
  if (done) return {kInvalidFence, "The driver reported a fence as completed and then refused its submission."};
  packet.state_ = Packet::State::Refused;
  node.settle_refused();
  mark_done(node);
  mark(node);
  return {};
}

Action Scheduler::ask_preemption(Node& node, base::TimeNs now) {
  node.preemption_ = node.take_fence();
  node.preempting_since_ = now;
  return {.kind = Action::Kind::Preempt, .node = node.index(), .fence = node.preemption_};
}

}  // namespace vidsch
