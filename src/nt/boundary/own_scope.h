#pragma once

#include <utility>

#include "nt/machine/machine.h"

namespace nt {

// For as long as one lives, what this thread obtains belongs to the kernel, even inside a driver call: no driver has to
// give it back. With a `scope`, it is on the list of that scope instead.
class [[nodiscard]] OwnScope {
 public:
  OwnScope() : OwnScope(*Machine::current()) {}
  explicit OwnScope(Machine& machine) : OwnScope(machine, machine.root_scope()) {}
  OwnScope(Machine& machine, Scope& scope) : thread_(machine.self()), outer_(std::exchange(thread_.scope, &scope)) {}
  ~OwnScope() { thread_.scope = outer_; }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

  Scope* outer() const { return outer_; }  // where what the driver obtains belongs

 private:
  Thread& thread_;
  Scope* outer_;
};

}  // namespace nt
