#pragma once

#include <memory>

#include "abi/ks/ks.h"
#include "ks/device/control_mutex.h"
#include "ks/stream/gate.h"
#include "nt/machine/machine.h"

namespace ks {

class Filter;
class Pin;

// Runs a driver's Process: a pin's own, or a filter's for all its pins. One call at a time, under the processing mutex
// (at PASSIVE_LEVEL) or at DISPATCH_LEVEL where the flags ask for that; a trigger while it runs makes it run once more.
// Owned by its pin or filter; triggers come from any thread at DISPATCH_LEVEL or below.
class Processor {
 public:
  // The pin must have its queue, and its body must be filled in.
  explicit Processor(Pin& pin);
  explicit Processor(Filter& filter);
  ~Processor();
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  KSGATE& gate() { return *gate_; }         // the AND gate of the driver's view; in machine memory
  ControlMutex& mutex() { return mutex_; }  // the processing mutex
  // The driver acquires and releases the processing mutex; meanwhile nothing is processed, at any IRQL.
  void hold();
  void let_go();

  // A frame arrived at one of its pins (Queue::Owner::arrived); initiates processing if the flags say so.
  void frame_arrived(Pin& pin, bool first);
  // KsPinAttemptProcessing, KsFilterAttemptProcessing.
  void attempt(bool asynchronous);
  // A pin entered or left the state in which it is processed.
  void pin_state_changed(Pin& pin);
  // Waits until no Process runs and none is queued; none begins until resume(). For state changes, reset and close.
  void suspend();
  void resume();
  // When a pin is about to leave RUN: reports that frames wait, Process had returned PENDING, and processing was never
  // attempted again.
  void audit_stall(const char* when);

  // Sets up what Process of a filter gets (KSPROCESSPIN_INDEXENTRY). Called under the control mutex; a pin may be
  // removed twice. A pin's own processor does nothing here.
  void pin_added(Pin& pin);
  void pin_removed(Pin& pin);
  // KsPinAttachAndGate, KsPinAttachOrGate on a pin of a filter; a null gate detaches.
  void attach_gate(Pin& pin, KSGATE* gate, GateKind kind);
  // KsProcessPinUpdate.
  bool update(KSPROCESSPIN& pin);

  // KsPinRegisterPowerCallbacks, and the calls when the device sleeps or wakes. At PASSIVE_LEVEL. A filter keeps its
  // own callbacks.
  void register_power(PFNKSPINPOWER sleep, PFNKSPINPOWER wake);
  void tell_power(DEVICE_POWER_STATE state, bool sleep);

 private:
  struct Impl;

  nt::Machine& machine_;
  KSGATE* const gate_;
  ControlMutex mutex_;
  bool hold_suspends_ = false;  // guarded by the mutex
  std::unique_ptr<Impl> impl_;
};

}  // namespace ks
