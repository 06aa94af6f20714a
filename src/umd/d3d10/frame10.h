#pragma once

#include "umd/common/device.h"

namespace umd {

// Which errors a function may report through pfnSetErrorCb, in the categories of the page "Handling Errors".
enum class Errors : uint8_t {
  None,         // NoErrors: not even that the device was removed
  Removed,      // AllowDeviceRemoved
  Memory,       // AllowOutOfMemory
  Unsupported,  // CreateResource: AllowOutOfMemory, and that there is no such primary
  Map,          // AllowMapErrors, of a map that need not wait
};
bool is_allowed(Errors category, HRESULT error);

// A call into a driver of Direct3D 10 or 11, which reports errors by a callback. All frames of a Device10 are of this
// type.
struct Frame10 : Frame {
  Frame10(const char* its_name, Role its_role, Errors its_errors,
          nt::Violation its_rule = nt::Violation::UmdIllegalResult)
      : allowed(its_errors), rule(its_rule) {
    name = its_name;
    role = its_role;
  }

  Errors allowed;
  nt::Violation rule;    // that is broken by any other
  HRESULT error = S_OK;  // the first that was reported
  bool reported = false;
};

}  // namespace umd
