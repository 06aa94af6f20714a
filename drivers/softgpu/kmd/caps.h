// The answers to DxgkDdiQueryAdapterInfo that are about what the driver and the hardware can do.
#pragma once

#include "adapter.h"

namespace softgpu {

DXGK_DRIVERCAPS driver_caps(const Adapter& adapter);
void fill_physical_adapter_caps(DXGK_PHYSICALADAPTERCAPS& caps);
DXGK_GPUMMUCAPS gpu_mmu_caps(const Adapter& adapter);
NTSTATUS page_table_level_desc(UINT level, DXGK_PAGE_TABLE_LEVEL_DESC& description);

// segments.cc. Both are called twice: for the number of segments, then with room for their descriptions.
NTSTATUS query_segments(const Adapter& adapter, DXGK_QUERYSEGMENTOUT3& out);
NTSTATUS query_segments(const Adapter& adapter, DXGK_QUERYSEGMENTOUT4& out);

}  // namespace softgpu
