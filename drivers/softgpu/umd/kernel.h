// The graphics kernel as the runtime's callbacks give it to a device of a driver; the same for every DDI.
#pragma once

#include <d3dumddi.h>

namespace softgpu {

// Owned by its device; never changes after open().
struct Kernel {
  HANDLE device = nullptr;  // the runtime's handle, for every call
  D3DDDI_DEVICECALLBACKS call = {};

  // `version` is the interface that driver and runtime have agreed on (D3D_UMD_INTERFACE_VERSION_…). E_NOINTERFACE: the
  // runtime lacks what this way of addressing memory needs.
  HRESULT open(HANDLE runtime_device, const D3DDDI_DEVICECALLBACKS& callbacks, UINT version, bool virtual_addressing);
};

// The first failure of several steps that all have to be taken.
inline HRESULT first_failure(HRESULT first, HRESULT next) { return FAILED(first) ? first : next; }

// A step that gives something back when there is no later chance to: a failure is told, and the step taken once more.
template <typename Step>
HRESULT insist(Step&& step) {
  HRESULT result = step();
  if (FAILED(result)) step();
  return result;
}

}  // namespace softgpu
