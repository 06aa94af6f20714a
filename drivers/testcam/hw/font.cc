#include "testcam/hw/font.h"

namespace testcam {
namespace {

constexpr Glyph kDigits[10] = {
    {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110},
    {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
    {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111},
    {0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110},
    {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},
    {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},
    {0b01110, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b01110},
    {0b11111, 0b00001, 0b00010, 0b00100, 0b00100, 0b01000, 0b01000},
    {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},
    {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00001, 0b01110},
};
constexpr Glyph kColon = {0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000};
constexpr Glyph kPoint = {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100};
constexpr Glyph kBlank = {};

}  // namespace

const Glyph& glyph_of(char character) {
  if (character >= '0' && character <= '9') return kDigits[character - '0'];
  if (character == ':') return kColon;
  if (character == '.') return kPoint;
  return kBlank;
}

}  // namespace testcam
