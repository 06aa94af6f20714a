#include "umd/common/function_table.h"

#include <cstring>
#include <string_view>

namespace umd {
namespace {

constexpr Era VISTA = Era::Vista, WIN7 = Era::Win7, WIN8 = Era::Win8, WDDM13 = Era::Wddm13, WDDM20 = Era::Wddm20,
              WDDM22 = Era::Wddm22;

struct Slot {
  size_t offset;
  const char* name;
  Era since;
};

constexpr Slot kSlots[] = {
#define SLOT(index, name, since) {offsetof(D3DDDI_DEVICEFUNCS, name), #name, since},
#include "abi/um/d3dumddi_slots.def"
#undef SLOT
};

// NULL in the table of D3D9On12, which Windows loads.
constexpr std::string_view kOptional[] = {"pfnLockAsync", "pfnUnlockAsync", "pfnRename", "pfnTrimResidencySet",
                                          "pfnReserved1"};

bool optional(std::string_view name) {
  for (std::string_view each : kOptional) {
    if (each == name) return true;
  }
  return false;
}

bool is_null(const D3DDDI_DEVICEFUNCS& table, size_t offset) {
  void* function;
  std::memcpy(&function, reinterpret_cast<const char*>(&table) + offset, sizeof(function));
  return function == nullptr;
}

struct Version {
  UINT first;
  Era era;
};

constexpr Version kVersions[] = {
    {D3D_UMD_INTERFACE_VERSION_WDDM2_4, Era::Wddm24}, {D3D_UMD_INTERFACE_VERSION_WDDM2_3, Era::Wddm23},
    {D3D_UMD_INTERFACE_VERSION_WDDM2_2, Era::Wddm22}, {D3D_UMD_INTERFACE_VERSION_WDDM2_1, Era::Wddm21},
    {D3D_UMD_INTERFACE_VERSION_WDDM2_0, Era::Wddm20}, {D3D_UMD_INTERFACE_VERSION_WDDM1_3, Era::Wddm13},
    {D3D_UMD_INTERFACE_VERSION_WIN8, Era::Win8},      {D3D_UMD_INTERFACE_VERSION_WIN7, Era::Win7},
};

}  // namespace

const char* missing_function(const D3DDDI_DEVICEFUNCS& table, Era era) {
  for (const Slot& slot : kSlots) {
    if (slot.since <= era && !optional(slot.name) && is_null(table, slot.offset)) return slot.name;
  }
  return nullptr;
}

Era era_of(UINT version) {
  for (const Version& known : kVersions) {
    if (version >= known.first) return known.era;
  }
  return Era::Vista;
}

}  // namespace umd
