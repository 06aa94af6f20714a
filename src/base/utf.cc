#include "base/utf.h"

#include <cstdint>

namespace base {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

template <typename To, typename From>
std::optional<To> convert(From text) {
  To out;
  while (!text.empty()) {
    std::optional<DecodedCharacter> c = first_character(text);
    if (!c) return std::nullopt;
    append_character(out, c->value);
    text.remove_prefix(c->length);
  }
  return out;
}

}  // namespace

size_t utf8_sequence_length(std::string_view text) {
  uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::optional<DecodedCharacter> first_character(std::string_view text) {
  size_t length = utf8_sequence_length(text);
  if (length == 0) return std::nullopt;
  char32_t value = length == 1 ? byte_at(text, 0) : byte_at(text, 0) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte_at(text, i) & 0x3Fu);
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || !is_character(value)) return std::nullopt;
  return DecodedCharacter{value, length};
}

std::optional<DecodedCharacter> first_character(std::u16string_view text) {
  char32_t value = text[0];
  if (is_character(value)) return DecodedCharacter{value, 1};
  if (!is_high_surrogate(value) || text.size() < 2 || !is_low_surrogate(text[1])) return std::nullopt;
  return DecodedCharacter{0x10000 + ((value - 0xD800) << 10) + (text[1] - 0xDC00u), 2};
}

void append_character(std::string& to, char32_t c) {
  auto tail = [&](int shift) { to += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    to += static_cast<char>(0xE0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    to += static_cast<char>(0xF0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

void append_character(std::u16string& to, char32_t c) {
  if (c < 0x10000) {
    to += static_cast<char16_t>(c);
  } else {
    to += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
    to += static_cast<char16_t>(0xDC00 + (c & 0x3FF));
  }
}

std::optional<std::u16string> to_utf16(std::string_view text) { return convert<std::u16string>(text); }
std::optional<std::string> to_utf8(std::u16string_view text) { return convert<std::string>(text); }

}  // namespace base
