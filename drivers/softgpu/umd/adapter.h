// The adapter behind a driver, whatever DDI opened it.
#pragma once

#include <d3dumddi.h>

#include "softgpu_user.h"

namespace softgpu {

// Made by OpenAdapter, ended by CloseAdapter; outlives its devices. Never changes in between.
struct Adapter {
  HANDLE runtime;
  UINT version;  // of the interface that runtime and driver have agreed on
  SOFTGPU_ADAPTER hardware;

  bool virtual_addressing() const { return hardware.virtual_addressing != 0; }
};

// Null on failure, and why.
Adapter* open_adapter(HANDLE runtime, const D3DDDI_ADAPTERCALLBACKS& callbacks, UINT version, HRESULT* result);

}  // namespace softgpu
