#pragma once

#include <string>

#include "abi/km/dispmprt.h"
#include "base/result.h"
#include "dxgk/ddi/ddi.h"
#include "nt/machine/scope.h"

namespace dxgk {

// Whether the driver fills the slot. False for what is not in the structure (DxgkDdiPresentDisplayOnly).
bool fills(const DRIVER_INITIALIZATION_DATA& table, Ddi ddi);
// The name of the first reserved slot that is not zero and that the declared version has; null when all are.
const char* filled_reserved_slot(const DRIVER_INITIALIZATION_DATA& table);

// A display-only driver's table as the larger one that it is a part of. DxgkDdiPresentDisplayOnly has no place there.
DRIVER_INITIALIZATION_DATA as_full_table(const KMDDOD_INITIALIZATION_DATA& table);

// A display miniport driver as it registered itself: DxgkInitialize or DxgkInitializeDisplayOnlyDriver. Owned by the
// kernel from then until the driver is unloaded. Never changes.
class Driver {
 public:
  // What Windows checks at registration: STATUS_REVISION_MISMATCH for a table without an entry that every kind of
  // driver needs; the failure names it. What a kind needs is checked at start, when the kind is known.
  static base::Result<> check(const DRIVER_INITIALIZATION_DATA& table, DriverKind kind);

  Driver(PDRIVER_OBJECT object, const DRIVER_INITIALIZATION_DATA& table, DriverKind kind, std::string name,
         nt::Scope& scope);

  PDRIVER_OBJECT object() const { return object_; }
  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }
  uint32_t version() const { return table_.Version; }
  // Full until its caps say RenderOnly or ComputeOnly; a display-only driver is known from its registration.
  DriverKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  // What it obtained for itself, and what its adapters' scopes lie in.
  nt::Scope& scope() const { return scope_; }

 private:
  PDRIVER_OBJECT object_;
  DRIVER_INITIALIZATION_DATA table_;
  DriverKind kind_;
  std::string name_;
  nt::Scope& scope_;
};

}  // namespace dxgk
