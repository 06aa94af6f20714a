// DxgkDdiQueryAdapterInfo and DxgkDdiGetNodeMetadata.
#include "caps.h"
#include "driver.h"
#include "softgpu_user.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

// The structures grew over the versions: the system asks for as much as it knows of them.
template <typename T>
NTSTATUS answer(const DXGKARG_QUERYADAPTERINFO& query, const T& value) {
  RtlCopyMemory(query.pOutputData, &value, lesser<SIZE_T>(query.OutputDataSize, sizeof(value)));
  return STATUS_SUCCESS;
}

template <typename In>
const In* input(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.InputDataSize >= sizeof(In) ? static_cast<const In*>(query.pInputData) : nullptr;
}

template <typename Out>
NTSTATUS answer_segments(const Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize < sizeof(Out)) return STATUS_INVALID_PARAMETER;
  return query_segments(adapter, *static_cast<Out*>(query.pOutputData));
}

NTSTATUS answer_level(const DXGKARG_QUERYADAPTERINFO& query) {
  const auto* in = input<DXGK_QUERYPAGETABLELEVELDESCIN>(query);
  if (in == nullptr) return STATUS_INVALID_PARAMETER;
  DXGK_PAGE_TABLE_LEVEL_DESC description;
  NTSTATUS status = page_table_level_desc(in->LevelIndex, description);
  return NT_SUCCESS(status) ? answer(query, description) : status;
}

// The user-mode driver's structure does not grow: another size is another driver.
NTSTATUS answer_user(const Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize != sizeof(SOFTGPU_ADAPTER)) return STATUS_INVALID_PARAMETER;
  SOFTGPU_ADAPTER user = {};
  user.magic = SOFTGPU_USER_MAGIC;
  user.version = SOFTGPU_USER_VERSION;
  user.features = adapter.features;
  user.engines = SOFTGPU_ENGINES;
  user.local_bytes = adapter.local_bytes;
  user.aperture_bytes = adapter.aperture_bytes;
  user.virtual_addressing = kGpuMmu;
  return answer(query, user);
}

// The handle in it is the system's, for us to know.
NTSTATUS answer_physical_adapter(const DXGKARG_QUERYADAPTERINFO& query) {
  DXGK_PHYSICALADAPTERCAPS caps = {};
  RtlCopyMemory(&caps, query.pOutputData, lesser<SIZE_T>(query.OutputDataSize, sizeof(caps)));
  fill_physical_adapter_caps(caps);
  return answer(query, caps);
}

// Only virtual addressing asks these.
NTSTATUS answer_mmu(const Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& query) {
  switch (query.Type) {
    case DXGKQAITYPE_QUERYSEGMENT4:
      return answer_segments<DXGK_QUERYSEGMENTOUT4>(adapter, query);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
      return answer_physical_adapter(query);
    case DXGKQAITYPE_GPUMMUCAPS:
      return answer(query, gpu_mmu_caps(adapter));
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      return answer_level(query);
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace

NTSTATUS query_adapter_info(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo) {
  PAGED_CODE();
  const Adapter& adapter = adapter_of(hAdapter);
  const DXGKARG_QUERYADAPTERINFO& query = *pQueryAdapterInfo;
  switch (query.Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE:
      return answer_user(adapter, query);
    case DXGKQAITYPE_DRIVERCAPS:
      return answer(query, driver_caps(adapter));
    case DXGKQAITYPE_WDDMDEVICECAPS:  // possibly before the adapter is started
      return answer(query, DXGK_WDDMDEVICECAPS{kWddmVersion});
    case DXGKQAITYPE_HISTORYBUFFERPRECISION:
      return answer(query, DXGKARG_HISTORYBUFFERPRECISION{64});
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      return answer(query, UINT{0});
    case DXGKQAITYPE_QUERYSEGMENT3:
      return kGpuMmu ? STATUS_NOT_SUPPORTED : answer_segments<DXGK_QUERYSEGMENTOUT3>(adapter, query);
    default:
      return kGpuMmu ? answer_mmu(adapter, query) : STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS get_node_metadata(IN_CONST_HANDLE, UINT NodeOrdinalAndAdapterIndex,
                           OUT_PDXGKARG_GETNODEMETADATA pGetNodeMetadata) {
  PAGED_CODE();
  static const WCHAR kRender[] = L"softgpu render";
  static const WCHAR kCopy[] = L"softgpu copy";
  RtlZeroMemory(pGetNodeMetadata, sizeof(*pGetNodeMetadata));
  switch (NodeOrdinalAndAdapterIndex) {
    case SOFTGPU_ENGINE_RENDER:
      pGetNodeMetadata->EngineType = kComputeOnly ? DXGK_ENGINE_TYPE_OTHER : DXGK_ENGINE_TYPE_3D;
      RtlCopyMemory(pGetNodeMetadata->FriendlyName, kRender, sizeof(kRender));
      break;
    case SOFTGPU_ENGINE_COPY:
      pGetNodeMetadata->EngineType = DXGK_ENGINE_TYPE_COPY;
      RtlCopyMemory(pGetNodeMetadata->FriendlyName, kCopy, sizeof(kCopy));
      break;
    default:
      return STATUS_INVALID_PARAMETER;
  }
  pGetNodeMetadata->GpuMmuSupported = kGpuMmu;
  return STATUS_SUCCESS;
}

}  // namespace softgpu
