// Processes, devices and contexts: one block of pool each, and no lists.
#pragma once

#include "adapter.h"

namespace softgpu {

struct Process {
  HANDLE dxgk_process;
};

struct ContextImage;

struct Device {
  Adapter* adapter;
  HANDLE dxgk_device;
  bool gdi;
};

// Not paged: submissions read it at DISPATCH_LEVEL.
struct Context {
  Device* device;
  UINT64 id;            // as the hardware knows it, never 0
  ContextImage* image;  // of its registers; null: it has none
  UINT node;
  bool system;
  // Set while the context is idle. 0: no root yet.
  UINT64 root;
  UINT root_entries;
};

}  // namespace softgpu
