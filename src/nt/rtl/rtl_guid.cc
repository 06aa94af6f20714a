// GUIDs as text: {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, 38 characters.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"

namespace {

constexpr ULONG kTag = 0x53'6c'74'52;  // "RtlS" in memory
constexpr std::u16string_view kShape = u"{00000000-0000-0000-0000-000000000000}";

struct GuidBytes {
  uint8_t bytes[16];  // in the order in which the text shows them
};

GuidBytes bytes_of(const GUID& guid) {
  GuidBytes result;
  for (int i = 0; i < 4; ++i) result.bytes[i] = static_cast<uint8_t>(guid.Data1 >> (24 - 8 * i));
  for (int i = 0; i < 2; ++i) result.bytes[4 + i] = static_cast<uint8_t>(guid.Data2 >> (8 - 8 * i));
  for (int i = 0; i < 2; ++i) result.bytes[6 + i] = static_cast<uint8_t>(guid.Data3 >> (8 - 8 * i));
  for (int i = 0; i < 8; ++i) result.bytes[8 + i] = guid.Data4[i];
  return result;
}

GUID guid_of(const GuidBytes& from) {
  GUID guid = {};
  for (int i = 0; i < 4; ++i) guid.Data1 = guid.Data1 << 8 | from.bytes[i];
  for (int i = 4; i < 6; ++i) guid.Data2 = static_cast<USHORT>(guid.Data2 << 8 | from.bytes[i]);
  for (int i = 6; i < 8; ++i) guid.Data3 = static_cast<USHORT>(guid.Data3 << 8 | from.bytes[i]);
  for (int i = 0; i < 8; ++i) guid.Data4[i] = from.bytes[8 + i];
  return guid;
}

std::optional<uint8_t> nibble_of(WCHAR c) {
  if (c >= u'0' && c <= u'9') return static_cast<uint8_t>(c - u'0');
  if (c >= u'a' && c <= u'f') return static_cast<uint8_t>(c - u'a' + 10);
  if (c >= u'A' && c <= u'F') return static_cast<uint8_t>(c - u'A' + 10);
  return std::nullopt;
}

std::optional<GuidBytes> parse(std::u16string_view text) {
  if (text.size() != kShape.size()) return std::nullopt;
  GuidBytes result = {};
  size_t nibbles = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] != u'0') {
      if (text[i] != kShape[i]) return std::nullopt;
      continue;
    }
    const auto nibble = nibble_of(text[i]);
    if (!nibble) return std::nullopt;
    uint8_t& byte = result.bytes[nibbles++ / 2];
    byte = static_cast<uint8_t>(byte << 4 | *nibble);
  }
  return result;
}

}  // namespace

extern "C" {

// Policy: digits are upper-case, and a terminator follows the text.
NTSTATUS RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString) {
  nt::KernelEntry call{nt::Fn::RtlStringFromGUID};
  constexpr size_t kBytes = kShape.size() * sizeof(WCHAR);
  auto* text = static_cast<WCHAR*>(ExAllocatePool2(POOL_FLAG_PAGED, kBytes + sizeof(WCHAR), kTag));
  if (!text) return STATUS_NO_MEMORY;
  const GuidBytes from = bytes_of(Guid);
  size_t nibbles = 0;
  for (size_t i = 0; i < kShape.size(); ++i) {
    text[i] = kShape[i];
    if (kShape[i] != u'0') continue;
    const uint8_t byte = from.bytes[nibbles / 2];
    text[i] = u"0123456789ABCDEF"[nibbles++ % 2 ? byte & 15 : byte >> 4];
  }
  text[kShape.size()] = 0;
  *GuidString = {static_cast<USHORT>(kBytes), static_cast<USHORT>(kBytes + sizeof(WCHAR)), text};
  return STATUS_SUCCESS;
}

NTSTATUS RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID* Guid) {
  nt::KernelEntry call{nt::Fn::RtlGUIDFromString};
  const auto parsed = parse({GuidString->Buffer, GuidString->Length / sizeof(WCHAR)});
  if (!parsed) return STATUS_INVALID_PARAMETER;
  *Guid = guid_of(*parsed);
  return STATUS_SUCCESS;
}

}  // extern "C"
