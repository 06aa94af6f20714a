#include "ks/allocator/waiting_allocs.h"

#include <algorithm>

#include "nt/io/irps.h"

namespace ks {
namespace {

// What the class keeps in a request that waits.
enum Keep : size_t { kList, kAnswer };

// Holds the cancel spin lock for the length of a block.
class [[nodiscard]] CancelLock {
 public:
  explicit CancelLock(nt::Machine& machine) : irps_(machine.irps()), irql_(irps_.acquire_cancel_lock()) {}
  ~CancelLock() { irps_.release_cancel_lock(irql_); }
  CancelLock(const CancelLock&) = delete;
  CancelLock& operator=(const CancelLock&) = delete;

 private:
  nt::Irps& irps_;
  const KIRQL irql_;
};

// It brings nothing back: IoStatus.Information is 0 since the method's request came.
void complete_cancelled(nt::Irps& irps, IRP& irp) {
  irp.IoStatus.Status = STATUS_CANCELLED;
  irps.complete(irp, IO_NO_INCREMENT);
}

}  // namespace

WaitingAllocs::WaitingAllocs(nt::Machine& machine) : machine_(machine) { InitializeListHead(&list_); }

void WaitingAllocs::own_routines(nt::Machine& machine) { machine.irps().own_routine(&WaitingAllocs::cancelled); }

bool WaitingAllocs::add(IRP& irp, void** answer) {
  CancelLock lock(machine_);
  if (shut_ || irp.Cancel) return false;
  IoMarkIrpPending(&irp);
  irp.Tail.Overlay.DriverContext[kList] = this;
  irp.Tail.Overlay.DriverContext[kAnswer] = answer;
  irp.CancelRoutine = &WaitingAllocs::cancelled;
  InsertTailList(&list_, &irp.Tail.Overlay.ListEntry);
  uint32_t now = count_.load(std::memory_order_relaxed) + 1;
  count_.store(now, std::memory_order_release);
  most_.store(std::max(now, most()), std::memory_order_relaxed);
  return true;
}

IRP* WaitingAllocs::take() {
  CancelLock lock(machine_);
  if (IsListEmpty(&list_)) return nullptr;
  IRP* irp = CONTAINING_RECORD(list_.Flink, IRP, Tail.Overlay.ListEntry);
  irp->CancelRoutine = nullptr;
  unlink(*irp);
  return irp;
}

void** WaitingAllocs::answer_of(const IRP& irp) { return static_cast<void**>(irp.Tail.Overlay.DriverContext[kAnswer]); }

void WaitingAllocs::shut() {
  {
    CancelLock lock(machine_);
    shut_ = true;
  }
  while (IRP* irp = take()) complete_cancelled(machine_.irps(), *irp);
}

void WaitingAllocs::unlink(IRP& irp) {
  RemoveEntryList(&irp.Tail.Overlay.ListEntry);
  count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

// Called with the lock held, which is to be released here.
void WaitingAllocs::cancelled(DEVICE_OBJECT*, IRP* irp) {
  auto* list = static_cast<WaitingAllocs*>(irp->Tail.Overlay.DriverContext[kList]);
  nt::Irps& irps = list->machine_.irps();
  list->unlink(*irp);
  irps.release_cancel_lock(irp->CancelIrql);
  complete_cancelled(irps, *irp);
}

}  // namespace ks
