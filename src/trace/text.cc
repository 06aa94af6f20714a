#include "trace/text.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>

namespace trace {
namespace {

using Out = std::back_insert_iterator<std::string>;

void append_quoted(Out out, std::string_view text) {
  *out = '"';
  for (char c : text) {
    switch (c) {
      case '"':
        fmt::format_to(out, "\\\"");
        break;
      case '\\':
        fmt::format_to(out, "\\\\");
        break;
      case '\n':
        fmt::format_to(out, "\\n");
        break;
      case '\r':
        fmt::format_to(out, "\\r");
        break;
      case '\t':
        fmt::format_to(out, "\\t");
        break;
      default:
        if (auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
          fmt::format_to(out, "\\x{:02x}", byte);
        } else {
          *out = c;
        }
    }
  }
  *out = '"';
}

void append_status(Out out, uint64_t value) {
  auto status = static_cast<uint32_t>(value);
  fmt::format_to(out, "0x{:08X}", status);
  std::string_view name = status_name(static_cast<NTSTATUS>(status));
  if (!name.empty()) fmt::format_to(out, "({})", name);
}

void append_code(Out out, uint64_t value, const Reader& reader) {
  auto module = static_cast<uint32_t>(value >> 32);
  if (module == 0) {
    *out = '?';  // modules count from 1: the place is not known
    return;
  }
  std::string_view name = reader.module_name(module);
  if (name.empty()) {
    fmt::format_to(out, "module{}", module);
  } else {
    fmt::format_to(out, "{}", name);
  }
  fmt::format_to(out, "+0x{:x}", value & 0xFFFFFFFF);
}

// A tag is four characters, the first in the lowest byte.
void append_tag(Out out, uint64_t value) {
  *out = '\'';
  for (int shift = 0; shift < 32; shift += 8) {
    auto byte = static_cast<unsigned char>(value >> shift);
    *out = std::isprint(byte) ? static_cast<char>(byte) : '.';
  }
  *out = '\'';
}

void append_named(Out out, uint64_t value, const FieldInfo& field) {
  const char* name = value_name(field.names, value);
  if (name) {
    fmt::format_to(out, "{}", name);
  } else {
    fmt::format_to(out, "{}", value);
  }
}

void append_value(Out out, const Record& record, size_t index, const Reader& reader) {
  const FieldInfo& field = record.info().fields[index];
  uint64_t value = record.number(index);
  if (field.type == FieldType::Str) return append_quoted(out, record.text(index));
  if (field.type == FieldType::I32) return append_status(out, value);
  if (field.type == FieldType::Code) return append_code(out, value, reader);
  switch (field.show) {
    case Show::Decimal:
      fmt::format_to(out, "{}", value);
      break;
    case Show::Hex:
      fmt::format_to(out, "0x{:x}", value);
      break;
    case Show::Tag:
      append_tag(out, value);
      break;
    case Show::Named:
      append_named(out, value, field);
      break;
  }
}

struct StatusName {
  NTSTATUS status;
  const char* name;
};

#define ROW(status) \
  { status, #status }
constexpr StatusName kStatusNames[] = {
    ROW(STATUS_SUCCESS),
    ROW(STATUS_TIMEOUT),
    ROW(STATUS_PENDING),
    ROW(STATUS_USER_APC),
    ROW(STATUS_ALERTED),
    ROW(STATUS_BUFFER_OVERFLOW),
    ROW(STATUS_NO_MORE_ENTRIES),
    ROW(STATUS_UNSUCCESSFUL),
    ROW(STATUS_NOT_IMPLEMENTED),
    ROW(STATUS_ACCESS_VIOLATION),
    ROW(STATUS_INVALID_HANDLE),
    ROW(STATUS_INVALID_PARAMETER),
    ROW(STATUS_NO_SUCH_DEVICE),
    ROW(STATUS_INVALID_DEVICE_REQUEST),
    ROW(STATUS_END_OF_FILE),
    ROW(STATUS_MORE_PROCESSING_REQUIRED),
    ROW(STATUS_NO_MEMORY),
    ROW(STATUS_ACCESS_DENIED),
    ROW(STATUS_BUFFER_TOO_SMALL),
    ROW(STATUS_OBJECT_TYPE_MISMATCH),
    ROW(STATUS_OBJECT_NAME_NOT_FOUND),
    ROW(STATUS_OBJECT_NAME_COLLISION),
    ROW(STATUS_REVISION_MISMATCH),
    ROW(STATUS_INSUFFICIENT_RESOURCES),
    ROW(STATUS_DEVICE_NOT_READY),
    ROW(STATUS_NOT_SUPPORTED),
    ROW(STATUS_INTERNAL_ERROR),
    ROW(STATUS_CANCELLED),
    ROW(STATUS_DELETE_PENDING),
    ROW(STATUS_NOT_FOUND),
    ROW(STATUS_INVALID_DEVICE_STATE),
    ROW(STATUS_DEVICE_REMOVED),
    ROW(STATUS_GRAPHICS_INVALID_DRIVER_MODEL),
    ROW(STATUS_GRAPHICS_ADAPTER_WAS_RESET),
    ROW(STATUS_GRAPHICS_NO_VIDEO_MEMORY),
    ROW(STATUS_GRAPHICS_TRY_AGAIN_LATER),
    ROW(STATUS_GRAPHICS_TRY_AGAIN_NOW),
    ROW(STATUS_GRAPHICS_ALLOCATION_BUSY),
    ROW(STATUS_GRAPHICS_ALLOCATION_INVALID),
    ROW(STATUS_GRAPHICS_ALLOCATION_CLOSED),
    ROW(STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE),
    ROW(STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE),
    ROW(STATUS_GRAPHICS_ALLOCATION_CONTENT_LOST),
    ROW(STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE),
};
#undef ROW

}  // namespace

std::string_view status_name(NTSTATUS status) {
  for (const StatusName& row : kStatusNames)
    if (row.status == status) return row.name;
  return {};
}

std::string to_text(const Record& record, const Reader& reader) {
  std::string line;
  Out out = std::back_inserter(line);
  const Context& context = record.context();
  fmt::format_to(out, "{} {}ns t{} cpu{} irql{} {}", record.sequence(), context.time_ns, context.thread,
                 context.processor, context.irql, record.info().label);
  for (size_t i = 0; i < record.info().fields.size(); ++i) {
    fmt::format_to(out, " {}=", record.info().fields[i].name);
    append_value(out, record, i, reader);
  }
  return line;
}

base::Result<> dump_text(Reader& reader, std::ostream& out) {
  while (std::optional<Record> record = reader.next()) out << to_text(*record, reader) << '\n';
  return reader.result();
}

}  // namespace trace
