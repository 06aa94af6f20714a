#include "ks/property/automation_merge.h"

#include <cstring>
#include <vector>

#include "ks/property/set_table.h"

namespace ks {
namespace {

size_t aligned(size_t bytes) { return (bytes + 15) & ~size_t{15}; }

void put_items(KSPROPERTY_SET& set, const void* items, ULONG count) {
  set.PropertyItem = static_cast<const KSPROPERTY_ITEM*>(items);
  set.PropertiesCount = count;
}
void put_items(KSMETHOD_SET& set, const void* items, ULONG count) {
  set.MethodItem = static_cast<const KSMETHOD_ITEM*>(items);
  set.MethodsCount = count;
}
void put_items(KSEVENT_SET& set, const void* items, ULONG count) {
  set.EventItem = static_cast<const KSEVENT_ITEM*>(items);
  set.EventsCount = count;
}

// The sets of one kind, brought together: each with copies of its items.
template <typename Set>
class Merged {
 public:
  base::Result<> add(const SetList<Set>& list) {
    if (!list.count) return {};
    if (item_bytes_ && item_bytes_ != list.item_bytes) {
      return base::Failure(STATUS_INVALID_PARAMETER, "the items of two automation tables are of different sizes");
    }
    item_bytes_ = list.item_bytes;
    for (ULONG i = 0; i < list.count; ++i) add_set(list, list.sets[i]);
    return {};
  }

  ULONG count() const { return static_cast<ULONG>(sets_.size()); }
  ULONG item_bytes() const { return item_bytes_ ? item_bytes_ : static_cast<ULONG>(sizeof(ItemOf<Set>)); }
  size_t bytes() const {
    size_t total = aligned(sets_.size() * sizeof(Set));
    for (const Entry& entry : sets_) total += aligned(entry.items.size());
    return total;
  }

  // Writes it at `at`, which moves on.
  const Set* write(uint8_t*& at) const {
    auto* sets = reinterpret_cast<Set*>(at);
    at += aligned(sets_.size() * sizeof(Set));
    for (size_t i = 0; i < sets_.size(); ++i) {
      const Entry& entry = sets_[i];
      sets[i] = entry.set;
      put_items(sets[i], at, static_cast<ULONG>(entry.items.size() / item_bytes_));
      if (!entry.items.empty()) memcpy(at, entry.items.data(), entry.items.size());
      at += aligned(entry.items.size());
    }
    return sets_.empty() ? nullptr : sets;
  }

 private:
  struct Entry {
    Set set;
    std::vector<uint8_t> items;
  };

  Entry& entry_for(const Set& set) {
    for (Entry& entry : sets_) {
      if (*entry.set.Set == *set.Set) return entry;
    }
    return sets_.emplace_back(Entry{set, {}});
  }

  bool has(const Entry& entry, ULONG id) const {
    for (size_t at = 0; at < entry.items.size(); at += item_bytes_) {
      if (id_of(*reinterpret_cast<const ItemOf<Set>*>(entry.items.data() + at)) == id) return true;
    }
    return false;
  }

  void add_set(const SetList<Set>& list, const Set& set) {
    Entry& entry = entry_for(set);
    for (ULONG i = 0; i < count_of(set); ++i) {
      const auto& item = list.item(set, i);
      if (has(entry, id_of(item))) continue;
      const auto* bytes = reinterpret_cast<const uint8_t*>(&item);
      entry.items.insert(entry.items.end(), bytes, bytes + item_bytes_);
    }
  }

  std::vector<Entry> sets_;
  ULONG item_bytes_ = 0;
};

ULONG or_plain(ULONG given, size_t plain) { return given ? given : static_cast<ULONG>(plain); }

}  // namespace

base::Result<KSAUTOMATION_TABLE*> merge(const KSAUTOMATION_TABLE* first, const KSAUTOMATION_TABLE* second,
                                        const std::function<void*(size_t bytes)>& allocate) {
  Merged<KSPROPERTY_SET> properties;
  Merged<KSMETHOD_SET> methods;
  Merged<KSEVENT_SET> events;
  for (const KSAUTOMATION_TABLE* table : {first, second}) {
    if (!table) continue;
    TRY(properties.add({table->PropertySets, table->PropertySetsCount,
                        or_plain(table->PropertyItemSize, sizeof(KSPROPERTY_ITEM)), true}));
    TRY(methods.add(
        {table->MethodSets, table->MethodSetsCount, or_plain(table->MethodItemSize, sizeof(KSMETHOD_ITEM)), true}));
    TRY(events.add(
        {table->EventSets, table->EventSetsCount, or_plain(table->EventItemSize, sizeof(KSEVENT_ITEM)), true}));
  }
  size_t bytes = aligned(sizeof(KSAUTOMATION_TABLE)) + properties.bytes() + methods.bytes() + events.bytes();
  auto* at = static_cast<uint8_t*>(allocate(bytes));
  if (!at) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the merged automation table");
  auto* table = reinterpret_cast<KSAUTOMATION_TABLE*>(at);
  at += aligned(sizeof(KSAUTOMATION_TABLE));
  *table = {};
  table->PropertySetsCount = properties.count();
  table->PropertyItemSize = properties.item_bytes();
  table->PropertySets = properties.write(at);
  table->MethodSetsCount = methods.count();
  table->MethodItemSize = methods.item_bytes();
  table->MethodSets = methods.write(at);
  table->EventSetsCount = events.count();
  table->EventItemSize = events.item_bytes();
  table->EventSets = events.write(at);
  return table;
}

}  // namespace ks
