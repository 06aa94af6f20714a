#include "umd/d3d10/functions10.h"

#include <cstring>
#include <string_view>

namespace umd {
namespace {

constexpr Interface10 kInterfaces[] = {
    {D3D10_0_DDI_INTERFACE_VERSION, D3D10_0_DDI_BUILD_VERSION, Ddi10::D3D10_0},
    {D3D10_1_DDI_INTERFACE_VERSION, D3D10_1_DDI_BUILD_VERSION, Ddi10::D3D10_1},
    {D3D11_0_DDI_INTERFACE_VERSION, D3D11_0_DDI_BUILD_VERSION, Ddi10::D3D11_0},
    {D3D11_0_7_DDI_INTERFACE_VERSION, D3D11_0_7_DDI_BUILD_VERSION, Ddi10::D3D11_0},
};

// By the index of the slot, which all tables share.
constexpr std::string_view kNames[] = {
#define SLOT11(index, name) #name,
#include "abi/um/d3d10umddi_slots.def"
};
static_assert(std::size(kNames) == sizeof(D3D11DDI_DEVICEFUNCS) / sizeof(void*));

struct DxgiSlot {
  size_t index;
  std::string_view name;
  UINT minimum;  // 10: DXGI 1.0, …
};
constexpr DxgiSlot kDxgiSlots[] = {
#define SLOTDXGI(index, name, minimum) {index, #name, minimum},
#include "abi/um/d3d10umddi_slots.def"
};

size_t slots_of(Ddi10 ddi) {
  switch (ddi) {
    case Ddi10::D3D10_0:
      return sizeof(D3D10DDI_DEVICEFUNCS) / sizeof(void*);
    case Ddi10::D3D10_1:
      return sizeof(D3D10_1DDI_DEVICEFUNCS) / sizeof(void*);
    case Ddi10::D3D11_0:
      break;
  }
  return sizeof(D3D11DDI_DEVICEFUNCS) / sizeof(void*);
}

bool contains(std::string_view name, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

bool begins(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  for (std::string_view beginning : beginnings) {
    if (name.starts_with(beginning)) return true;
  }
  return false;
}

// Which slots no runtime calls is documented in "Supporting Threading, Command Lists, and 3-D Pipeline": those of a
// pipeline that the driver does not have, and those of command lists that the runtime emulates.
bool is_called(std::string_view name, const Caps10& caps) {
  if (contains(name, {"Recycle"})) return caps.threading & D3D11DDICAPS_COMMANDLISTS_BUILD_2;
  if (contains(name, {"CommandList", "DeferredContext"})) {
    return caps.threading & (D3D11DDICAPS_COMMANDLISTS | D3D11DDICAPS_COMMANDLISTS_BUILD_2);
  }
  bool of_pipeline_11 = begins(name, {"pfnHs", "pfnDs", "pfnCs", "pfnDispatch"}) ||
                        contains(name, {"HullShader", "DomainShader", "Tessellation", "WithIfaces", "ComputeShader",
                                        "UnorderedAccess", "Indirect", "ResourceMinLOD", "StructureCount"});
  return !of_pipeline_11 || caps.has_pipeline(D3D11DDI_3DPIPELINELEVEL_11_0);
}

bool is_fixed(std::string_view name) {
  return begins(name, {"pfnCreate", "pfnOpen", "pfnDestroy", "pfnCalcPrivate", "pfnCheck"});
}

uintptr_t slot(const void* table, size_t index) {
  uintptr_t value;
  std::memcpy(&value, static_cast<const char*>(table) + index * sizeof(value), sizeof(value));
  return value;
}

}  // namespace

const Interface10* find_interface(UINT version) {
  for (const Interface10& known : kInterfaces) {
    if (known.version == version) return &known;
  }
  return nullptr;
}

std::string find_hole(const Functions10& functions, Ddi10 ddi, const Caps10& caps) {
  for (size_t i = 0; i < slots_of(ddi); ++i) {
    if (slot(&functions, i) == 0 && is_called(kNames[i], caps)) return std::string(kNames[i]);
  }
  return {};
}

std::string find_hole(const DXGI1_3_DDI_BASE_FUNCTIONS& functions, UINT interface) {
  UINT version = IS_DXGI1_1_BASE_FUNCTIONS(interface, 0) ? 11 : 10;
  for (const DxgiSlot& each : kDxgiSlots) {
    if (each.minimum <= version && slot(&functions, each.index) == 0) return std::string(each.name);
  }
  return {};
}

FixedSlots::Snapshot FixedSlots::snapshot(const Functions10& functions) {
  Snapshot taken;
  std::memcpy(taken.data(), &functions, sizeof(taken));
  return taken;
}

const char* FixedSlots::changed(const Functions10& functions) {
  for (size_t i = 0; i < kSlots; ++i) {
    uintptr_t now = slot(&functions, i);
    if (now == seen_[i] || !is_fixed(kNames[i])) continue;
    seen_[i] = now;
    return kNames[i].data();
  }
  return nullptr;
}

}  // namespace umd
