// What a driver says about itself at start.
#include <algorithm>

#include "dxgk/adapter/adapter_start.h"
#include "dxgk/ddi/driver.h"

namespace dxgk {
namespace {

// As measured on Windows; the newest layout for versions that were not measured.
size_t driver_caps_bytes(uint32_t version) {
  if (version <= static_cast<uint32_t>(InterfaceVersion::Win8)) return DRYDOCK_DRIVERCAPS_SIZE_WIN8;
  if (version <= static_cast<uint32_t>(InterfaceVersion::Wddm1_3)) return DRYDOCK_DRIVERCAPS_SIZE_WDDM1_3;
  if (version <= static_cast<uint32_t>(InterfaceVersion::Wddm2_0)) return DRYDOCK_DRIVERCAPS_SIZE_WDDM2_0;
  return sizeof(DXGK_DRIVERCAPS);
}

}  // namespace

base::Result<> AdapterStart::query_driver_caps() {
  caps_.driver = {};
  auto* bytes = reinterpret_cast<uint8_t*>(&caps_.driver);
  NTSTATUS status = query(DXGKQAITYPE_DRIVERCAPS, {}, {bytes, driver_caps_bytes(caps_.version)});
  if (status < 0) return base::Failure(status, "the driver did not answer DXGKQAITYPE_DRIVERCAPS");
  if (adapter_.driver().kind() != DriverKind::DisplayOnly) {
    caps_.kind = caps_.driver.MiscCaps.ComputeOnly ? DriverKind::ComputeOnly
                 : caps_.sources == 0              ? DriverKind::RenderOnly
                                                   : DriverKind::Full;
  }
  caps_.gpu_mmu = caps_.wddm2() && caps_.driver.MemoryManagementCaps.GpuMmuSupported;
  caps_.io_mmu = caps_.wddm2() && caps_.driver.MemoryManagementCaps.IoMmuSupported;
  caps_.nodes = caps_.driver.GpuEngineTopology.NbAsymetricProcessingNodes;
  caps_.paging_node = caps_.driver.MemoryManagementCaps.PagingNode;
  TRY(judge(check_driver_caps(facts())));
  return judge(check_table(facts()));
}

// A new Windows asks old drivers too; every answer is accepted.
void AdapterStart::query_64bit_only() {
  UINT caps = 0;
  static_cast<void>(query(DXGKQAITYPE_64BITONLYCAPS, caps));
}

// A driver may refuse (observed): then the values of DXGK_DRIVERCAPS hold.
void AdapterStart::query_physical_adapter() {
  DXGK_QUERYPHYSICALADAPTERCAPSIN input{};
  DXGK_PHYSICALADAPTERCAPS physical{};
  physical.DxgkPhysicalAdapterHandle = adapter_.device_handle();
  bool early = caps_.version < static_cast<uint32_t>(InterfaceVersion::Wddm2_7);
  size_t bytes = early ? DRYDOCK_PHYSICALADAPTERCAPS_SIZE_WDDM2_0 : sizeof(physical);
  NTSTATUS status = query(DXGKQAITYPE_PHYSICALADAPTERCAPS, {reinterpret_cast<const uint8_t*>(&input), sizeof(input)},
                          {reinterpret_cast<uint8_t*>(&physical), bytes});
  if (status < 0) return;
  caps_.nodes = physical.NumExecutionNodes;
  caps_.paging_node = physical.PagingNodeIndex;
  caps_.move_paging = physical.Flags.MovePagingSupported;
}

void AdapterStart::query_display_extension() {
  DXGK_DISPLAY_DRIVERCAPS_EXTENSION extension{};
  static_cast<void>(query(DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION, extension));
}

base::Result<> AdapterStart::query_page_tables() {
  if (!caps_.gpu_mmu) return {};
  caps_.mmu = {};
  caps_.page_table_levels.clear();
  NTSTATUS status = query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{}, caps_.mmu);
  if (status < 0) return base::Failure(status, "the driver did not answer DXGKQAITYPE_GPUMMUCAPS");
  TRY(judge(check_page_tables(facts())));  // before its levels are counted
  for (WORD level = 0; level < caps_.mmu.PageTableLevelCount; ++level) {
    DXGK_PAGE_TABLE_LEVEL_DESC desc{};
    status = query(DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN{level, 0}, desc);
    if (status < 0) return base::Failure(status, "the driver did not answer DXGKQAITYPE_PAGETABLELEVELDESC");
    caps_.page_table_levels.push_back(desc);
  }
  return judge(check_page_tables(facts()));
}

}  // namespace dxgk
