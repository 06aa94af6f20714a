#pragma once

#include <string>

#include "abi/shared/winerror.h"

namespace host {

// Remembers the first call of a device that failed, so that many calls can be made and checked once.
class DeviceCalls9 {
 public:
  // Whether it succeeded.
  bool check(const char* function, HRESULT result);
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }  // "DrawPrimitive returned E_OUTOFMEMORY"

 private:
  std::string failure_;
};

}  // namespace host
