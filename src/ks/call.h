#pragma once

#include "base/result.h"
#include "base/sanitizer.h"
#include "ks/functions.h"
#include "ks/system.h"
#include "nt/machine.h"

namespace ks {

// Stands first in every function that a minidriver can call: the documented IRQL is checked, the call is traced, what
// the class obtains meanwhile is its own, and the sanitizer stops judging accesses until the driver has control again.
class Call {
 public:
  explicit Call(Fn fn);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  nt::Machine& machine() const { return thread_.machine; }
  nt::Thread& thread() const { return thread_; }
  System& system() const { return *System::of(thread_.machine); }
  const char* name() const { return row(fn_).name; }
  nt::Scope* drivers_scope() const { return outer_; }  // where what the driver obtains belongs

  // Says no: the reason goes into the trace.
  NTSTATUS refuse(const base::Failure& failure) const;
  void broke(nt::Broke what, std::string sentence) const { machine().broke(what, std::move(sentence)); }

 private:
  const Fn fn_;
  nt::Thread& thread_;
  nt::Scope* const outer_;
};

}  // namespace ks
