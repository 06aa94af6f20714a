#include "dxgk/standard_data.h"

#include <fmt/format.h>

#include "dxgk/adapter.h"
#include "dxgk/call_buffer.h"

namespace dxgk {
namespace {

D3DKMDT_GDISURFACEDATA surface_of(uint64_t bytes, StandardKind kind) {
  D3DKMDT_GDISURFACEDATA surface{};
  surface.Width = static_cast<UINT>(bytes);
  surface.Height = 1;
  surface.Format = D3DDDIFMT_A8;
  surface.Type =
      kind == StandardKind::Staging ? D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE : D3DKMDT_GDISURFACE_EXISTINGSYSMEM;
  return surface;
}

base::Result<> ask(Adapter& adapter, D3DKMDT_GDISURFACEDATA& surface, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &surface;
  NTSTATUS status = adapter.miniport().call(Ddi::GetStandardAllocationDriverData,
                                            &DRIVER_INITIALIZATION_DATA::DxgkDdiGetStandardAllocationDriverData,
                                            &adapter.scope(), adapter.context(), &args);
  if (status >= 0) return {};
  return base::Failure(status, "the driver refused the standard allocation (DxgkDdiGetStandardAllocationDriverData)");
}

}  // namespace

base::Result<StandardData> standard_data(Adapter& adapter, uint64_t bytes, StandardKind kind) {
  StandardData data;
  if (!adapter.miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiGetStandardAllocationDriverData)) return data;
  if (bytes > UINT32_MAX) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a surface of one row cannot be as large as 4 GiB");
  }
  D3DKMDT_GDISURFACEDATA surface = surface_of(bytes, kind);
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA sizes{};
  TRY(ask(adapter, surface, sizes));
  data.allocation.resize(sizes.AllocationPrivateDriverDataSize);
  data.resource.resize(sizes.ResourcePrivateDriverDataSize);
  CallBuffer allocation(adapter.machine(), data.allocation);
  CallBuffer resource(adapter.machine(), data.resource);
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA filled{};
  filled.pAllocationPrivateDriverData = allocation.data();
  filled.AllocationPrivateDriverDataSize = sizes.AllocationPrivateDriverDataSize;
  filled.pResourcePrivateDriverData = resource.data();
  filled.ResourcePrivateDriverDataSize = sizes.ResourcePrivateDriverDataSize;
  surface = surface_of(bytes, kind);
  TRY(ask(adapter, surface, filled));
  allocation.copy_back(data.allocation);
  resource.copy_back(data.resource);
  return data;
}

}  // namespace dxgk
