#include "host/scenarios/umd/device_calls9.h"

#include <fmt/format.h>

#include "umd/common/hresult.h"

namespace host {

bool DeviceCalls9::check(const char* function, HRESULT result) {
  if (FAILED(result) && failure_.empty()) failure_ = fmt::format("{} returned {}", function, umd::name_of(result));
  return SUCCEEDED(result);
}

}  // namespace host
