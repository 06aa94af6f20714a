#pragma once

#include <array>
#include <string>

#include "abi/um/d3d10umddi.h"

namespace umd {

// The version of a device's function table. Each version begins with the slots of the one before it; a few have another
// type.
enum class Ddi10 : uint8_t { D3D10_0, D3D10_1, D3D11_0 };

// The interface versions that the runtime speaks, and the table of each.
struct Interface10 {
  UINT version;
  UINT build;
  Ddi10 ddi;
};
const Interface10* find_interface(UINT version);  // null: the runtime does not speak it

// The table that the driver fills, and may keep a pointer to. Slots that are the same in all three are used as v11's.
union Functions10 {
  D3D10DDI_DEVICEFUNCS v10_0;
  D3D10_1DDI_DEVICEFUNCS v10_1;
  D3D11DDI_DEVICEFUNCS v11;
};

// What a driver reported about itself when it was opened; all zero before Direct3D 11.
struct Caps10 {
  UINT threading = 0;  // D3D11DDICAPS_FREETHREADED, …
  UINT pipelines = 0;  // one bit for each D3D11DDI_3DPIPELINELEVEL

  bool has_pipeline(D3D11DDI_3DPIPELINELEVEL level) const {
    return pipelines & D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(level);
  }
};

// The names ("pfnDraw", …) of slots that must not be empty and are; empty: none.
std::string find_hole(const Functions10& functions, Ddi10 ddi, const Caps10& caps);
std::string find_hole(const DXGI1_3_DDI_BASE_FUNCTIONS& functions, UINT interface);

// The slots that a free-threaded driver of Direct3D 11 must not change once its device is made, because a thread that
// creates and destroys objects may hold a copy. Documented in "Changes from Direct3D 10".
class FixedSlots {
 public:
  explicit FixedSlots(const Functions10& functions) : seen_(snapshot(functions)) {}
  // The name of one that has changed since it was last asked; null: none.
  const char* changed(const Functions10& functions);

 private:
  static constexpr size_t kSlots = sizeof(D3D11DDI_DEVICEFUNCS) / sizeof(void*);
  using Snapshot = std::array<uintptr_t, kSlots>;
  static Snapshot snapshot(const Functions10& functions);

  Snapshot seen_;
};

}  // namespace umd
