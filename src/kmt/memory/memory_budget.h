#pragma once

#include "kmt/client/client.h"
#include "vidmm/manager/budget.h"

namespace kmt {

// What the client's process may use of an adapter's memory, and uses: what its devices list counts, resident or not.
// Nothing on an adapter without memory (display only). STATUS_DEVICE_REMOVED on a stopped one.
base::Result<vidmm::VideoMemoryInfo> memory_info(Client& client, dxgk::Adapter& adapter, vidmm::MemoryGroup group);
// STATUS_INVALID_PARAMETER for more than is available.
base::Result<> set_reservation(Client& client, dxgk::Adapter& adapter, vidmm::MemoryGroup group, uint64_t bytes);

}  // namespace kmt
