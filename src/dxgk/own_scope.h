#pragma once

#include <utility>

#include "nt/machine.h"

namespace dxgk {

// While one lives, what this thread obtains is the kernel's own, although a driver may have called: it is on nobody's
// list of things to give back.
class [[nodiscard]] OwnScope {
 public:
  explicit OwnScope(nt::Machine& machine)
      : thread_(machine.self()), outer_(std::exchange(thread_.scope, &machine.root_scope())) {}
  ~OwnScope() { thread_.scope = outer_; }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

 private:
  nt::Thread& thread_;
  nt::Scope* outer_;
};

}  // namespace dxgk
