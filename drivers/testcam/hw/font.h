#pragma once

#include <array>
#include <cstdint>

namespace testcam {

constexpr uint32_t kGlyphWidth = 5;
constexpr uint32_t kGlyphHeight = 7;
constexpr uint32_t kGlyphAdvance = kGlyphWidth + 1;  // to the next character

// Rows from the top; bit 4 is the leftmost pixel.
using Glyph = std::array<uint8_t, kGlyphHeight>;

// Of '0' to '9', ':' and '.'; anything else is blank.
const Glyph& glyph_of(char character);

constexpr bool lit(const Glyph& glyph, uint32_t x, uint32_t y) { return glyph[y] >> (kGlyphWidth - 1 - x) & 1; }

}  // namespace testcam
