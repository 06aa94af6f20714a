// Timeouts of stream pointers. Pages: ks/nf-ks-ksstreampointerscheduletimeout, stream/stream-pointer-timers. The page
// lets a timeout that was scheduled in the pause state be late; ours never is.
#include <algorithm>
#include <functional>

#include "ks/exports/callback.h"
#include "ks/stream/queue_impl.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/timers.h"
#include "nt/mm/pool.h"

namespace ks {

void QueueImpl::make_timer() {
  if (timer) return;
  timer_dpc = make_dpc(&QueueImpl::run_timeout_dpc);
  void* memory = machine.pool().allocate(sizeof(KTIMER), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  timer = static_cast<KTIMER*>(memory);
  machine.dispatcher().initialise(timer, sizeof(*timer), nt::ObjectType::NotificationTimer, 0);
}

// The timer is set for the first that is still wanted; those that are not are dropped on the way.
void QueueImpl::arm_timer() {
  while (!timeouts.empty() && timeouts.front().pointer->timeout_ticket_ != timeouts.front().ticket) {
    std::pop_heap(timeouts.begin(), timeouts.end(), std::greater<>());
    timeouts.pop_back();
  }
  if (timeouts.empty()) {
    machine.timers().cancel(*timer);
  } else {
    machine.timers().set(*timer, timeouts.front().due, 0, timer_dpc);
  }
}

void QueueImpl::schedule(StreamPointer& pointer, PFNKSSTREAMPOINTER callback, uint64_t interval) {
  LARGE_INTEGER relative;
  relative.QuadPart = -static_cast<LONGLONG>(std::min<uint64_t>(interval, INT64_MAX));
  if (interval == 0) relative.QuadPart = -1;
  pointer.timeout_ = callback;
  pointer.timeout_ticket_ = ++tickets;
  timeouts.push_back({machine.timers().deadline_of(relative), tickets, &pointer});
  std::push_heap(timeouts.begin(), timeouts.end(), std::greater<>());
  arm_timer();
}

void QueueImpl::run_timeout_dpc(KDPC*, void* queue, void*, void*) {
  OwnDpc own;
  static_cast<QueueImpl*>(queue)->run_timeouts();
}

void QueueImpl::run_timeouts() {
  for (;;) {
    Timeout next;
    {
      Held held(*this);
      arm_timer();
      if (timeouts.empty() || timeouts.front().due > machine.executor().now()) return;
      next = timeouts.front();
      std::pop_heap(timeouts.begin(), timeouts.end(), std::greater<>());
      timeouts.pop_back();
    }
    // A thread that deleted the pointer or cancelled the timeout meanwhile has taken the ticket.
    PFNKSSTREAMPOINTER callback = next.pointer->timeout_;
    uint64_t ticket = next.ticket;
    if (!next.pointer->timeout_ticket_.compare_exchange_strong(ticket, 0)) continue;
    call(machine, Ddi::PointerTimeout, site.scope, callback, next.pointer->body_);
  }
}

void QueueImpl::end_timeouts() {
  if (!timer) return;
  machine.timers().cancel(*timer);
  end_dpc(timer_dpc);
  machine.pool().free(timer, 0);
}

void StreamPointer::schedule_timeout(PFNKSSTREAMPOINTER callback, uint64_t interval) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerScheduleTimeout")) return;
  QueueImpl::Held held(q);
  q.make_timer();
  q.schedule(*this, callback, interval);
}

void StreamPointer::cancel_timeout() {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerCancelTimeout")) return;
  QueueImpl::Held held(q);
  timeout_ticket_ = 0;
  if (q.timer) q.arm_timer();
}

}  // namespace ks
