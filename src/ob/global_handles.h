#pragma once

#include <cstdint>

#include "base/result.h"
#include "ob/encoding.h"
#include "ob/slot_table.h"
#include "ob/unpublished_object.h"

namespace ob {

// The machine's table of legacy share handles (hGlobalShare, Info.SharedHandle): numbers that mean the same object in
// every process. Such a number is a name and not a handle: it keeps nothing in use, cannot be closed, and goes with the
// last handle of its object, wherever that was (observed). Owned by the machine and outlives every handle to what it
// shares. Any thread.
class GlobalHandles {
 public:
  using Handle = GlobalKmtEncoding::Handle;

  explicit GlobalHandles(uint32_t max_handles = SlotTable::kMaxSlots) : slots_(max_handles) {}

  // STATUS_NO_MEMORY; STATUS_INVALID_PARAMETER if the object is published already. The handle in hand proves that the
  // object is in use.
  template <typename T>
  base::Result<Handle> share(const UnpublishedObject<T>& object) {
    return share_object(*object);
  }
  // One more handle to the object, for the opener's own table.
  template <HandleTarget T>
  base::Expected<UnpublishedObject<T>, LookupFault> open(Handle handle) {
    auto object = open_object(handle, kind_of<T>());
    if (!object.ok()) return object.error();
    UnpublishedObject<Object> opened = object.take();
    return UnpublishedObject<T>::adopt(static_cast<T*>(opened.leak()));
  }

  uint32_t size() const { return slots_.open_count(); }
  bool validate() const { return slots_.validate(); }

 private:
  class Entry;

  base::Result<Handle> share_object(Object& object);
  base::Expected<UnpublishedObject<Object>, LookupFault> open_object(Handle handle, ObjectKind kind);

  SlotTable slots_;  // a slot here owns a reference and no handle
};

}  // namespace ob
