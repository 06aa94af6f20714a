#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/executor.h"

// Everything about events that exists at compile time, generated from events.def: one struct per row, its id, and the
// list of its fields (Layout) that encoder and decoder walk.
namespace trace {

enum class FieldType : uint8_t { U8, U16, U32, U64, I32, Str, Code };

// What a member of each field type is in the struct.
namespace field {
using U8 = uint8_t;
using U16 = uint16_t;
using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;           // an NTSTATUS
using Str = std::string_view;  // interned: a record holds its id
using Code = uint64_t;         // module ordinal << 32 | offset in the module
}  // namespace field

// How many bytes of a record a field takes.
constexpr size_t wire_bytes(FieldType type) {
  switch (type) {
    case FieldType::U8:
      return 1;
    case FieldType::U16:
      return 2;
    case FieldType::U32:
      return 4;
    case FieldType::I32:
      return 4;
    case FieldType::Str:
      return 4;
    case FieldType::U64:
      return 8;
    case FieldType::Code:
      return 8;
  }
  return 0;
}

#define ENUM(name, values) enum class name : uint8_t { values };
#define V(name) name,
#include "trace/events.def"

#define EVENT(name, label, fields) \
  struct name {                    \
    fields                         \
  };
#define FIELD(type, name, show, table) field::type name{};
#include "trace/events.def"

// Says what a record is. StringDefined is no row of the table: it carries a string before its first use.
enum class EventId : uint16_t {
  StringDefined,
#define EVENT(name, label, fields) name,
#include "trace/events.def"
};

template <FieldType Type, auto Member>
struct FieldOf {
  static constexpr FieldType kType = Type;
  static constexpr auto kMember = Member;
};

// The fields of one event in order. The table has no commas between fields, so each brings its own and void comes
// first.
template <typename... Fields>
struct FieldList;

template <typename... Fields>
struct FieldList<void, Fields...> {
  static constexpr size_t kBytes = (size_t{0} + ... + wire_bytes(Fields::kType));

  // Calls visit.template operator()<Field, Offset>() for each field; fields lie back to back.
  template <typename Visitor>
  static constexpr void visit(Visitor&& visitor) {
    walk<0, Visitor, Fields...>(visitor);
  }

 private:
  template <size_t Offset, typename Visitor>
  static constexpr void walk(Visitor&) {}
  template <size_t Offset, typename Visitor, typename First, typename... Rest>
  static constexpr void walk(Visitor& visitor) {
    visitor.template operator()<First, Offset>();
    walk<Offset + wire_bytes(First::kType), Visitor, Rest...>(visitor);
  }
};

template <typename Event>
struct Layout;

#define EVENT(name, label, fields)                \
  template <>                                     \
  struct Layout<name> {                           \
    using Self = name;                            \
    using Fields = FieldList<void fields>;        \
    static constexpr EventId kId = EventId::name; \
  };
#define FIELD(type, name, show, table) , FieldOf<FieldType::type, &Self::name>
#include "trace/events.def"

}  // namespace trace
