#pragma once

#include "base/here.h"

// CHECK is for our own mistakes: it aborts, always. A caller's mistake is a Failure, a driver's is a finding.
namespace base {

[[noreturn]] void check_failed(const char* condition, const char* message, Here where);

// Called once before the abort, to save what must not be lost (the trace). One hook; null to remove.
void set_check_hook(void (*hook)());

}  // namespace base

#define CHECK(condition) \
  (__builtin_expect(!!(condition), 1) ? void(0) : ::base::check_failed(#condition, "", ::base::Here::now()))
#define CHECK_MSG(condition, message) \
  (__builtin_expect(!!(condition), 1) ? void(0) : ::base::check_failed(#condition, message, ::base::Here::now()))

#ifdef DRYDOCK_DEBUG
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) ((void)sizeof(!(condition)))
#endif
