#include "ks/object/create_name.h"

#include <fmt/format.h>

#include <cstring>

namespace ks {
namespace {

constexpr size_t kGuidCharacters = 38;

int hex_digit(WCHAR c) {
  if (c >= u'0' && c <= u'9') return c - u'0';
  if (c >= u'a' && c <= u'f') return c - u'a' + 10;
  if (c >= u'A' && c <= u'F') return c - u'A' + 10;
  return -1;
}

}  // namespace

std::u16string guid_text(const GUID& guid) {
  const unsigned char* d = guid.Data4;
  std::string text = fmt::format("{{{:08X}-{:04X}-{:04X}-{:02X}{:02X}-{:02X}{:02X}{:02X}{:02X}{:02X}{:02X}}}",
                                 guid.Data1, guid.Data2, guid.Data3, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  return {text.begin(), text.end()};
}

std::optional<GUID> parse_guid(const WCHAR* text, size_t characters) {
  static constexpr char kShape[] = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
  static_assert(sizeof(kShape) == kGuidCharacters + 1);
  if (characters < kGuidCharacters) return std::nullopt;
  uint8_t nibbles[32];
  size_t count = 0;
  for (size_t i = 0; i < kGuidCharacters; ++i) {
    if (kShape[i] == 'x') {
      int digit = hex_digit(text[i]);
      if (digit < 0) return std::nullopt;
      nibbles[count++] = static_cast<uint8_t>(digit);
    } else if (text[i] != static_cast<WCHAR>(kShape[i])) {
      return std::nullopt;
    }
  }
  auto take = [&](size_t from, size_t digits) {
    uint32_t value = 0;
    for (size_t i = from; i < from + digits; ++i) value = value << 4 | nibbles[i];
    return value;
  };
  GUID guid{};
  guid.Data1 = take(0, 8);
  guid.Data2 = static_cast<USHORT>(take(8, 4));
  guid.Data3 = static_cast<USHORT>(take(12, 4));
  for (size_t i = 0; i < 8; ++i) guid.Data4[i] = static_cast<UCHAR>(take(16 + 2 * i, 2));
  return guid;
}

base::Result<CreateName> parse_create_name(const UNICODE_STRING& name) {
  size_t characters = name.Length / sizeof(WCHAR);
  const WCHAR* text = name.Buffer;
  if (characters && *text == u'\\') ++text, --characters;
  std::optional<GUID> class_id = parse_guid(text, characters);
  if (!class_id)
    return base::Failure(STATUS_OBJECT_NAME_INVALID, "the name does not begin with a class GUID in braces");
  CreateName parsed{*class_id, {}};
  if (characters > kGuidCharacters) {
    if (text[kGuidCharacters] != u'\\') {
      return base::Failure(STATUS_OBJECT_NAME_INVALID, "no backslash stands between the class GUID and the parameters");
    }
    const auto* first = reinterpret_cast<const uint8_t*>(text + kGuidCharacters + 1);
    const auto* last = reinterpret_cast<const uint8_t*>(name.Buffer) + name.Length;
    parsed.parameters.assign(first, last);
  }
  return parsed;
}

std::u16string make_create_name(const GUID& class_id, const void* parameters, size_t bytes) {
  std::u16string name = guid_text(class_id);
  name += u'\\';
  size_t text = name.size();
  name.resize(text + (bytes + 1) / sizeof(char16_t));
  if (bytes) memcpy(&name[text], parameters, bytes);
  return name;
}

}  // namespace ks
