#include "ks/stream/queue.h"

#include <fmt/format.h>

#include "ks/allocator/frame_guard.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/pin/pin.h"
#include "ks/property/stuck_request.h"
#include "ks/stream/queue_impl.h"
#include "nt/io/irps.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/pool.h"

namespace ks {

// --- The lock ---

QueueImpl::Held::Held(QueueImpl& queue) : queue_(queue), irql_(queue.machine.self().irql) {
  if (irql_ < DISPATCH_LEVEL) queue.machine.raise_irql(DISPATCH_LEVEL);
  nt::acquire_spin(queue.machine, queue.word, nt::LockKind::Spin);
}

bool QueueImpl::in_callback() const {
  return cancelling.load(std::memory_order_relaxed) &&
         nt::holds_lock(machine.self(), reinterpret_cast<uintptr_t>(word));
}

bool QueueImpl::misused_in_callback(const char* function) {
  if (__builtin_expect(!in_callback(), 1)) return false;
  machine.report_violation(
      nt::Violation::KsCancelCallbackMisused,
      fmt::format("{}: the cancel callback of a clone calls {}, with the queue's spin lock held", site.name, function));
  return true;
}

// --- Frames ---

void QueueImpl::link(Frame& frame) {
  frame.sequence = ++sequence;
  frame.references = distinct_trailing ? 2 : 1;
  frame.locks = frame.holders = frame.left_behind = 0;
  frame.clones = nullptr;
  frame.ahead = input() ? frame.header->DataUsed : frame.extent;
  frame.guarded = site.policy.guard_frames && FrameGuard::begin(machine, frame.data, frame.extent);
  frame.next = nullptr;
  frame.prev = last;
  (last ? last->next : first) = &frame;
  last = &frame;
  ++frames;
  ahead += frame.ahead;
}

void QueueImpl::unlink(Frame& frame) {
  (frame.prev ? frame.prev->next : first) = frame.next;
  (frame.next ? frame.next->prev : last) = frame.prev;
  --frames;
}

void QueueImpl::hold(Frame& frame) {
  if (frame.holders++ == 0 && frame.guarded) FrameGuard::open(frame.data, frame.extent);
}

void QueueImpl::unhold(Frame& frame) {
  if (--frame.holders == 0 && frame.guarded) FrameGuard::close(frame.data, frame.extent);
}

void QueueImpl::forget(Frame& frame) {
  unlink(frame);
  ahead -= frame.ahead;
  frame.ahead = 0;
  frame.references = 0;
  if (frame.guarded) FrameGuard::end(frame.data, frame.extent, frame.holders != 0);
  frame.guarded = false;
  frame.mapping.end();
}

FrameCheck::Stream QueueImpl::stream_facts() const {
  const KSDATAFORMAT* format = site.body.ConnectionFormat;
  return {site.pin ? site.pin->reference_clock() : nullptr,
          format && (format->Flags & KSDATAFORMAT_TEMPORAL_COMPRESSION) != 0};
}

void QueueImpl::frame_done(Held& held, Frame& frame) {
  forget(frame);
  FrameCheck::judge_bounds(machine, site.name, frame);
  if (!input()) check.judge(machine, site.name, frame, stream_facts());
  ++counts.completed;
  StreamIrp& request = *frame.request;
  if (site.pin && frame.header->DataUsed != 0 && NT_SUCCESS(request.status())) site.pin->system().count_frame();
  if (--request.left_ == 0) finished(held, request);
}

// --- The queue ---

QueueImpl::QueueImpl(Queue& queue, const Queue::Site& its_site, Queue::Owner& its_owner)
    : self(queue),
      site(its_site),
      owner(its_owner),
      machine(site.machine),
      cache(std::make_shared<StreamIrpCache>(machine)),
      word(static_cast<ULONG_PTR*>(
          machine.pool().allocate(sizeof(ULONG_PTR), 0, nt::PoolKind::Internal, nt::PoolFill::Zero))),
      leading(queue, StreamPointer::Kind::Leading, 0),
      trailing(queue, StreamPointer::Kind::Trailing, 0) {
  CHECK(word);
  leading.begin(machine, site.body);
  trailing.begin(machine, site.body);
  machine.irps().own_routine(&QueueImpl::cancel_routine);
  machine.irps().waits().add_explainer(&explain_request);
}

// A run that was stopped leaves requests behind; their memory may be touched again all the same.
QueueImpl::~QueueImpl() {
  for (Frame* frame = first; frame; frame = frame->next) {
    if (frame->guarded) FrameGuard::end(frame->data, frame->extent, frame->holders != 0);
  }
  end_timeouts();
  end_dpc(leave_dpc);
  while (StreamPointer* clone = first_clone) {
    first_clone = clone->next_;
    delete clone;
  }
  for (auto& [bytes, list] : dead) {
    while (StreamPointer* clone = list.first) {
      list.first = clone->next_;
      delete clone;
    }
  }
  machine.pool().free(word, 0);
}

Queue::Queue(Pin& pin, Owner& owner)
    : Queue(Site{pin.machine(), pin.system().policy(), *pin, &pin.scope(), pin.name(), pin.device().adapter(), &pin},
            owner) {}

Queue::Queue(const Site& site, Owner& owner) : impl_(std::make_unique<QueueImpl>(*this, site, owner)) {}

Queue::~Queue() = default;

const Queue::Site& Queue::site() const { return impl_->site; }
const std::shared_ptr<StreamIrpCache>& Queue::cache() const { return impl_->cache; }

base::Result<> Queue::add(std::unique_ptr<StreamIrp> irp) {
  QueueImpl& q = *impl_;
  StreamIrp& request = *irp.release();
  QueueImpl::Held held(q);
  if (!q.first) q.distinct_trailing = q.has_flag(KSPIN_FLAG_DISTINCT_TRAILING_EDGE);
  q.link(request);
  for (Frame& frame : request.frames()) q.link(frame);
  q.counts.arrived += request.left_;
  bool first = !q.leading.frame_;
  q.arrived(request.frames().front());
  if (!request.own_ && q.cancelled_before(held, request)) {
    held.release();
    return base::Failure(STATUS_CANCELLED, "the request was cancelled before it came in");
  }
  held.release();
  q.owner.arrived(first);
  return {};
}

// Pointers without a frame get the first of the new frames.
void QueueImpl::arrived(Frame& frame) {
  if (!leading.frame_) put_on(leading, frame);
  if (distinct_trailing && !trailing.frame_) put_on(trailing, frame);
  if (waiting_clones == 0) return;
  for (StreamPointer* clone = first_clone; clone; clone = clone->next_) {
    if (!clone->frame_ && !clone->detached_) put_on(*clone, frame);
  }
}

bool Queue::empty() {
  QueueImpl::Held held(*impl_);
  return impl_->frames == 0;
}

size_t Queue::frames() {
  QueueImpl::Held held(*impl_);
  return impl_->frames;
}

bool Queue::ready() {
  QueueImpl::Held held(*impl_);
  return impl_->leading.frame_ != nullptr;
}

size_t Queue::available_bytes(bool input_offset) {
  QueueImpl& q = *impl_;
  QueueImpl::Held held(q);
  if (input_offset != q.input()) return 0;
  if (!q.leading.frame_ || q.mapped()) return q.ahead;
  const KSSTREAM_POINTER_OFFSET& offset = q.offset_of(q.leading);
  return q.ahead - (offset.Count - std::min(offset.Count, offset.Remaining));
}

uint64_t Queue::progress() {
  QueueImpl::Held held(*impl_);
  return impl_->progress;
}

StreamPointer* Queue::leading() { return &impl_->leading; }

StreamPointer* Queue::trailing() {
  return impl_->has_flag(KSPIN_FLAG_DISTINCT_TRAILING_EDGE) ? &impl_->trailing : nullptr;
}

StreamPointer* Queue::first_clone() {
  if (impl_->misused_in_callback("KsPinGetFirstCloneStreamPointer")) return nullptr;
  QueueImpl::Held held(*impl_);
  return impl_->first_clone;
}

Queue::Counts Queue::counts() {
  QueueImpl::Held held(*impl_);
  return impl_->counts;
}

}  // namespace ks
