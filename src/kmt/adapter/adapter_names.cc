#include "kmt/adapter/adapter_names.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace kmt {
namespace {

char16_t lower(char16_t c) { return c < 128 ? static_cast<char16_t>(std::tolower(c)) : c; }

bool equal_ignoring_case(std::u16string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char16_t x, char y) {
    return lower(x) == lower(static_cast<char16_t>(static_cast<unsigned char>(y)));
  });
}

}  // namespace

std::optional<uint32_t> display_number(std::u16string_view gdi_name) {
  constexpr std::string_view kPrefix = "\\\\.\\DISPLAY";
  constexpr size_t kMostDigits = 4;
  if (gdi_name.size() <= kPrefix.size() || gdi_name.size() > kPrefix.size() + kMostDigits) return std::nullopt;
  if (!equal_ignoring_case(gdi_name.substr(0, kPrefix.size()), kPrefix)) return std::nullopt;
  std::u16string_view digits = gdi_name.substr(kPrefix.size());
  if (digits.front() == u'0') return std::nullopt;
  uint32_t number = 0;
  for (char16_t digit : digits) {
    if (digit < u'0' || digit > u'9') return std::nullopt;
    number = number * 10 + (digit - u'0');
  }
  return number;
}

bool names_adapter(std::u16string_view interface_path, std::string_view adapter_name) {
  std::string path = "\\\\?\\";
  path.append(adapter_name).append("#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}");
  return equal_ignoring_case(interface_path, path);
}

}  // namespace kmt
