#pragma once

#include <utility>

#include "nt/machine.h"

namespace dxgk {

// While one lives, what this thread obtains is the kernel's own, although a driver may have called: no driver has to
// give it back. Or it is on the list of `scope`, whatever function of the driver runs.
class [[nodiscard]] OwnScope {
 public:
  explicit OwnScope(nt::Machine& machine) : OwnScope(machine, machine.root_scope()) {}
  OwnScope(nt::Machine& machine, nt::Scope& scope)
      : thread_(machine.self()), outer_(std::exchange(thread_.scope, &scope)) {}
  ~OwnScope() { thread_.scope = outer_; }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

 private:
  nt::Thread& thread_;
  nt::Scope* outer_;
};

}  // namespace dxgk
