#pragma once

#include "abi/km/wdm.h"
#include "nt/machine/thread.h"

// Spin locks of all forms over one word in the driver's memory. Nothing here changes the IRQL: the NT functions do.
// A word has the holder's ordinal, two bits for the ways in which it was acquired so far (ordinary, queued), a bit "a
// thread spins" and a bit "held". A thread that spins is parked by the executor and keeps its processor; it is in the
// in-use table.
namespace nt {

void acquire_spin(Machine& machine, ULONG_PTR* word, LockKind kind);
bool try_acquire_spin(Machine& machine, ULONG_PTR* word, LockKind kind);
bool is_spin_free(const ULONG_PTR* word);
// Violation::LockNotHeld unless this thread holds it.
void release_spin(Machine& machine, ULONG_PTR* word, LockKind kind);

// Reader/writer spin locks (EX_SPIN_LOCK).
void acquire_shared_spin(Machine& machine, LONG* word);
void release_shared_spin(Machine& machine, LONG* word);
void acquire_exclusive_spin(Machine& machine, LONG* word);
void release_exclusive_spin(Machine& machine, LONG* word);
bool try_convert_shared_spin(Machine& machine, LONG* word);

// Bookkeeping that every kind of lock shares: the list of locks that a thread holds, and the calls to the observer.
void lock_acquiring(Machine& machine, uintptr_t address, LockKind kind, bool shared = false);
void lock_acquired(Machine& machine, uintptr_t address, LockKind kind, bool shared = false);
// False (and a finding) when the thread does not hold it.
bool lock_releasing(Machine& machine, uintptr_t address, LockKind kind, const char* function);
bool holds_lock(const Thread& thread, uintptr_t address);
// One of any kind, an interrupt's included.
bool holds_spin_lock(const Thread& thread);

}  // namespace nt
