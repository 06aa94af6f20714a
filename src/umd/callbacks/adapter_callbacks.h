#pragma once

#include "abi/um/d3dumddi.h"
#include "kmt/client/client.h"

namespace umd {

// What an adapter's handle stands for: where a driver's queries to its kernel-mode half go.
struct AskedAdapter {
  kmt::Client& client;
  D3DKMT_HANDLE kernel;
  nt::Machine& machine;
};

// What a driver may call on its adapter, of Direct3D 9 and 10 alike. The handle's object is an AskedAdapter.
D3DDDI_ADAPTERCALLBACKS adapter_callbacks();

}  // namespace umd
