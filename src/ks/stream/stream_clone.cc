// Clones of stream pointers. Pages: ks/nf-ks-ksstreampointerclone, ks/nf-ks-ksstreampointerdelete,
// stream/cloning-stream-pointers.
#include <fmt/format.h>

#include "ks/stream/queue_impl.h"

namespace ks {

StreamPointer* QueueImpl::take_clone(uint32_t context_bytes) {
  Dead& list = dead[context_bytes];
  if (list.count <= kKeptBack) return new StreamPointer(self, StreamPointer::Kind::Clone, context_bytes);
  StreamPointer* clone = list.first;
  list.first = clone->next_;
  --list.count;
  return clone;
}

StreamPointer* QueueImpl::new_clone(StreamPointer& from, PFNKSSTREAMPOINTER cancelled, uint32_t context_bytes) {
  StreamPointer* clone = take_clone(context_bytes);
  if (!clone->begin(machine, site.body)) {
    delete clone;
    return nullptr;
  }
  clone->cancelled_ = cancelled;
  clone->next_ = nullptr;
  clone->prev_ = last_clone;
  (last_clone ? last_clone->next_ : first_clone) = clone;
  last_clone = clone;
  ++waiting_clones;
  put_on(*clone, *from.frame_);
  clone->body_->OffsetIn = from.body_->OffsetIn;
  clone->body_->OffsetOut = from.body_->OffsetOut;
  if (from.locked_) {
    clone->locked_ = true;
    ++from.frame_->locks;
    ++from.frame_->request->locks_;
  }
  return clone;
}

base::Result<StreamPointer*> StreamPointer::clone(PFNKSSTREAMPOINTER cancelled, uint32_t context_bytes) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerClone")) {
    return base::Failure(STATUS_DEVICE_NOT_READY, "no clone is made in a cancel callback");
  }
  base::StackId here = q.place();
  QueueImpl::Held held(q);
  if (!frame_) return base::Failure(STATUS_DEVICE_NOT_READY, "there is no frame at the stream pointer");
  StreamPointer* made = q.new_clone(*this, cancelled, context_bytes);
  if (!made) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "there is no memory for a clone");
  made->taken_at_ = here;
  return made;
}

StreamPointer* StreamPointer::next_clone() {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerGetNextClone")) return nullptr;
  QueueImpl::Held held(q);
  return kind_ == Kind::Clone ? next_ : nullptr;
}

Frame* QueueImpl::detach_clone(StreamPointer& clone) {
  ++progress;
  Frame* frame = clone.frame_;
  if (frame) {
    if (frame->header->DataUsed == 0) set_data_used(clone);
    if (clone.locked_) unlock(clone);
    take_off(clone);
  }
  if (!clone.detached_) --waiting_clones;
  clone.timeout_ticket_.store(0, std::memory_order_release);
  (clone.prev_ ? clone.prev_->next_ : first_clone) = clone.next_;
  (clone.next_ ? clone.next_->prev_ : last_clone) = clone.prev_;
  clone.forbid_access();
  clone.next_ = nullptr;
  Dead& list = dead[clone.context_bytes_];
  (list.count++ == 0 ? list.first : list.last->next_) = &clone;
  list.last = &clone;
  return frame;
}

void QueueImpl::remove_clone(Held& held, StreamPointer& clone) {
  Frame* frame = detach_clone(clone);
  if (!frame) return;
  StreamIrp& request = *frame->request;
  if (frame->references == 0) frame_done(held, *frame);
  settle(held, request);
}

void StreamPointer::remove() {
  QueueImpl& q = *queue_.impl_;
  if (q.in_callback() && q.cancelling == this) {  // the caller of the callback keeps the frame
    q.detach_clone(*this);
    return;
  }
  if (q.misused_in_callback("KsStreamPointerDelete for another clone")) return;
  if (kind_ != Kind::Clone) {
    q.machine.report_violation(nt::Violation::KsPointerDeletedWrong,
                               fmt::format("{}: KsStreamPointerDelete was given the {} edge, which cannot be deleted",
                                           q.site.name, kind_ == Kind::Leading ? "leading" : "trailing"));
    return;
  }
  QueueImpl::Held held(q);
  q.remove_clone(held, *this);
}

}  // namespace ks
