#pragma once

#include <cstdint>
#include <span>

namespace dxgk {

// A copy of the bytes that ends where an inaccessible page begins: a read past the end is found in every build. It
// stays until the next copy takes the same slot, and lies at the same address in every run. One machine at a time; no
// more bytes than a page has.
void* guarded_copy(uint32_t slot, std::span<const uint8_t> bytes);

}  // namespace dxgk
