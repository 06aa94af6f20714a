#include "nt/boundary/call_shape.h"

#include <fmt/format.h>

#include <cstring>

#include "nt/boundary/driver_call.h"
#include "nt/mm/careful_copy.h"

namespace nt {
namespace {

struct FieldLayout {
  const char* name;
  uint32_t offset, size;
};
struct StructureLayout {
  std::string_view type;
  uint32_t first, count;  // of its fields
};

// From abi/layout/layouts.csv, which the headers are tested against.
constexpr FieldLayout kFields[] = {
#define STRUCTURE(type, first, count)
#define FIELD(name, offset, size) {name, offset, size},
#include "nt/call_layouts.inc"
#undef FIELD
#undef STRUCTURE
};
constexpr StructureLayout kStructures[] = {
#define STRUCTURE(type, first, count) {type, first, count},
#define FIELD(name, offset, size)
#include "nt/call_layouts.inc"
#undef FIELD
#undef STRUCTURE
};

const StructureLayout* find_layout(std::string_view type) {
  while (type.starts_with('_')) type.remove_prefix(1);
  for (const StructureLayout& layout : kStructures) {  // a finding is rare
    if (layout.type == type) return &layout;
  }
  return nullptr;
}

std::string describe_address(uint64_t address) {
  if (!address) return "NULL";
  uint64_t offset = traced_pointer(address);
  return offset ? fmt::format("memory {:#x}", offset) : "an address";
}

std::string describe_number(uint64_t value, size_t bytes) {
  if (bytes == 8 && value >> 32) return describe_address(value);
  return value < 10000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::string describe_structure(const StructureLayout& layout, const char* at) {
  std::string out = fmt::format("{} {{", layout.type);
  uint32_t told_to = 0;  // members of a union share their place: only the first is printed
  const char* separator = "";
  for (const FieldLayout* field = kFields + layout.first; field != kFields + layout.first + layout.count; ++field) {
    if (field->offset < told_to || std::strchr(field->name, '.')) continue;
    told_to = field->offset + field->size;
    if (field->size > 8) continue;
    uint64_t value = 0;
    if (!careful_read(&value, at + field->offset, field->size).ok()) break;  // an older version of it, and shorter
    out += fmt::format("{}{} {}", separator, field->name, describe_number(value, field->size));
    separator = ", ";
  }
  return out + "}";
}

}  // namespace

std::string describe_call(std::string_view routine, CallShape shape, const uint64_t* arguments) {
  std::string out = fmt::format("{}(", routine);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i) out += ", ";
    const StructureLayout* layout = shape[i].pointer && arguments[i] ? find_layout(shape[i].type) : nullptr;
    if (layout) {
      out += describe_structure(*layout, reinterpret_cast<const char*>(arguments[i]));
    } else {
      out += shape[i].pointer ? describe_address(arguments[i]) : describe_number(arguments[i], 4);
    }
  }
  return out + ")";
}

}  // namespace nt
