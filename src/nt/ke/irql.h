#pragma once

#include <cstdint>
#include <string>

namespace nt {

// "DISPATCH_LEVEL", "IRQL 5", …
std::string irql_name(uint8_t irql);

}  // namespace nt
