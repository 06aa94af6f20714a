#include "ks/device/control_mutex.h"

#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

KMUTEX* make(nt::Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(KMUTEX), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  auto* mutex = static_cast<KMUTEX*>(memory);
  machine.dispatcher().initialise(mutex, sizeof(*mutex), nt::ObjectType::Mutex, 1);
  return mutex;
}

uintptr_t address(const KMUTEX* mutex) { return reinterpret_cast<uintptr_t>(mutex); }

}  // namespace

ControlMutex::ControlMutex(nt::Machine& machine) : machine_(machine), mutex_(make(machine)) {}

ControlMutex::~ControlMutex() { machine_.pool().free(mutex_, 0); }

void ControlMutex::acquire() {
  bool first = !held();
  if (first) nt::lock_acquiring(machine_, address(mutex_), nt::LockKind::Mutex);
  void* object = mutex_;
  machine_.dispatcher().wait({&object, 1}, WaitAny, base::kForever);
  if (first) nt::lock_acquired(machine_, address(mutex_), nt::LockKind::Mutex);
}

void ControlMutex::release() {
  bool last = mutex_->Depth == 1;
  auto before = machine_.dispatcher().release_mutex(*mutex_);
  CHECK(before.ok());
  if (last) nt::lock_releasing(machine_, address(mutex_), nt::LockKind::Mutex, "a mutex of AVStream");
}

bool ControlMutex::held() const { return nt::holds_lock(machine_.self(), address(mutex_)); }

}  // namespace ks
