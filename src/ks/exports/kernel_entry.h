#pragma once

#include "base/result.h"
#include "ks/device/system.h"
#include "ks/exports/functions.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/own_scope.h"
#include "nt/machine/machine.h"

namespace ks {

// The first statement of every function that a minidriver can call. It checks the documented IRQL and traces the call.
// Until the function returns, what the class obtains is its own, and the sanitizer reports none of our accesses.
class KernelEntry {
 public:
  explicit KernelEntry(Fn fn);
  KernelEntry(const KernelEntry&) = delete;
  KernelEntry& operator=(const KernelEntry&) = delete;

  nt::Machine& machine() const { return thread_.machine; }
  nt::Thread& thread() const { return thread_; }
  System& system() const { return *System::of(thread_.machine); }
  const char* name() const { return row(fn_).name; }
  nt::Scope* drivers_scope() const { return scope_.outer(); }  // where what the driver obtains belongs

  // Whether the call is made to fail for want of resources (nt/boundary/lacks_resources.h).
  bool lacks_resources() const { return machine().fails(nt::FaultKind::Pool, name()); }
  // Refuses the call: the reason goes into the trace.
  NTSTATUS refuse(const base::Failure& failure) const;
  void report_violation(nt::Violation what, std::string sentence) const {
    machine().report_violation(what, std::move(sentence));
  }

 private:
  const Fn fn_;
  nt::Thread& thread_;
  nt::KernelCode code_;
  nt::OwnScope scope_;
};

}  // namespace ks
