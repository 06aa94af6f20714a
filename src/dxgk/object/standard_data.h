#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace dxgk {

class Adapter;

// The driver's private data for an allocation that the kernel describes to it.
struct StandardData {
  std::vector<uint8_t> allocation;
  std::vector<uint8_t> resource;
};

enum class StandardKind : uint8_t {
  ExistingHeap,  // memory that the client brought (D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP)
  Staging,       // a GDI surface that the CPU can see: what every driver understands
  CrossAdapter,  // a GDI surface that another adapter can see: for drivers with CrossAdapterResource
  Primary,       // what is scanned out, shared: for drivers with a display
};

// DxgkDdiGetStandardAllocationDriverData, asked for sizes and then for data, for a surface of so many bytes. A driver
// without the DDI gets no data.
base::Result<StandardData> standard_data(Adapter& adapter, uint64_t bytes,
                                         StandardKind kind = StandardKind::ExistingHeap);

}  // namespace dxgk
