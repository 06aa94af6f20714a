#include "ks/device/worker.h"

#include <fmt/format.h>

#include <new>

#include "ks/exports/callback.h"
#include "nt/boundary/address_check.h"
#include "nt/ex/work_queues.h"
#include "nt/machine/driver_scope.h"
#include "nt/mm/pool.h"

namespace ks {

Worker* Worker::make(nt::Machine& machine, WORK_QUEUE_TYPE type, WORK_QUEUE_ITEM* counted, nt::Scope* scope) {
  if (machine.fails(nt::FaultKind::Pool, "KsRegisterWorker")) return nullptr;
  void* memory = machine.pool().allocate(sizeof(Worker), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!memory) return nullptr;
  auto* worker = new (memory) Worker(machine, type, counted, nt::driver_scope(scope));
  worker->tracked_.kind = nt::ResourceKind::WorkItem;
  nt::Scope* own = std::exchange(machine.self().scope, scope);
  machine.track(worker->tracked_);
  machine.self().scope = own;
  return worker;
}

Worker* Worker::find(nt::Machine& machine, PKSWORKER handle, const char* by) {
  auto* worker = reinterpret_cast<Worker*>(handle);
  if (nt::is_address_valid(machine, reinterpret_cast<uintptr_t>(handle)) && worker->signature_ == kSignature) {
    return worker;
  }
  machine.report_violation(nt::Violation::NotInitialised,
                           fmt::format("{} of something that is no registered worker", by));
  return nullptr;
}

void Worker::queue(WORK_QUEUE_ITEM& item) {
  queued_.fetch_add(1, std::memory_order_relaxed);
  auto routine = item.WorkerRoutine;
  void* parameter = item.Parameter;
  machine_.work_queues().queue({&item, reinterpret_cast<uintptr_t>(routine),
                                [this, routine, parameter] {
                                  call(machine_, Ddi::Worker, scope_, routine, parameter);
                                  done();
                                },
                                nullptr},
                               type_);
}

void Worker::done() {
  if (queued_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (base::Task* waiter = waiter_.load(std::memory_order_acquire)) machine_.executor().unpark(*waiter);
}

ULONG Worker::increment() {
  uint32_t now = count_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (now == 1 && counted_) queue(*counted_);
  return now;
}

ULONG Worker::decrement() { return count_.fetch_sub(1, std::memory_order_acq_rel) - 1; }

void Worker::unregister() {
  waiter_.store(machine_.executor().current(), std::memory_order_release);
  machine_.executor().park_until([&] { return !queued_.load(std::memory_order_acquire); }, base::Point::Wait);
  machine_.untrack(tracked_);
  signature_ = 0;
  machine_.pool().free(this, 0);
}

}  // namespace ks
