#include "allocation.h"

#include "device.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT kLocalSet = 1u << (SOFTGPU_SEGMENT_LOCAL - 1);
constexpr UINT kApertureSet = 1u << (SOFTGPU_SEGMENT_APERTURE - 1);

bool has(const SOFTGPU_ALLOCATION& data, UINT flags) { return (data.flags & flags) == flags; }

// Memory that the CPU reads or that others open too stays where every CPU can reach it: in system memory, behind the
// aperture. What is merely visible may go to local memory if the client asks for it.
UINT segment_set(const SOFTGPU_ALLOCATION& data) {
  if constexpr (kLocalOnly) {
    if (data.segment == SOFTGPU_SEGMENT_LOCAL) return kLocalSet;
  }
  if (!has(data, SOFTGPU_ALLOCATION_CPU_VISIBLE)) return kLocalSet | kApertureSet;
  bool only_system = (data.flags & (SOFTGPU_ALLOCATION_CACHED | SOFTGPU_ALLOCATION_SHARED)) != 0;
  return data.segment == SOFTGPU_SEGMENT_LOCAL && !only_system ? kLocalSet | kApertureSet : kApertureSet;
}

bool valid_flags(const SOFTGPU_ALLOCATION& data) {
  if ((data.flags & ~SOFTGPU_ALLOCATION_FLAGS) != 0) return false;
  if (has(data, SOFTGPU_ALLOCATION_CACHED) && !has(data, SOFTGPU_ALLOCATION_CPU_VISIBLE)) return false;
  if (has(data, SOFTGPU_ALLOCATION_EXISTING) && !has(data, SOFTGPU_ALLOCATION_CACHED)) return false;
  switch (data.segment) {
    case 0:
    case SOFTGPU_SEGMENT_APERTURE:
      return true;
    case SOFTGPU_SEGMENT_LOCAL:
      return (segment_set(data) & kLocalSet) != 0;
    default:
      return false;
  }
}

bool valid_surface(const SOFTGPU_ALLOCATION& data) {
  if (data.width == 0) return data.height == 0 && data.pitch == 0 && data.format == 0;
  UINT64 row = static_cast<UINT64>(data.width) * bytes_per_pixel(static_cast<D3DDDIFORMAT>(data.format));
  return data.height != 0 && data.pitch >= row && data.bytes >= static_cast<UINT64>(data.pitch) * data.height;
}

bool valid(const Adapter& adapter, const DXGK_ALLOCATIONINFO& info) {
  if (info.pPrivateDriverData == nullptr || info.PrivateDriverDataSize != sizeof(SOFTGPU_ALLOCATION)) return false;
  const auto& data = *static_cast<const SOFTGPU_ALLOCATION*>(info.pPrivateDriverData);
  if (data.magic != SOFTGPU_USER_MAGIC || data.version != SOFTGPU_USER_VERSION) return false;
  if (!valid_flags(data) || !valid_surface(data)) return false;
  UINT64 limit = adapter.aperture_bytes;
  if (segment_set(data) & kLocalSet) limit = lesser<UINT64>(limit, adapter.local_bytes);
  return data.bytes != 0 && data.bytes <= limit;
}

// The reserved flags are the graphics kernel's own: only ours are written.
template <typename Flags>
void set_flags(const SOFTGPU_ALLOCATION& data, Flags& flags) {
  flags.CpuVisible = has(data, SOFTGPU_ALLOCATION_CPU_VISIBLE);
  flags.Cached = has(data, SOFTGPU_ALLOCATION_CACHED);
  flags.ExistingSysMem = has(data, SOFTGPU_ALLOCATION_EXISTING);
}

void describe(const SOFTGPU_ALLOCATION& data, DXGK_ALLOCATIONINFO& info) {
  UINT set = segment_set(data);
  bool local_first = (set & kLocalSet) != 0 && data.segment != SOFTGPU_SEGMENT_APERTURE;
  info.Alignment = PAGE_SIZE;
  info.Size = static_cast<SIZE_T>(data.bytes);
  info.PreferredSegment.SegmentId0 = local_first ? SOFTGPU_SEGMENT_LOCAL : SOFTGPU_SEGMENT_APERTURE;
  if (local_first) info.PreferredSegment.SegmentId1 = SOFTGPU_SEGMENT_APERTURE;
  if constexpr (kLocalOnly) {
    if (set == kLocalSet) info.PreferredSegment.SegmentId1 = 0;
  }
  if constexpr (!kGpuMmu) info.SupportedReadSegmentSet = set;
  info.SupportedWriteSegmentSet = set;
  info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  if constexpr (kGpuMmu) {
    set_flags(data, info.FlagsWddm2);
  } else {
    set_flags(data, info.Flags);
  }
}

Allocation* make_allocation(const SOFTGPU_ALLOCATION& data) {
  Allocation* allocation = allocate<Allocation>(POOL_FLAG_PAGED);
  if (allocation == nullptr) return nullptr;
  allocation->bytes = ROUND_TO_PAGES(data.bytes);
  allocation->width = data.width;
  allocation->height = data.height;
  allocation->pitch = data.pitch;
  allocation->format = static_cast<D3DDDIFORMAT>(data.format);
  allocation->refresh.Numerator = data.refresh_numerator;
  allocation->refresh.Denominator = data.refresh_denominator;
  return allocation;
}

// Our allocation behind a client's handle. From WDDM 2.0 on it has to be acquired; the view keeps the allocation alive
// as well, so it can be released at once.
Allocation* find_allocation(const Adapter& adapter, D3DKMT_HANDLE handle) {
  DXGKARGCB_GETHANDLEDATA args = {};
  args.hObject = handle;
  args.Type = DXGK_HANDLE_ALLOCATION;
  if constexpr (!kGpuMmu) return static_cast<Allocation*>(adapter.dxgk.DxgkCbGetHandleData(&args));
  DXGKARGCB_RELEASEHANDLEDATA acquired = {};
  acquired.Type = DXGK_HANDLE_ALLOCATION;
  PVOID data = adapter.dxgk.DxgkCbAcquireHandleData(&args, &acquired.ReleaseHandle);
  if (data != nullptr) adapter.dxgk.DxgkCbReleaseHandleData(acquired);
  return static_cast<Allocation*>(data);
}

NTSTATUS open_view(const Adapter& adapter, DXGK_OPENALLOCATIONINFO& info, bool read_only) {
  Allocation* allocation = find_allocation(adapter, info.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  View* view = allocate<View>(POOL_FLAG_PAGED);
  if (view == nullptr) return STATUS_NO_MEMORY;
  view->allocation = allocation;
  view->read_only = read_only;
  info.hDeviceSpecificAllocation = view;
  return STATUS_SUCCESS;
}

// GDI looks at single surfaces, and ours have one subresource. The two members are written though the structure is
// const.
NTSTATUS describe_subresource(const DXGKARG_OPENALLOCATION& args) {
  if (args.SubresourceIndex != 0 || args.NumAllocations == 0) return STATUS_INVALID_PARAMETER;
  auto& out = const_cast<DXGKARG_OPENALLOCATION&>(args);
  out.SubresourceOffset = 0;
  out.Pitch = static_cast<View*>(args.pOpenAllocation[0].hDeviceSpecificAllocation)->allocation->pitch;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS create_allocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation) {
  PAGED_CODE();
  const Adapter& adapter = adapter_of(hAdapter);
  DXGK_ALLOCATIONINFO* infos = pCreateAllocation->pAllocationInfo;
  UINT count = pCreateAllocation->NumAllocations;
  for (UINT i = 0; i < count; ++i) {
    if (!valid(adapter, infos[i])) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < count; ++i) {
    const auto& data = *static_cast<const SOFTGPU_ALLOCATION*>(infos[i].pPrivateDriverData);
    Allocation* allocation = make_allocation(data);
    if (allocation == nullptr) {
      while (i-- > 0) release(static_cast<Allocation*>(infos[i].hAllocation));
      return STATUS_NO_MEMORY;
    }
    infos[i].hAllocation = allocation;
    describe(data, infos[i]);
  }
  return STATUS_SUCCESS;
}

// DestroyResource asks for nothing more: resources have no object here.
NTSTATUS destroy_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation) {
  PAGED_CODE();
  for (UINT i = 0; i < pDestroyAllocation->NumAllocations; ++i) {
    release(static_cast<Allocation*>(pDestroyAllocation->pAllocationList[i]));
  }
  return STATUS_SUCCESS;
}

NTSTATUS describe_allocation(IN_CONST_HANDLE, INOUT_PDXGKARG_DESCRIBEALLOCATION pDescribeAllocation) {
  PAGED_CODE();
  const auto& allocation = *static_cast<const Allocation*>(pDescribeAllocation->hAllocation);
  bool surface = allocation.width != 0;
  pDescribeAllocation->Width = surface ? allocation.width : static_cast<UINT>(allocation.bytes);
  pDescribeAllocation->Height = surface ? allocation.height : 1;
  pDescribeAllocation->Format = allocation.format;
  pDescribeAllocation->MultisampleMethod.NumSamples = 1;
  pDescribeAllocation->MultisampleMethod.NumQualityLevels = 0;
  pDescribeAllocation->RefreshRate = allocation.refresh;
  pDescribeAllocation->PrivateDriverFormatAttribute = 0;
  pDescribeAllocation->Rotation = D3DDDI_ROTATION_IDENTITY;
  return STATUS_SUCCESS;
}

NTSTATUS open_allocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation) {
  PAGED_CODE();
  const Device& device = *static_cast<const Device*>(hDevice);
  DXGK_OPENALLOCATIONINFO* infos = pOpenAllocation->pOpenAllocation;
  NTSTATUS status = STATUS_SUCCESS;
  UINT opened = 0;
  while (opened < pOpenAllocation->NumAllocations) {
    status = open_view(*device.adapter, infos[opened], pOpenAllocation->Flags.ReadOnly);
    if (!NT_SUCCESS(status)) break;
    ++opened;
  }
  if (NT_SUCCESS(status) && device.gdi) status = describe_subresource(*pOpenAllocation);
  if (NT_SUCCESS(status)) return STATUS_SUCCESS;
  while (opened-- > 0) {
    release(static_cast<View*>(infos[opened].hDeviceSpecificAllocation));
    infos[opened].hDeviceSpecificAllocation = nullptr;
  }
  return status;
}

NTSTATUS close_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation) {
  PAGED_CODE();
  for (UINT i = 0; i < pCloseAllocation->NumAllocations; ++i) {
    release(static_cast<View*>(pCloseAllocation->pOpenHandleList[i]));
  }
  return STATUS_SUCCESS;
}

UINT bytes_per_pixel(D3DDDIFORMAT format) {
  switch (format) {
    case D3DDDIFMT_A8:
    case D3DDDIFMT_P8:
    case D3DDDIFMT_L8:
    case D3DDDIFMT_R8:
    case D3DDDIFMT_R3G3B2:
      return 1;
    case D3DDDIFMT_R5G6B5:
    case D3DDDIFMT_X1R5G5B5:
    case D3DDDIFMT_A1R5G5B5:
    case D3DDDIFMT_A4R4G4B4:
    case D3DDDIFMT_X4R4G4B4:
      return 2;
    case D3DDDIFMT_R8G8B8:
      return 3;
    case D3DDDIFMT_A16B16G16R16:
      return 8;
    default:
      return 4;
  }
}

}  // namespace softgpu
