// How requests leave a queue: done, cancelled or flushed. Pages: stream/stream-pointers-and-irp-cancellation,
// stream/leading-and-trailing-edge-stream-pointers, ks/nc-ks-pfnksstreampointer.
#include <fmt/format.h>

#include <utility>

#include "ks/exports/callback.h"
#include "ks/stream/queue_impl.h"
#include "nt/io/irps.h"

namespace ks {

void QueueImpl::link(StreamIrp& request) {
  request.queue_ = &self;
  request.place_ = StreamIrp::Place::Queued;
  request.left_ = static_cast<uint32_t>(request.frames().size());
  request.locks_ = 0;
  request.ending_ = request.cancel_came_ = request.cancel_expected_ = false;
  request.next_ = nullptr;
  request.prev_ = last_request;
  (last_request ? last_request->next_ : first_request) = &request;
  last_request = &request;
}

void QueueImpl::unlink(StreamIrp& request) {
  (request.prev_ ? request.prev_->next_ : first_request) = request.next_;
  (request.next_ ? request.next_->prev_ : last_request) = request.prev_;
  request.next_ = request.prev_ = nullptr;
  request.place_ = StreamIrp::Place::Nowhere;
}

// --- Done ---

// A request that was to end when it is unlocked, and is done now, is not cancelled any more.
void QueueImpl::finished(Held& held, StreamIrp& request) {
  request.place_ = StreamIrp::Place::Finished;
  request.ending_ = false;
  if (has_flag(KSPIN_FLAG_ENFORCE_FIFO) && &request != first_request) return;
  take_out(held, request);
  release_finished(held);
}

// Requests that were done before the one in front of them.
void QueueImpl::release_finished(Held& held) {
  while (first_request && first_request->place_ == StreamIrp::Place::Finished) take_out(held, *first_request);
}

void QueueImpl::take_out(Held& held, StreamIrp& request) {
  unlink(request);
  if (!request.own_ && !__atomic_exchange_n(&request.irp_->CancelRoutine, nullptr, __ATOMIC_ACQ_REL) &&
      !request.cancel_came_) {
    request.cancel_expected_ = true;
    return;
  }
  held.leaves(request);
}

// --- Cancelled, flushed ---

// From here on the request can be cancelled. True: it was already, and has left.
bool QueueImpl::cancelled_before(Held& held, StreamIrp& request) {
  IRP& irp = *request.irp_;
  irp.Tail.Overlay.DriverContext[0] = &request;
  __atomic_store_n(&irp.CancelRoutine, &QueueImpl::cancel_routine, __ATOMIC_RELEASE);
  if (!irp.Cancel || !__atomic_exchange_n(&irp.CancelRoutine, nullptr, __ATOMIC_ACQ_REL)) return false;
  request.cancel_came_ = true;
  end(held, request, STATUS_CANCELLED);
  return true;
}

// With the cancel spin lock held.
void QueueImpl::cancel_routine(DEVICE_OBJECT*, IRP* irp) {
  Queue& queue = *static_cast<StreamIrp*>(irp->Tail.Overlay.DriverContext[0])->queue_;
  queue.site().machine.irps().release_cancel_lock(irp->CancelIrql);
  queue.cancel(*irp);
}

void Queue::cancel(IRP& irp) {
  QueueImpl& q = *impl_;
  auto& request = *static_cast<StreamIrp*>(irp.Tail.Overlay.DriverContext[0]);
  QueueImpl::Held held(q);
  request.cancel_came_ = true;
  if (request.cancel_expected_) {
    held.leaves(request);
  } else if (request.place_ == StreamIrp::Place::Finished) {
    q.take_out(held, request);
  } else {
    q.end_when_unlocked(held, request, STATUS_CANCELLED);
  }
}

void QueueImpl::end_when_unlocked(Held& held, StreamIrp& request, NTSTATUS status) {
  if (request.locks_ == 0) {
    end(held, request, status);
  } else if (!request.ending_) {
    request.ending_ = true;
    request.ending_status_ = status;
    leave_ending();
  }
}

void QueueImpl::settle(Held& held, StreamIrp& request) {
  if (!request.ending_ || request.place_ != StreamIrp::Place::Queued) return;
  if (request.locks_ == 0) {
    end(held, request, request.ending_status_);
  } else {
    leave_ending();
  }
}

void QueueImpl::end(Held& held, StreamIrp& request, NTSTATUS status) {
  request.ending_ = false;
  request.status_ = status;
  for (Frame& frame : request.frames()) {
    if (frame.references == 0) continue;
    end_frame(frame);
    ++(status == STATUS_CANCELLED ? counts.cancelled : counts.dropped);
  }
  bool in_front = &request == first_request;
  take_out(held, request);
  if (in_front) release_finished(held);
}

// No pointer is locked on the frame. Cancel callbacks of its clones run, and the clones have no frame afterwards; edges
// go on to newer frames.
void QueueImpl::end_frame(Frame& frame) {
  ++frame.references;  // so that a deletion in a callback does not end the frame: this function does
  while (StreamPointer* clone = frame.clones) {
    if (clone->cancelled_) call_cancelled(*clone);
    if (frame.clones != clone) continue;
    take_off(*clone);
    clone->detached_ = true;
    --waiting_clones;
  }
  if (leading.frame_ == &frame) step_off(leading);
  if (trailing.frame_ == &frame) step_off(trailing);
  forget(frame);
  if (!input()) check.note_announcement(frame);
}

void QueueImpl::call_cancelled(StreamPointer& clone) {
  PFNKSSTREAMPOINTER callback = std::exchange(clone.cancelled_, nullptr);
  cancelling = &clone;
  call(machine, Ddi::PointerCancel, site.scope, callback, clone.body_);
  cancelling = nullptr;
  if (!clone.live_) return;
  machine.report_violation(
      nt::Violation::KsCancelCallbackMisused,
      fmt::format("{}: the cancel callback of a clone returned and has not deleted the clone", site.name));
}

void Queue::flush(NTSTATUS status) {
  QueueImpl& q = *impl_;
  QueueImpl::Held held(q);
  for (StreamIrp *request = q.first_request, *next; request; request = next) {
    next = request->next_;
    if (request->place_ == StreamIrp::Place::Finished) {
      q.take_out(held, *request);
    } else {
      q.end_when_unlocked(held, *request, status);
    }
    if (next && next->place_ == StreamIrp::Place::Nowhere) next = q.first_request;  // it went with the one before it
  }
  q.check.restart();
}

StreamPointer* QueueImpl::locked_clone() {
  StreamPointer* clone = first_clone;
  while (clone && !clone->locked_) clone = clone->next_;
  return clone;
}

// Cancel callbacks run in it, and delete clones.
void QueueImpl::unlock_by_force(Held& held, StreamPointer& pointer) {
  StreamIrp& request = *pointer.frame_->request;
  unlock(pointer);
  settle(held, request);
}

// Requests that a locked pointer kept leave now. A clone has no frame then; the driver still has to delete it.
void Queue::audit_clones(const char* when) {
  QueueImpl& q = *impl_;
  size_t clones = 0;
  bool edge_locked = false;
  {
    QueueImpl::Held held(q);
    for (StreamPointer* clone = q.first_clone; clone; clone = clone->next_) {
      clones += !std::exchange(clone->told_, true);
    }
    while (StreamPointer* clone = q.locked_clone()) q.unlock_by_force(held, *clone);
    for (StreamPointer* edge : {&q.leading, &q.trailing}) {
      if (!edge->locked_) continue;
      edge_locked = true;
      q.unlock_by_force(held, *edge);
    }
  }
  if (clones) {
    q.machine.report_violation(
        nt::Violation::KsCloneLeft,
        fmt::format("{}: {} clone(s) of stream pointers are left after {}", q.site.name, clones, when));
  }
  if (edge_locked) {
    q.machine.report_violation(nt::Violation::KsCloneLeft,
                               fmt::format("{}: an edge of the queue is still locked after {}", q.site.name, when));
  }
}

}  // namespace ks
