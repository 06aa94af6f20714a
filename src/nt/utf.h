#pragma once

#include <optional>
#include <string>
#include <string_view>

// Between the host's text (UTF-8) and the machine's (UTF-16). Nothing when the text is not well formed: overlong forms,
// lone surrogates and what is beyond Unicode included.
namespace nt {

std::optional<std::u16string> to_utf16(std::string_view text);
std::optional<std::string> to_utf8(std::u16string_view text);

}  // namespace nt
