// How requests that have left a queue are handed to its owner.
#include <algorithm>
#include <utility>

#include "base/sanitizer.h"
#include "ks/stream/queue_impl.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/spin_locks.h"
#include "nt/machine/edge.h"
#include "nt/mm/pool.h"

namespace ks {

OwnDpc::OwnDpc() {
  base::stop_watching_races();
  nt::t_edge.called = true;
#if DRYDOCK_TSAN
  ++nt::Thread::current()->calls;
#endif
}

OwnDpc::~OwnDpc() {
#if DRYDOCK_TSAN
  --nt::Thread::current()->calls;
#endif
  base::watch_races();
}

void QueueImpl::Held::leaves(StreamIrp& request) {
  request.next_ = nullptr;
  (last_ ? last_->next_ : first_) = &request;
  last_ = &request;
}

// Whether the thread holds a spin lock besides the queue's, which was taken last.
bool QueueImpl::Held::drivers_lock_held() const {
  const auto& held = queue_.machine.self().held;
  return std::any_of(held.begin(), held.end() - 1, [](const nt::HeldLock& lock) {
    return lock.kind == nt::LockKind::Spin || lock.kind == nt::LockKind::QueuedSpin ||
           lock.kind == nt::LockKind::SharedSpin || lock.kind == nt::LockKind::Interrupt;
  });
}

void QueueImpl::Held::release() {
  if (!held_) return;
  held_ = false;
  if ((first_ || queue_.deferred) && drivers_lock_held()) {
    if (first_) queue_.defer(std::exchange(first_, nullptr), last_);
  } else if (queue_.deferred) {
    queue_.last_deferred->next_ = first_;
    first_ = std::exchange(queue_.deferred, nullptr);
  }
  nt::release_spin(queue_.machine, queue_.word, nt::LockKind::Spin);
  if (irql_ < DISPATCH_LEVEL) queue_.machine.lower_irql(irql_);
  while (StreamIrp* request = first_) {
    first_ = request->next_;
    request->next_ = nullptr;
    queue_.owner.left(std::unique_ptr<StreamIrp>(request));
  }
}

void QueueImpl::defer(StreamIrp* list, StreamIrp* list_end) {
  if (deferred) {
    last_deferred->next_ = list;
  } else {
    deferred = list;
  }
  last_deferred = list_end;
  if (!leave_dpc) leave_dpc = make_dpc(&QueueImpl::run_leave_dpc);
  machine.dpcs().insert(*leave_dpc, nullptr, nullptr, site.scope);
}

void QueueImpl::run_leave_dpc(KDPC*, void* queue, void*, void*) {
  OwnDpc own;
  Held held(*static_cast<QueueImpl*>(queue));  // its release hands over the deferred requests too
}

KDPC* QueueImpl::make_dpc(PKDEFERRED_ROUTINE routine) {
  void* memory = machine.pool().allocate(sizeof(KDPC), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  auto* made = static_cast<KDPC*>(memory);
  KeInitializeDpc(made, routine, this);
  return made;
}

void QueueImpl::end_dpc(KDPC* dpc) {
  if (!dpc) return;
  machine.dpcs().remove(*dpc);
  if (nt::Thread::current()) machine.dpcs().flush();
  machine.pool().free(dpc, 0);
}

}  // namespace ks
