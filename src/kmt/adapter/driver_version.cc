#include "kmt/adapter/driver_version.h"

#include "abi/shared/d3dkmthk.h"
#include "dxgk/ddi/ddi.h"

namespace kmt {

uint32_t driver_version(uint32_t interface_version) {
  using enum dxgk::InterfaceVersion;
  static constexpr struct {
    dxgk::InterfaceVersion since;
    uint32_t version;
  } kVersions[] = {
      {Wddm3_1, KMT_DRIVERVERSION_WDDM_3_1}, {Wddm3_0, KMT_DRIVERVERSION_WDDM_3_0},
      {Wddm2_9, KMT_DRIVERVERSION_WDDM_2_9}, {Wddm2_8, KMT_DRIVERVERSION_WDDM_2_8},
      {Wddm2_7, KMT_DRIVERVERSION_WDDM_2_7}, {Wddm2_6, KMT_DRIVERVERSION_WDDM_2_6},
      {Wddm2_5, KMT_DRIVERVERSION_WDDM_2_5}, {Wddm2_4, KMT_DRIVERVERSION_WDDM_2_4},
      {Wddm2_3, KMT_DRIVERVERSION_WDDM_2_3}, {Wddm2_2, KMT_DRIVERVERSION_WDDM_2_2},
      {Wddm2_1, KMT_DRIVERVERSION_WDDM_2_1}, {Wddm2_0, KMT_DRIVERVERSION_WDDM_2_0},
      {Wddm1_3, KMT_DRIVERVERSION_WDDM_1_3}, {Win8, KMT_DRIVERVERSION_WDDM_1_2},
      {Win7, KMT_DRIVERVERSION_WDDM_1_1},
  };
  for (const auto& row : kVersions) {
    if (interface_version >= static_cast<uint32_t>(row.since)) return row.version;
  }
  return KMT_DRIVERVERSION_WDDM_1_0;
}

}  // namespace kmt
