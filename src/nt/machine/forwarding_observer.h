#pragma once

#include "nt/machine/machine_observer.h"

namespace nt {

// Passes everything on to another observer, which outlives it. Derived classes change the part that they are about.
class ForwardingObserver : public MachineObserver {
 public:
  explicit ForwardingObserver(MachineObserver& next) : next_(next) {}

  Then report_violation(const ViolationReport& violation) override { return next_.report_violation(violation); }
  bool wants_faults() const override { return next_.wants_faults(); }
  bool fails(const FaultSite& site) override { return next_.fails(site); }
  bool wants_locks() const override { return next_.wants_locks(); }
  void lock_acquiring(const LockEvent& event) override { next_.lock_acquiring(event); }
  void lock_released(const LockEvent& event) override { next_.lock_released(event); }
  void memory_gone(uintptr_t lo, uintptr_t hi) override { next_.memory_gone(lo, hi); }
  void debug_print(std::string_view text) override { next_.debug_print(text); }

 private:
  MachineObserver& next_;
};

}  // namespace nt
