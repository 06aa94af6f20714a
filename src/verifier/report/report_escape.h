#pragma once

#include <string>
#include <string_view>

namespace verifier {

// Text as it stands in XML or HTML, in an element or between double quotes: whatever the bytes are, the result is
// UTF-8 without markup and without characters that XML 1.0 forbids.
std::string escaped(std::string_view text);

}  // namespace verifier
