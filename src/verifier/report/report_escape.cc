#include "verifier/report/report_escape.h"

#include <cstddef>

#include "base/utf.h"

namespace verifier {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the character at the beginning has; 0 when it is none of UTF-8 or not allowed in XML 1.0.
size_t character_bytes(std::string_view text) {
  auto character = base::first_character(text);
  if (!character) return 0;
  char32_t value = character->value;
  bool control = value < 0x20 && value != '\t' && value != '\n' && value != '\r';
  return control || value == 0xFFFE || value == 0xFFFF ? 0 : character->length;
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
