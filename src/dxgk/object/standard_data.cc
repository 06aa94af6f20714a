#include "dxgk/object/standard_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/object/standard_allocation_registry.h"

namespace dxgk {
namespace {

constexpr UINT kMostBytes = 1u << 20;  // of private data, ours

D3DKMDT_GDISURFACETYPE type_of(StandardKind kind) {
  switch (kind) {
    case StandardKind::Staging:
      return D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE;
    case StandardKind::CrossAdapter:
      return D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
    default:
      return D3DKMDT_GDISURFACE_EXISTINGSYSMEM;
  }
}

// The surface that the driver is asked about: one of the two, by its kind. A row of bytes, or a small picture of so
// many.
struct Surface {
  Surface(uint64_t bytes, StandardKind of) : kind(of) {
    bool picture = kind == StandardKind::CrossAdapter || kind == StandardKind::Primary;
    gdi.Width = primary.Width = picture ? kWidth : static_cast<UINT>(bytes);
    gdi.Height = primary.Height = picture ? static_cast<UINT>(bytes / (4 * kWidth)) : 1;
    gdi.Format = primary.Format = picture ? D3DDDIFMT_A8R8G8B8 : D3DDDIFMT_A8;
    gdi.Type = type_of(kind);
    primary.RefreshRate = {60, 1};
  }

  static constexpr UINT kWidth = 64;

  StandardKind kind;
  D3DKMDT_GDISURFACEDATA gdi{};
  D3DKMDT_SHAREDPRIMARYSURFACEDATA primary{};
};

void judge_pitch(Adapter& adapter, const D3DKMDT_GDISURFACEDATA& surface) {
  if (surface.Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER) {
    if (surface.Pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT == 0) return;
    adapter.machine().report_violation(
        nt::Violation::CrossAdapterWrong,
        fmt::format("DxgkDdiGetStandardAllocationDriverData gave a cross-adapter surface a pitch of "
                    "{}, which is no multiple of {}",
                    surface.Pitch, D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT));
  } else if (surface.Pitch < surface.Width) {
    adapter.machine().report_violation(
        nt::Violation::StandardDataWrong,
        fmt::format("DxgkDdiGetStandardAllocationDriverData left pCreateGdiSurfaceData->Pitch at {} for a surface that "
                    "the CPU sees, of {} byte(s) a row",
                    surface.Pitch, surface.Width));
  }
}

// The driver decides the pitch of a GDI surface.
void judge(Adapter& adapter, const Surface& surface, const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& answer) {
  if (surface.kind != StandardKind::Primary) judge_pitch(adapter, surface.gdi);
  if (answer.AllocationPrivateDriverDataSize == 0 && answer.ResourcePrivateDriverDataSize == 0) {
    adapter.machine().report_violation(
        nt::Violation::StandardDataWrong,
        "DxgkDdiGetStandardAllocationDriverData set both AllocationPrivateDriverDataSize and "
        "ResourcePrivateDriverDataSize to 0");
  }
}

base::Result<> ask(Adapter& adapter, Surface& surface, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  if (surface.kind == StandardKind::Primary) {
    args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    args.pCreateSharedPrimarySurfaceData = &surface.primary;
  } else {
    args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
    args.pCreateGdiSurfaceData = &surface.gdi;
  }
  NTSTATUS status = adapter.miniport().call(Ddi::GetStandardAllocationDriverData,
                                            &DRIVER_INITIALIZATION_DATA::DxgkDdiGetStandardAllocationDriverData,
                                            &adapter.scope(), adapter.context(), &args);
  if (status >= 0) return {};
  return base::Failure(status, "the driver refused the standard allocation (DxgkDdiGetStandardAllocationDriverData)");
}

}  // namespace

base::Result<StandardData> standard_data(Adapter& adapter, uint64_t bytes, StandardKind kind) {
  StandardData data;
  if (adapter.caps().kind == DriverKind::ComputeOnly) {
    return base::Failure(STATUS_NOT_SUPPORTED, "a compute-only driver has no surfaces of GDI");
  }
  if (!adapter.miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiGetStandardAllocationDriverData)) return data;
  if (bytes > UINT32_MAX) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a surface of one row cannot be as large as 4 GiB");
  }
  Surface surface(bytes, kind);
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA sizes{};
  TRY(ask(adapter, surface, sizes));
  if (std::max(sizes.AllocationPrivateDriverDataSize, sizes.ResourcePrivateDriverDataSize) > kMostBytes) {
    adapter.machine().report_violation(
        nt::Violation::StandardDataWrong,
        fmt::format("DxgkDdiGetStandardAllocationDriverData asks for {} and {} byte(s) of private data",
                    sizes.AllocationPrivateDriverDataSize, sizes.ResourcePrivateDriverDataSize));
    return base::Failure(STATUS_NO_MEMORY, "the driver asks for more private data than there can be");
  }
  data.allocation.resize(sizes.AllocationPrivateDriverDataSize);
  data.resource.resize(sizes.ResourcePrivateDriverDataSize);
  CallBuffer allocation(adapter.machine(), data.allocation);
  CallBuffer resource(adapter.machine(), data.resource);
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA filled{};
  filled.pAllocationPrivateDriverData = allocation.data();
  filled.AllocationPrivateDriverDataSize = sizes.AllocationPrivateDriverDataSize;
  filled.pResourcePrivateDriverData = resource.data();
  filled.ResourcePrivateDriverDataSize = sizes.ResourcePrivateDriverDataSize;
  surface = Surface(bytes, kind);
  TRY(ask(adapter, surface, filled));
  judge(adapter, surface, filled);
  allocation.copy_back(data.allocation);
  resource.copy_back(data.resource);
  adapter.standard_allocations().add(kind, data.allocation);
  return data;
}

}  // namespace dxgk
