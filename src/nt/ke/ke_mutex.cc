// Mutexes. Pages: wdm/nf-wdm-keinitializemutex, nf-wdm-kereleasemutex, nf-wdm-kereadstatemutex.
#include "nt/boundary/kernel_entry.h"
#include "nt/fault/exception.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/ke/wait_rules.h"

using nt::Fn;
using nt::KernelEntry;
using nt::ObjectType;
using nt::Violation;

extern "C" {

VOID KeInitializeMutex(PRKMUTEX mutex, ULONG) {
  KernelEntry call{Fn::KeInitializeMutex};
  if (nt::holds_lock(call.thread(), reinterpret_cast<uintptr_t>(mutex))) {
    call.machine().report_violation(Violation::ReinitialisedLive, "KeInitializeMutex of a mutex that is held");
  }
  call.machine().dispatcher().initialise(mutex, sizeof(*mutex), ObjectType::Mutex, 1);
  mutex->OwnerThread = nullptr;
  mutex->Depth = 0;
  mutex->Abandoned = FALSE;
}

LONG KeReleaseMutex(PRKMUTEX mutex, BOOLEAN wait) {
  KernelEntry call{Fn::KeReleaseMutex};
  if (wait && !nt::may_block(call, "KeReleaseMutex with Wait set")) return 0;
  if (!call.machine().dispatcher().known(mutex->Header, {ObjectType::Mutex}, "KeReleaseMutex")) return 0;
  bool last = mutex->OwnerThread == call.thread().body && mutex->Depth == 1;
  auto before = call.machine().dispatcher().release_mutex(*mutex);
  if (!before.ok()) {
    call.machine().report_violation(Violation::MutexNotOwned,
                                    "KeReleaseMutex of a mutex that this thread does not own");
    nt::raise_exception(call.machine(), before.failure());
  }
  if (last) {
    nt::lock_releasing(call.machine(), reinterpret_cast<uintptr_t>(mutex), nt::LockKind::Mutex, "KeReleaseMutex");
  }
  return before.take();
}

LONG KeReadStateMutex(PRKMUTEX mutex) {
  KernelEntry call{Fn::KeReadStateMutex};
  return call.machine().dispatcher().read(mutex->Header);
}

}  // extern "C"
