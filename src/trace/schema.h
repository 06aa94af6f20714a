#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/event.h"

// Everything about events that exists at run time, generated from events.def: what a reader needs to understand a
// record without knowing its struct.
namespace trace {

enum class Show : uint8_t { Decimal, Hex, Tag, Named };

struct NamedValue {
  uint64_t value;
  const char* name;
};

struct FieldInfo {
  const char* name;
  FieldType type;
  Show show;
  std::span<const NamedValue> names;  // for Show::Named
};

struct EventInfo {
  const char* name;
  const char* label;  // what the text dump calls it
  std::span<const FieldInfo> fields;
  size_t payload_bytes;
};

// Null when no event has this id (nor has StringDefined, which is no event).
const EventInfo* find_event(EventId id);
// All of them, in the table's order; the first has id 1.
std::span<const EventInfo> events();
// The name of a value, or null when it has none.
const char* value_name(std::span<const NamedValue> names, uint64_t value);
// Changes with every change of the table.
uint64_t schema_hash();

}  // namespace trace
