// Calls of clients and of the owner, and the list that a context is on afterwards. See also scheduler_dispatch.cc
// (next), scheduler_interrupt.cc and scheduler_recovery.cc.
#include "vidsch/scheduler.h"

#include <bit>

#include "base/check.h"

namespace vidsch {

Scheduler::Scheduler(Owner& owner, const SchedulerConfig& config)
    : owner_(owner), config_(config), node_count_(config.nodes * config.engines), resets_(config.timeout) {
  CHECK(node_count_ >= 1 && node_count_ <= 64);
  CHECK(config.hardware_depth >= 1);
  nodes_ = std::make_unique<Node[]>(node_count_);
  for (uint32_t i = 0; i < node_count_; ++i) {
    Node& node = nodes_[i];
    node.index_ = i;
    node.last_given_ = node.last_submitted_ = node.last_completed_ = config.first_fence - 1;
  }
}

Scheduler::~Scheduler() = default;

void Scheduler::add(Context& context) {
  CHECK(!context.added_ && valid_node(context.node()) && context.level() < kLevels);
  context.added_ = true;
  context.device_.contexts_.push_back(context);
}

void Scheduler::remove(Context& context) {
  CHECK(context.added_ && context.empty());
  Node& node = nodes_[context.node()];
  if (node.current_ == &context) node.current_ = nullptr;
  displace(context);
  context.device_.contexts_.remove(context);
  context.added_ = false;
}

void Scheduler::enqueue(Context& context, Packet& packet, base::TimeNs now) {
  DCHECK(context.added_);
  CHECK(!packet.for_hardware() || packet.paging() == context.system());
  now_ = now;
  packet.context_ = &context;
  packet.sequence_ = ++sequence_;
  packet.state_ = Packet::State::Queued;
  packet.outcome_ = Outcome::Completed;
  packet.fence_ = 0;
  packet.resubmission_ = false;
  packet.preempted_in_ = 0;
  packet.spared_ = false;
  context.packets_.push_back(packet);
  if (context.cursor_) return;
  context.cursor_ = &packet;
  if (context.device_.failed() || stopped_) context.cancelling_ = true;
  place(context);
}

void Scheduler::set_level(Context& context, Level level) {
  CHECK(level < kSystemLevel);
  displace(context);
  context.settings_.level = level;
  place(context);
}

void Scheduler::cancel(Context& context) {
  Node& node = nodes_[context.node()];
  for (Packet* packet = node.again_.front(); packet;) {
    Packet* next = node.again_.after(*packet);
    if (&packet->context() == &context) {
      node.again_.remove(*packet);
      packet->state_ = Packet::State::Done;
      packet->outcome_ = Outcome::Cancelled;
      node.done_.push_back(*packet);
      mark_done(node);
    }
    packet = next;
  }
  context.cancelling_ = context.cursor_ || context.device_.failed();
  place(context);
}

void Scheduler::fail(DeviceState& device, DeviceError error) {
  if (device.failed()) return;
  device.error_ = error;
  for (Context* context = device.contexts_.front(); context; context = device.contexts_.after(*context)) {
    CHECK(!context->system());
    cancel(*context);
  }
}

void Scheduler::wake(Packet& wait) {
  Context& context = wait.context();
  if (context.wait_ != &wait) return;
  wait.state_ = Packet::State::Passed;
  context.wait_ = nullptr;
  place(context);
}

void Scheduler::suspend(Context& context) {
  context.holds_ |= Context::kSuspended;
  place(context);
}

void Scheduler::resume(Context& context) {
  context.holds_ = 0;
  place(context);
}

void Scheduler::suspend(DeviceState& device) {
  device.suspended_ = true;
  for (Context* context = device.contexts_.front(); context; context = device.contexts_.after(*context))
    place(*context);
}

void Scheduler::resume(DeviceState& device) {
  device.suspended_ = false;
  for (Context* context = device.contexts_.front(); context; context = device.contexts_.after(*context)) {
    context->holds_ &= static_cast<uint8_t>(~Context::kPreparing);
    place(*context);
  }
}

void Scheduler::unpause() {
  CHECK(pauses_ > 0);
  --pauses_;
  mark_all();
}

bool Scheduler::idle() const {
  for (uint32_t i = 0; i < node_count_; ++i) {
    if (nodes_[i].in_hardware() || nodes_[i].preempting()) return false;
  }
  return recovery_.phase == Recovery::Phase::None;
}

// Where the context belongs now: its node's run queue when its next packet is for the hardware, the attention list when
// something can be done without the hardware, no list when it has nothing or must wait.
void Scheduler::place(Context& context, Turn turn) {
  using Place = Context::Place;
  Place place = Place::Nowhere;
  if (context.cursor_) {
    const bool held = context.holds_ || context.device_.suspended_ || context.cursor_ == context.wait_;
    if (context.cancelling_) {
      place = Place::Attention;
    } else if (!held) {
      place = context.cursor_->for_hardware() ? Place::RunQueue : Place::Attention;
    }
  }
  if (place == context.place_ && turn == Turn::InOrder) return;
  displace(context);
  context.place_ = place;
  if (place == Place::Attention) attention_.push_back(context);
  if (place != Place::RunQueue) return;
  Node& node = nodes_[context.node()];
  const bool in_turn = node.current_ == &context && now_ < node.quantum_end_;
  if (turn == Turn::First || (turn == Turn::InOrder && in_turn)) {
    node.waiting_.push_front(context);
  } else {
    node.waiting_.push_back(context);
  }
  mark(node);
}

void Scheduler::displace(Context& context) {
  if (context.place_ == Context::Place::RunQueue) nodes_[context.node()].waiting_.remove(context);
  if (context.place_ == Context::Place::Attention) attention_.remove(context);
  context.place_ = Context::Place::Nowhere;
}

// Does what a context can do without the hardware. At most one action results: a packet to cancel.
Action Scheduler::attend(Context& context) {
  displace(context);
  if (context.cancelling_) return cancel_next(context);
  while (context.cursor_ && !context.cursor_->for_hardware() && pass(context, *context.cursor_)) {
    advance(context);
  }
  drain(context);
  place(context);
  return {};
}

// To the next packet that is not over: after a packet was taken back, cancelled ones may lie behind it.
void Scheduler::advance(Context& context) {
  do {
    context.cursor_ = context.packets_.after(*context.cursor_);
  } while (context.cursor_ && context.cursor_->state_ == Packet::State::Done);
}

// Whether the context may go on after this packet, which needs no hardware.
bool Scheduler::pass(Context& context, Packet& packet) {
  using State = Packet::State;
  if (packet.state_ != State::Queued) return packet.state_ != State::Waiting;
  if (packet.kind() != PacketKind::Wait) {
    packet.state_ = State::Armed;
    return true;
  }
  packet.state_ = State::Waiting;
  context.wait_ = &packet;
  if (!owner_.try_wait(packet)) return packet.state_ == State::Passed;
  packet.state_ = State::Passed;
  context.wait_ = nullptr;
  return true;
}

Action Scheduler::cancel_next(Context& context) {
  while (Packet* packet = context.cursor_) {
    advance(context);
    if (!context.cursor_) context.cancelling_ = context.device_.failed();
    if (packet == context.wait_) context.wait_ = nullptr;
    packet->state_ = Packet::State::Done;
    packet->outcome_ = Outcome::Cancelled;
    if (!packet->for_hardware() || !config_.cancel_aware || stopped_) continue;
    place(context);
    calling_ = packet;
    return await({.kind = Action::Kind::Cancel, .node = context.node(), .fence = packet->fence(), .packet = packet});
  }
  drain(context);
  place(context);
  return {};
}

void Scheduler::cancelled(Packet& packet) {
  answered(Action::Kind::Cancel);
  CHECK(calling_ == &packet);
  calling_ = nullptr;
  drain(packet.context());
}

// Retires finished packets from the front of a context, and performs signals that are now at the front.
void Scheduler::drain(Context& context) {
  using State = Packet::State;
  while (Packet* first = context.packets_.front()) {
    if (first == context.cursor_ || first == calling_) return;
    if (first->state_ != State::Armed && first->state_ != State::Passed && first->state_ != State::Done) return;
    retire(context, *first);
  }
}

void Scheduler::retire(Context& context, Packet& packet) {
  if (packet.state_ == Packet::State::Armed) {
    if (context.device_.failed()) {
      packet.outcome_ = Outcome::Cancelled;
    } else if (packet.kind() != PacketKind::Marker) {
      owner_.signal(packet);
    }
  }
  context.packets_.remove(packet);
  const Hook<HardwareTag>& in_done = packet;
  if (in_done.linked()) nodes_[context.node()].done_.remove(packet);
  owner_.retire(packet, packet.outcome_);
}

void Scheduler::retire_completed() {
  while (done_) {
    Node& node = nodes_[std::countr_zero(done_)];
    while (Packet* packet = node.done_.front()) {
      if (packet == calling_) break;
      node.done_.remove(*packet);
      drain(packet->context());
    }
    done_ &= done_ - 1;
  }
}

// Takes back a packet that left the hardware unfinished: the context goes on from there.
void Scheduler::take_back(Packet& packet, Turn turn) {
  Context& context = packet.context();
  packet.state_ = Packet::State::Queued;
  if (!context.cursor_ || packet.sequence_ < context.cursor_->sequence_) context.cursor_ = &packet;
  place(context, turn);
}

bool Scheduler::validate() const {
  for (uint32_t i = 0; i < node_count_; ++i) {
    if (!nodes_[i].validate() || nodes_[i].in_hardware() > config_.hardware_depth) return false;
    if (!nodes_[i].done_.empty() && !(done_ >> i & 1) && nodes_[i].done_.front() != calling_) return false;
  }
  for (const Context* c = attention_.front(); c; c = attention_.after(*c)) {
    if (c->place_ != Context::Place::Attention || !c->cursor_) return false;
  }
  return true;
}

}  // namespace vidsch
