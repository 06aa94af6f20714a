#include "verifier/report_escape.h"

#include <cstddef>
#include <cstdint>

namespace verifier {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the character at the beginning has; 0 when it is none of UTF-8 or not allowed in XML 1.0.
size_t character_bytes(std::string_view text) {
  struct Lead {
    uint8_t mask, value;
    char32_t smallest;  // a longer form than needed is not allowed
  };
  static constexpr Lead kLeads[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
  auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  for (size_t more = 0; more < std::size(kLeads); ++more) {
    const Lead& lead = kLeads[more];
    if ((byte(0) & lead.mask) != lead.value) continue;
    if (text.size() <= more) return 0;
    char32_t character = byte(0) & static_cast<uint8_t>(~lead.mask);
    for (size_t i = 1; i <= more; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return 0;
      character = character << 6 | (byte(i) & 0x3F);
    }
    bool control = character < 0x20 && character != '\t' && character != '\n' && character != '\r';
    bool surrogate = character >= 0xD800 && character < 0xE000;
    bool none = character == 0xFFFE || character == 0xFFFF || character > 0x10FFFF;
    return control || surrogate || none || character < lead.smallest ? 0 : more + 1;
  }
  return 0;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\r':
      return "&#13;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t bytes = character_bytes(text);
    std::string_view instead = bytes == 0 ? kReplacement : entity(text[0]);
    out += instead.empty() ? text.substr(0, bytes) : instead;
    text.remove_prefix(bytes ? bytes : 1);
  }
  return out;
}

}  // namespace verifier
