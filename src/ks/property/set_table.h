#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abi/ks/ks.h"

// Property, method and event sets in one shape: a driver's tables, with items that may be longer than documented, and
// the class's own behind them.
namespace ks {

inline const KSPROPERTY_ITEM* items_of(const KSPROPERTY_SET& set) { return set.PropertyItem; }
inline const KSMETHOD_ITEM* items_of(const KSMETHOD_SET& set) { return set.MethodItem; }
inline const KSEVENT_ITEM* items_of(const KSEVENT_SET& set) { return set.EventItem; }
inline ULONG count_of(const KSPROPERTY_SET& set) { return set.PropertiesCount; }
inline ULONG count_of(const KSMETHOD_SET& set) { return set.MethodsCount; }
inline ULONG count_of(const KSEVENT_SET& set) { return set.EventsCount; }
inline ULONG id_of(const KSPROPERTY_ITEM& item) { return item.PropertyId; }
inline ULONG id_of(const KSMETHOD_ITEM& item) { return item.MethodId; }
inline ULONG id_of(const KSEVENT_ITEM& item) { return item.EventId; }

template <typename Set>
using ItemOf = std::remove_cv_t<std::remove_pointer_t<decltype(items_of(std::declval<const Set&>()))>>;

// The sets of one table.
template <typename Set>
struct SetList {
  using Item = ItemOf<Set>;

  const Set* sets = nullptr;
  ULONG count = 0;
  ULONG item_bytes = sizeof(Item);  // from one item to the next
  bool drivers = false;             // the handlers in it are a driver's

  const Item& item(const Set& set, ULONG index) const {
    const auto* first = reinterpret_cast<const uint8_t*>(items_of(set));
    return *reinterpret_cast<const Item*>(first + size_t{index} * item_bytes);
  }
  const Set* find(const GUID& id) const {
    for (ULONG i = 0; i < count; ++i) {
      if (*sets[i].Set == id) return &sets[i];
    }
    return nullptr;
  }
  const Item* find(const Set& set, ULONG id) const {
    for (ULONG i = 0; i < count_of(set); ++i) {
      if (id_of(item(set, i)) == id) return &item(set, i);
    }
    return nullptr;
  }
};

// One item, and where it stands.
template <typename Set>
struct Row {
  const Set* set = nullptr;  // null: no table knows the set
  const ItemOf<Set>* item = nullptr;
  bool drivers = false;
};

// A driver's table over the class's own: an item that is in both is found in the driver's.
template <typename Set>
struct Layers {
  SetList<Set> upper, lower;

  Row<Set> find(const GUID& set, ULONG id) const {
    Row<Set> found;
    for (const SetList<Set>* list : {&upper, &lower}) {
      const Set* there = list->find(set);
      if (!there) continue;
      if (!found.set) found.set = there;
      if (const ItemOf<Set>* item = list->find(*there, id)) return {there, item, list->drivers};
    }
    return found;
  }
};

}  // namespace ks
