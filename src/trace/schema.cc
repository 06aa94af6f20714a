#include "trace/schema.h"

namespace trace {
namespace {

namespace names {
inline constexpr std::span<const NamedValue> None{};

#define ENUM(name, values) NAMES(name, trace::name, values)
#define NAMES(name, type, ...)                          \
  namespace name##_values {                             \
    using Named = type;                                 \
    inline constexpr NamedValue kAll[] = {__VA_ARGS__}; \
  }                                                     \
  inline constexpr std::span<const NamedValue> name{name##_values::kAll};
#define V(name) {static_cast<uint64_t>(Named::name), #name},
#include "trace/events.def"
}  // namespace names

namespace fields {
#define EVENT(name, label, rows) inline constexpr FieldInfo name[] = {rows};
#define FIELD(type, name, show, table) {#name, FieldType::type, Show::show, names::table},
#include "trace/events.def"
}  // namespace fields

constexpr EventInfo kEvents[] = {
#define EVENT(name, label, rows) {#name, label, fields::name, Layout<name>::Fields::kBytes},
#include "trace/events.def"
};

constexpr std::string_view kTable =
#define EVENT(name, label, rows) "event " #name " " label " " #rows "\n"
#define ENUM(name, values) "enum " #name " " #values "\n"
#define NAMES(name, type, values) "names " #name " " #values "\n"
#include "trace/events.def"
    ;

constexpr uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}
constexpr uint64_t kSchemaHash = fnv1a(kTable);

}  // namespace

const EventInfo* find_event(EventId id) {
  size_t index = static_cast<size_t>(id);
  return index >= 1 && index <= std::size(kEvents) ? &kEvents[index - 1] : nullptr;
}

std::span<const EventInfo> events() { return kEvents; }

const char* value_name(std::span<const NamedValue> names, uint64_t value) {
  for (const NamedValue& named : names)
    if (named.value == value) return named.name;
  return nullptr;
}

uint64_t schema_hash() { return kSchemaHash; }

}  // namespace trace
