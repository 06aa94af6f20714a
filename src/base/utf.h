#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Unicode text: UTF-8 is the host's, UTF-16 the machine's. Overlong forms, lone surrogates and what is beyond Unicode
// are not well formed.
namespace base {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

constexpr bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c < 0xDC00; }
constexpr bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c < 0xE000; }
constexpr bool is_character(char32_t c) { return c <= 0x10FFFF && !is_high_surrogate(c) && !is_low_surrogate(c); }

struct DecodedCharacter {
  char32_t value;
  size_t length;  // in units of the text
};
// The first character of a text that is not empty; nothing when it is not well formed.
std::optional<DecodedCharacter> first_character(std::string_view text);
std::optional<DecodedCharacter> first_character(std::u16string_view text);

// The length of the first UTF-8 sequence of a text that is not empty, judged by its lead byte and the number of bytes
// that follow, not by its value; 0 when there is none.
size_t utf8_sequence_length(std::string_view text);

// `c` is a character.
void append_character(std::string& to, char32_t c);
void append_character(std::u16string& to, char32_t c);

// Nothing when the text is not well formed.
std::optional<std::u16string> to_utf16(std::string_view text);
std::optional<std::string> to_utf8(std::u16string_view text);

}  // namespace base
