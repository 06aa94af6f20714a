#include "testcam/hw/font.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace testcam {
namespace {

std::string drawn(char character) {
  std::string text;
  for (uint32_t y = 0; y < kGlyphHeight; ++y) {
    for (uint32_t x = 0; x < kGlyphWidth; ++x) text += lit(glyph_of(character), x, y) ? '#' : '.';
    text += '\n';
  }
  return text;
}

TEST(Font, LooksLikeItsDigits) {
  EXPECT_EQ(drawn('4'),
            "...#.\n"
            "..##.\n"
            ".#.#.\n"
            "#..#.\n"
            "#####\n"
            "...#.\n"
            "...#.\n");
  EXPECT_EQ(drawn('7'),
            "#####\n"
            "....#\n"
            "...#.\n"
            "..#..\n"
            "..#..\n"
            ".#...\n"
            ".#...\n");
}

TEST(Font, EveryCharacterLooksDifferent) {
  std::set<std::string> shapes;
  for (char character : std::string("0123456789:. ")) shapes.insert(drawn(character));
  EXPECT_EQ(shapes.size(), 13u);
}

TEST(Font, WhatItDoesNotHaveIsBlank) { EXPECT_EQ(glyph_of('x'), Glyph{}); }

}  // namespace
}  // namespace testcam
