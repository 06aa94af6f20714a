#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "abi/km/wdm.h"
#include "base/result.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/scope.h"

// What a PKINTERRUPT points to: a connected interrupt, at a fixed address. Opaque to drivers.
struct _KINTERRUPT {
  PKSERVICE_ROUTINE routine;
  PVOID context;
  uint32_t vector;
  KIRQL irql;              // the device's
  KIRQL synchronize_irql;  // what the routine runs at
  PKSPIN_LOCK lock;        // the driver's, or own_lock
  KSPIN_LOCK own_lock;
  bool connected;  // this and `users` under the dispatcher lock
  uint32_t users;  // the connection, and every delivery under way
  nt::Tracked tracked;
};

namespace nt {

// Interrupt lines: devices raise them, and connected routines are called on any processor whose IRQL allows it. A line
// that is raised while it is pending is delivered once, as an edge-triggered one. Uses the dispatcher lock.
class Interrupts {
 public:
  Interrupts(Machine& machine, Dispatcher& dispatcher) : machine_(machine), dispatcher_(dispatcher) {}

  struct Request {
    PKSERVICE_ROUTINE routine;
    PVOID context;
    uint32_t vector;
    KIRQL irql;
    KIRQL synchronize_irql;
    PKSPIN_LOCK lock;  // null: its own
    bool shared;
  };
  base::Result<_KINTERRUPT*> connect(const Request& request);
  void disconnect(_KINTERRUPT* interrupt);
  // Whether `interrupt` is connected now.
  bool connected(const _KINTERRUPT* interrupt);

  // A device asserts its line. From any task of the machine, at any IRQL.
  void raise(uint32_t vector);

  // Whether a line could be delivered at `irql`. Takes no lock, so the answer may be out of date.
  bool pending_above(KIRQL irql) const { return highest_pending_.load(std::memory_order_acquire) > irql; }
  // Calls the routines of every pending line above the current IRQL.
  void deliver();

  // Runs `routine` at the interrupt's synchronize IRQL with its lock held.
  BOOLEAN synchronize(_KINTERRUPT& interrupt, PKSYNCHRONIZE_ROUTINE routine, void* context);
  KIRQL acquire(_KINTERRUPT& interrupt);
  void release(_KINTERRUPT& interrupt, KIRQL old);

 private:
  struct Line {
    uint32_t vector;
    bool pending;
    bool exclusive;
    std::vector<_KINTERRUPT*> connected;
  };

  Line* line(uint32_t vector) REQUIRES(dispatcher_.lock());
  void find_highest() REQUIRES(dispatcher_.lock());
  void call_routine(_KINTERRUPT& interrupt, bool& claimed);
  // One user less; the last one frees it.
  void drop(_KINTERRUPT& interrupt);

  Machine& machine_;
  Dispatcher& dispatcher_;
  std::vector<Line> lines_ GUARDED_BY(dispatcher_.lock());
  std::atomic<KIRQL> highest_pending_{0};
};

}  // namespace nt
