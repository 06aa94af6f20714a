#include "nt/hardware/interrupts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "nt/boundary/driver_call.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/irql.h"
#include "nt/ke/spin_locks.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {

base::Result<_KINTERRUPT*> Interrupts::connect(const Request& request) {
  void* memory = machine_.pool().allocate(sizeof(_KINTERRUPT), 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an interrupt object");
  auto* interrupt = new (memory) _KINTERRUPT{request.routine,
                                             request.context,
                                             request.vector,
                                             request.irql,
                                             request.synchronize_irql,
                                             request.lock,
                                             0,
                                             true,
                                             1,
                                             {}};
  if (!interrupt->lock) interrupt->lock = &interrupt->own_lock;
  interrupt->tracked.kind = ResourceKind::Interrupt;
  bool taken;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    Line* found = line(request.vector);
    taken = found && !found->connected.empty() && (found->exclusive || !request.shared);
    if (!taken) {
      if (!found) found = &lines_.emplace_back(Line{request.vector, false, !request.shared, {}});
      found->exclusive = !request.shared;
      found->connected.push_back(interrupt);
      find_highest();
    }
  }
  if (taken) {
    machine_.pool().free(memory, 0);
    return base::Failure(STATUS_INVALID_PARAMETER, "the interrupt vector is taken and not shared");
  }
  machine_.track(interrupt->tracked);
  return interrupt;
}

bool Interrupts::connected(const _KINTERRUPT* interrupt) {
  Dispatcher::Guard guard(dispatcher_.lock());
  return std::any_of(lines_.begin(), lines_.end(), [interrupt](const Line& candidate) {
    return std::find(candidate.connected.begin(), candidate.connected.end(), interrupt) != candidate.connected.end();
  });
}

void Interrupts::disconnect(_KINTERRUPT* interrupt) {
  if (!connected(interrupt)) {
    machine_.report_violation(Violation::InterruptMisuse, "an interrupt is disconnected that is not connected");
    return;
  }
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    auto& routines = line(interrupt->vector)->connected;
    routines.erase(std::find(routines.begin(), routines.end(), interrupt));
    interrupt->connected = false;
    find_highest();
  }
  // A routine that runs on another processor holds the lock: when we have had it, the routine has returned. One that
  // still spins for it will find itself disconnected.
  release(*interrupt, acquire(*interrupt));
  machine_.untrack(interrupt->tracked);
  drop(*interrupt);
}

void Interrupts::raise(uint32_t vector) {
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    Line* found = line(vector);
    if (!found) found = &lines_.emplace_back(Line{vector, false, false, {}});
    found->pending = true;
    find_highest();
  }
  // A thread takes it at its next scheduling point; an idle processor takes it if all threads wait.
  machine_.dpcs().poke(static_cast<uint32_t>(machine_.executor().choose(machine_.executor().processor_count())));
}

void Interrupts::deliver() {
  for (;;) {
    Thread& thread = machine_.self();
    if (!pending_above(thread.irql)) return;
    boost::container::small_vector<_KINTERRUPT*, 4> routines;
    uint32_t vector = 0;
    {
      Dispatcher::Guard guard(dispatcher_.lock());
      Line* best = nullptr;
      for (Line& candidate : lines_) {
        if (!candidate.pending || candidate.connected.empty()) continue;
        if (candidate.connected[0]->irql <= thread.irql) continue;
        if (!best || candidate.connected[0]->irql > best->connected[0]->irql) best = &candidate;
      }
      if (!best) return;
      best->pending = false;
      for (_KINTERRUPT* interrupt : best->connected) routines.push_back(interrupt);
      for (_KINTERRUPT* interrupt : routines) ++interrupt->users;
      vector = best->vector;
      find_highest();
    }
    machine_.note(trace::InterruptStart{.vector = vector});
    bool claimed = false;
    for (_KINTERRUPT* interrupt : routines) call_routine(*interrupt, claimed);
    machine_.note(trace::InterruptEnd{.vector = vector, .claimed = claimed});
  }
}

void Interrupts::call_routine(_KINTERRUPT& interrupt, bool& claimed) {
  KIRQL old = acquire(interrupt);
  bool still_connected;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    still_connected = interrupt.connected;
  }
  if (still_connected) {
    claimed |=
        call_driver<DriverCall::Mode::Interrupting>(machine_, "interrupt service routine", interrupt.tracked.scope,
                                                    interrupt.routine, &interrupt, interrupt.context) != FALSE;
  }
  release(interrupt, old);
  drop(interrupt);
}

void Interrupts::drop(_KINTERRUPT& interrupt) {
  bool last;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    last = --interrupt.users == 0;
  }
  if (last) machine_.pool().free(&interrupt, 0);
}

BOOLEAN Interrupts::synchronize(_KINTERRUPT& interrupt, PKSYNCHRONIZE_ROUTINE routine, void* context) {
  KIRQL old = acquire(interrupt);
  BOOLEAN result = call_driver(machine_, "SynchCritSection routine", nullptr, routine, context);
  release(interrupt, old);
  return result;
}

KIRQL Interrupts::acquire(_KINTERRUPT& interrupt) {
  KIRQL old = machine_.self().irql;
  if (old > interrupt.synchronize_irql) {
    machine_.report_violation(Violation::IrqlTooHigh,
                              fmt::format("an interrupt's lock is taken at {}, above the interrupt's own {}",
                                          irql_name(old), irql_name(interrupt.synchronize_irql)));
  } else {
    machine_.raise_irql(interrupt.synchronize_irql);
  }
  acquire_spin(machine_, interrupt.lock, LockKind::Interrupt);
  return old;
}

void Interrupts::release(_KINTERRUPT& interrupt, KIRQL old) {
  release_spin(machine_, interrupt.lock, LockKind::Interrupt);
  machine_.lower_irql(old);
}

Interrupts::Line* Interrupts::line(uint32_t vector) {
  auto found = std::find_if(lines_.begin(), lines_.end(), [vector](const Line& l) { return l.vector == vector; });
  return found == lines_.end() ? nullptr : &*found;
}

void Interrupts::find_highest() {
  KIRQL highest = 0;
  for (const Line& candidate : lines_) {
    if (candidate.pending && !candidate.connected.empty()) highest = std::max(highest, candidate.connected[0]->irql);
  }
  highest_pending_.store(highest, std::memory_order_release);
}

}  // namespace nt
