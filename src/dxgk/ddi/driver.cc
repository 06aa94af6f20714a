#include "dxgk/ddi/driver.h"

#include <utility>

namespace dxgk {
namespace {

// The slots of ddi.def: those of the structure, and the one that only a display-only driver's own table has.
struct AllSlots : DRIVER_INITIALIZATION_DATA {
  PDXGKDDI_PRESENTDISPLAYONLY DxgkDdiPresentDisplayOnly;
};

// One sentence for each slot: a failure's reason is a literal.
constexpr const char* kMissing[] = {
#define DDI(name, ...) "DRIVER_INITIALIZATION_DATA.DxgkDdi" #name " is NULL, and every driver must fill it in",
#include "dxgk/ddi/ddi.def"
};

constexpr bool in_version(InterfaceVersion since, uint32_t version) { return static_cast<uint32_t>(since) <= version; }

}  // namespace

bool fills(const DRIVER_INITIALIZATION_DATA& table, Ddi ddi) {
  AllSlots slots{table, nullptr};
  switch (ddi) {
#define DDI(name, ...) \
  case Ddi::name:      \
    return slots.DxgkDdi##name != nullptr;
#include "dxgk/ddi/ddi.def"
  }
  return false;
}

const char* filled_reserved_slot(const DRIVER_INITIALIZATION_DATA& table) {
#define RESERVED_SLOT(field, since) \
  if (in_version(InterfaceVersion::since, table.Version) && table.field) return #field;
#include "dxgk/ddi/ddi.def"
  return nullptr;
}

DRIVER_INITIALIZATION_DATA as_full_table(const KMDDOD_INITIALIZATION_DATA& table) {
  DRIVER_INITIALIZATION_DATA full{};
#define COPY(field) full.field = table.field
  COPY(Version);
  COPY(DxgkDdiAddDevice);
  COPY(DxgkDdiStartDevice);
  COPY(DxgkDdiStopDevice);
  COPY(DxgkDdiRemoveDevice);
  COPY(DxgkDdiDispatchIoRequest);
  COPY(DxgkDdiInterruptRoutine);
  COPY(DxgkDdiDpcRoutine);
  COPY(DxgkDdiQueryChildRelations);
  COPY(DxgkDdiQueryChildStatus);
  COPY(DxgkDdiQueryDeviceDescriptor);
  COPY(DxgkDdiSetPowerState);
  COPY(DxgkDdiNotifyAcpiEvent);
  COPY(DxgkDdiResetDevice);
  COPY(DxgkDdiUnload);
  COPY(DxgkDdiQueryInterface);
  COPY(DxgkDdiControlEtwLogging);
  COPY(DxgkDdiQueryAdapterInfo);
  COPY(DxgkDdiSetPalette);
  COPY(DxgkDdiSetPointerPosition);
  COPY(DxgkDdiSetPointerShape);
  COPY(DxgkDdiEscape);
  COPY(DxgkDdiCollectDbgInfo);
  COPY(DxgkDdiIsSupportedVidPn);
  COPY(DxgkDdiRecommendFunctionalVidPn);
  COPY(DxgkDdiEnumVidPnCofuncModality);
  COPY(DxgkDdiSetVidPnSourceVisibility);
  COPY(DxgkDdiCommitVidPn);
  COPY(DxgkDdiUpdateActiveVidPnPresentPath);
  COPY(DxgkDdiRecommendMonitorModes);
  COPY(DxgkDdiGetScanLine);
  COPY(DxgkDdiQueryVidPnHWCapability);
  COPY(DxgkDdiStopDeviceAndReleasePostDisplayOwnership);
  COPY(DxgkDdiSystemDisplayEnable);
  COPY(DxgkDdiSystemDisplayWrite);
  COPY(DxgkDdiGetChildContainerId);
  COPY(DxgkDdiControlInterrupt);
  COPY(DxgkDdiSetPowerComponentFState);
  COPY(DxgkDdiPowerRuntimeControlRequest);
  COPY(DxgkDdiNotifySurpriseRemoval);
  COPY(DxgkDdiPowerRuntimeSetDeviceHandle);
#undef COPY
  return full;
}

base::Result<> Driver::check(const DRIVER_INITIALIZATION_DATA& table, DriverKind kind) {
  InterfaceVersion oldest = kind == DriverKind::DisplayOnly ? InterfaceVersion::Win8 : InterfaceVersion::Vista;
  if (!in_version(oldest, table.Version)) {
    return base::Failure(STATUS_REVISION_MISMATCH,
                         "DRIVER_INITIALIZATION_DATA.Version is older than this kind of driver exists");
  }
  if (table.Version > static_cast<uint32_t>(InterfaceVersion::Wddm3_1)) {
    return base::Failure(STATUS_REVISION_MISMATCH, "DRIVER_INITIALIZATION_DATA.Version is newer than this kernel");
  }
  for (size_t i = 0; i < kDdiCount; ++i) {
    const DdiRow& slot = row(static_cast<Ddi>(i));
    if (!slot.needed.covers(kinds::All) || !in_version(slot.since, table.Version)) continue;
    if (!fills(table, static_cast<Ddi>(i))) return base::Failure(STATUS_REVISION_MISMATCH, kMissing[i]);
  }
  return {};
}

Driver::Driver(PDRIVER_OBJECT object, const DRIVER_INITIALIZATION_DATA& table, DriverKind kind, std::string name,
               nt::Scope& scope)
    : object_(object), table_(table), kind_(kind), name_(std::move(name)), scope_(scope) {}

}  // namespace dxgk
