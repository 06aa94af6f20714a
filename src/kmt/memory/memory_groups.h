#pragma once

#include "dxgk/adapter/adapter_caps.h"

namespace kmt {

// An adapter's memory as clients are told of it.
struct MemoryGroups {
  uint64_t local = 0;      // segments of the adapter's own memory
  uint64_t non_local = 0;  // what its apertures can show of the system's
};
MemoryGroups memory_groups(const dxgk::AdapterCaps& caps);

}  // namespace kmt
