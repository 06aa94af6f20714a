#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace base {

// The whole of `text` as an unsigned number; nothing if any of it is something else: a sign, a blank, a number too
// large.
template <typename Int>
std::optional<Int> parse_number(std::string_view text, int base = 10) {
  static_assert(static_cast<Int>(-1) > Int{0}, "unsigned");
  Int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace base
