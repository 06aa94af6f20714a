#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/km/wdm.h"
#include "abi/shared/ntstatus.h"

// The functions of a display miniport driver as the documentation describes them, generated from ddi.def. Constant
// data: any thread, any time, no allocation.
namespace dxgk {

enum class Ddi : uint8_t {
#define DDI(name, ...) name,
#include "dxgk/ddi/ddi.def"
};

inline constexpr size_t kDdiCount = 0
#define DDI(name, ...) +1
#include "dxgk/ddi/ddi.def"
    ;

enum class DriverKind : uint8_t { Full, RenderOnly, ComputeOnly, DisplayOnly };

// A set of driver kinds. The names stand in ddi.def and caps_rules.def.
struct KindSet {
  uint8_t bits = 0;

  constexpr bool has(DriverKind kind) const { return (bits >> static_cast<unsigned>(kind)) & 1; }
  constexpr bool empty() const { return bits == 0; }
  // Whether every kind of `other` is in this set.
  constexpr bool covers(KindSet other) const { return (other.bits & ~unsigned{bits}) == 0; }
  friend constexpr KindSet operator|(KindSet a, KindSet b) { return {static_cast<uint8_t>(a.bits | b.bits)}; }
  friend constexpr bool operator==(KindSet, KindSet) = default;
};

constexpr KindSet kind_set(DriverKind kind) { return {static_cast<uint8_t>(1u << static_cast<unsigned>(kind))}; }

namespace kinds {
inline constexpr KindSet None{};
inline constexpr KindSet Full = kind_set(DriverKind::Full);
inline constexpr KindSet RenderOnly = kind_set(DriverKind::RenderOnly);
inline constexpr KindSet ComputeOnly = kind_set(DriverKind::ComputeOnly);
inline constexpr KindSet DisplayOnly = kind_set(DriverKind::DisplayOnly);
inline constexpr KindSet Graphics = Full | RenderOnly;
inline constexpr KindSet Render = Graphics | ComputeOnly;
inline constexpr KindSet Display = Full | DisplayOnly;
inline constexpr KindSet ComputeOrDisplayOnly = ComputeOnly | DisplayOnly;
inline constexpr KindSet All = Render | DisplayOnly;
}  // namespace kinds

// What a statement about Windows rests on.
enum class Evidence : uint8_t {
  Documented,
  Observed,  // by others on Windows, never by us
  Policy,    // the documents are silent: our choice
  None,      // no source at all: the widest reading
};

// Which other functions may run at the same time. At level one, no two threads run in functions of the same class.
enum class SyncClass : uint8_t {
  Zero,
  OnePointer,
  OneScheduler,
  OneSwizzling,
  OneOverlay,
  OneChild,  // per child device
  OneDisplay,
  Two,    // alone in the driver, hardware idle
  Three,  // and video memory evicted
};

constexpr uint8_t sync_level(SyncClass sync) {
  switch (sync) {
    case SyncClass::Zero:
      return 0;
    case SyncClass::Two:
      return 2;
    case SyncClass::Three:
      return 3;
    default:
      return 1;
  }
}

enum class Returns : uint8_t { Status, Void, Boolean, Size };

// Which NTSTATUS values a function may return. The named ones list theirs.
enum class StatusSet : uint8_t {
  NoStatus,        // returns no NTSTATUS
  MustSucceed,     // STATUS_SUCCESS; anything else bugchecks Windows, or the page says "must succeed"
  ShouldSucceed,   // "should always return a success code": an error is legal and worth a warning
  AnyError,        // STATUS_SUCCESS or any error
  AnySuccess,      // whatever passes NT_SUCCESS, and no error
  ErrorOrPending,  // STATUS_SUCCESS, STATUS_PENDING or any error
#define STATUS_SET(name, statuses) name,
#include "dxgk/ddi/ddi.def"
};

// DXGKDDI_INTERFACE_VERSION_*: what DRIVER_INITIALIZATION_DATA.Version is compared with.
enum class InterfaceVersion : uint32_t {
  Vista = 0x1052,
  Win7 = 0x2005,
  Win8 = 0x300E,
  Wddm1_3 = 0x4002,
  Wddm2_0 = 0x5023,
  Wddm2_1 = 0x6003,
  Wddm2_2 = 0x700A,
  Wddm2_3 = 0x8001,
  Wddm2_4 = 0x9006,
  Wddm2_5 = 0xA00B,
  Wddm2_6 = 0xB004,
  Wddm2_7 = 0xC004,
  Wddm2_8 = 0xD001,
  Wddm2_9 = 0xE003,
  Wddm3_0 = 0xF003,
  Wddm3_1 = 0x10004,
};

// The IRQL names of ddi.def and callbacks.def.
namespace irql {
inline constexpr uint8_t PASSIVE = PASSIVE_LEVEL;
inline constexpr uint8_t APC = APC_LEVEL;
inline constexpr uint8_t DISPATCH = DISPATCH_LEVEL;
inline constexpr uint8_t DIRQL_MIN = DISPATCH_LEVEL + 1;
inline constexpr uint8_t DIRQL_MAX = CLOCK_LEVEL - 1;
inline constexpr uint8_t PROFILE_MINUS_1 = PROFILE_LEVEL - 1;
inline constexpr uint8_t HIGH = HIGH_LEVEL;
}  // namespace irql

struct DdiRow {
  const char* name;  // "DxgkDdiCreateAllocation", as the field is called
  uint8_t min_irql;
  uint8_t max_irql;
  Evidence irql_evidence;
  SyncClass sync;
  uint8_t level;
  Evidence level_evidence;
  Returns returns;
  StatusSet statuses;
  InterfaceVersion since;
  KindSet needed;  // kinds that should fill the slot
  KindSet firm;    // those of `needed` for which that is more than policy
  KindSet banned;  // kinds that must not fill the slot
  const char* page;
};

const DdiRow& row(Ddi ddi);
// All of them, in the enum's order.
std::span<const DdiRow> ddi_rows();

// Whether the documentation lets the function return this. True for a function that returns no NTSTATUS.
bool legal_status(Ddi ddi, NTSTATUS status);
// The values a set names; empty for NoStatus.
std::span<const NTSTATUS> named_statuses(StatusSet set);

}  // namespace dxgk
