#include "ks/stream/queue_impl.h"

// Computes all counts of a queue again and compares them. For tests.
namespace ks {
namespace {

bool passed(const StreamPointer& edge, const Frame& frame) {
  return !edge.frame() || frame.sequence < edge.frame()->sequence;
}

}  // namespace

bool QueueImpl::valid(const Frame& frame) const {
  uint32_t clones = 0, locks = 0, edge_locks = 0;
  for (const StreamPointer* clone = frame.clones; clone; clone = clone->next_on_frame_) {
    if (clone->frame_ != &frame || !clone->live_ || clone->detached_) return false;
    ++clones;
    locks += clone->locked_;
  }
  for (const StreamPointer* edge : {&leading, &trailing}) edge_locks += edge->frame_ == &frame && edge->locked_;
  uint32_t edges = !passed(leading, frame) + (distinct_trailing && !passed(trailing, frame));
  if (frame.left_behind != 0 && !frame.request->ending_) return false;
  return frame.references == edges + clones + frame.left_behind && frame.references != 0 &&
         frame.locks == locks + edge_locks && frame.holders == clones + edge_locks &&
         frame.request->place_ == StreamIrp::Place::Queued;
}

bool QueueImpl::valid(StreamIrp& request) const {
  uint32_t left = 0, locks = 0;
  for (const Frame& frame : request.frames()) {
    left += frame.references != 0;
    locks += frame.references != 0 ? frame.locks : 0;
  }
  bool placed = request.place_ == (left ? StreamIrp::Place::Queued : StreamIrp::Place::Finished);
  return placed && request.left_ == left && request.locks_ == locks && !(request.ending_ && locks == 0);
}

bool Queue::validate() {
  QueueImpl& q = *impl_;
  QueueImpl::Held held(q);
  size_t frames = 0, ahead = 0, waiting = 0;
  const Frame* before = nullptr;
  for (const Frame* frame = q.first; frame; before = frame, frame = frame->next, ++frames) {
    if (frame->prev != before || (before && before->sequence >= frame->sequence) || !q.valid(*frame)) return false;
    if (passed(q.leading, *frame) && frame->ahead != 0) return false;
    ahead += frame->ahead;
  }
  for (StreamIrp* request = q.first_request; request; request = request->next_) {
    if (!q.valid(*request)) return false;
  }
  const StreamPointer* earlier = nullptr;
  for (const StreamPointer* clone = q.first_clone; clone; earlier = clone, clone = clone->next_) {
    if (clone->prev_ != earlier || !clone->live_) return false;
    waiting += !clone->frame_ && !clone->detached_;
  }
  return before == q.last && earlier == q.last_clone && frames == q.frames && ahead == q.ahead &&
         waiting == q.waiting_clones;
}

}  // namespace ks
