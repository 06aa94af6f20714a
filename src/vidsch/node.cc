#include "vidsch/node.h"

#include "base/check.h"

namespace vidsch {

void Node::put(Packet& packet, FenceId fence, base::TimeNs now) {
  Context& context = packet.context();
  if (hardware_.empty()) progress(now);
  packet.fence_ = fence;
  packet.state_ = Packet::State::Hardware;
  packet.level_ = context.level();
  hardware_.push_back(packet);
  ++in_hardware_;
  ++context.in_hardware_;
  ++level_counts_[packet.level_];
  levels_ |= uint64_t{1} << packet.level_;
  // Paging that is submitted again has an older fence than the packets that were voided when it was taken back.
  if (is_after(fence, last_submitted_)) last_submitted_ = fence;
}

void Node::take(Packet& packet) {
  hardware_.remove(packet);
  --in_hardware_;
  --packet.context().in_hardware_;
  if (--level_counts_[packet.level_] == 0) levels_ &= ~(uint64_t{1} << packet.level_);
}

Packet* Node::find(FenceId fence) const {
  Packet* packet = hardware_.front();
  while (packet && is_after(fence, packet->fence_)) packet = hardware_.after(*packet);
  return packet && packet->fence_ == fence ? packet : nullptr;
}

void Node::finish(Packet& packet, Outcome outcome) {
  take(packet);
  packet.outcome_ = packet.state_ == Packet::State::Refused ? Outcome::Aborted : outcome;
  packet.state_ = Packet::State::Done;
  done_.push_back(packet);
}

void Node::complete(FenceId fence, base::TimeNs now) {
  while (Packet* first = hardware_.front()) {
    if (is_after(first->fence_, fence)) break;
    completed_refused_ = first->state_ == Packet::State::Refused;
    if (!completed_refused_) last_accepted_ = first->fence_;
    finish(*first, Outcome::Completed);
  }
  last_completed_ = fence;
  settle_refused();
  progress(now);
}

void Node::settle_refused() {
  while (Packet* first = hardware_.front()) {
    if (first->state_ != Packet::State::Refused) return;
    last_completed_ = first->fence_;
    completed_refused_ = true;
    finish(*first, Outcome::Aborted);
  }
}

void Node::progress(base::TimeNs now) {
  running_since_ = now;
  queried_ = false;
}

void Node::abandon_preemption() {
  if (preemption_) abandoned_ = preemption_;
  preemption_ = 0;
  for_quantum_ = false;
}

bool Node::validate() const {
  uint32_t count = 0;
  uint32_t levels[kLevels] = {};
  const Packet* previous = nullptr;
  for (const Packet* p = hardware_.front(); p; previous = p, p = hardware_.after(*p)) {
    if (!p->in_hardware() || !is_after(p->fence_, last_completed_) || is_after(p->fence_, last_submitted_))
      return false;
    if (previous && !is_after(p->fence_, previous->fence_)) return false;
    ++levels[p->level_];
    ++count;
  }
  for (uint32_t level = 0; level < kLevels; ++level) {
    if (levels[level] != level_counts_[level] || (levels[level] != 0) != ((levels_ >> level & 1) != 0)) return false;
  }
  for (const Packet* p = again_.front(); p; p = again_.after(*p)) {
    if (!p->paging() || p->state_ != Packet::State::Again) return false;
  }
  for (const Packet* p = done_.front(); p; p = done_.after(*p)) {
    if (p->state_ != Packet::State::Done) return false;
  }
  return count == in_hardware_ && waiting_.validate();
}

}  // namespace vidsch
