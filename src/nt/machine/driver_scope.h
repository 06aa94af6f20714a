#pragma once

#include "nt/machine/scope.h"

namespace nt {

// The scope of the driver that `scope` belongs to; the outermost where there is none. For code that runs later on a
// thread of its own, when `scope` may have ended.
inline Scope* driver_scope(Scope* scope) {
  while (scope->kind() != ScopeKind::Driver && scope->parent()) scope = scope->parent();
  return scope;
}

}  // namespace nt
