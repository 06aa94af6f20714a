// What becomes of a covered pixel: depth, tests, blending, masks, formats.
#include <gtest/gtest.h>

#include <limits>

#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawPixelTest : public DrawTest {
 protected:
  void cover(uint32_t color, float z = 0.5f) {
    put(rectangle(0, 0, kWidth, kHeight, color, z));
    run();
  }
};

TEST_F(DrawPixelTest, ColorsVaryLinearly) {
  put({{0, 0, 0, 1, 0x00000000, 0, 0}, {16, 0, 0, 1, 0xFF00FF40, 0, 0}, {0, 16, 0, 1, 0x00FF0000, 0, 0}});
  run();
  // At (4.5, 2.5): 4.5/16 of the second and 2.5/16 of the third.
  EXPECT_EQ(pixel(4, 2), 0x48284812u);
  EXPECT_EQ(pixel(0, 0), 0x08080802u);
}

// --- Depth ---

TEST_F(DrawPixelTest, DepthIsComparedAsAsked) {
  const bool less[] = {false, true, false, true, false, true, false, true};
  const bool equal[] = {false, false, true, true, false, false, true, true};
  const bool greater[] = {false, false, false, false, true, true, true, true};
  for (uint8_t function = SOFTGPU_COMPARE_NEVER; function <= SOFTGPU_COMPARE_ALWAYS; ++function) {
    auto passes = [&](float z) {
      clear(0);
      use_depth(0.5f);
      draw.depth_function = function;
      cover(kWhite, z);
      return pixel(3, 3) == kWhite;
    };
    EXPECT_EQ(passes(0.25f), less[function - 1]) << int{function};
    EXPECT_EQ(passes(0.5f), equal[function - 1]) << int{function};
    EXPECT_EQ(passes(0.75f), greater[function - 1]) << int{function};
  }
}

TEST_F(DrawPixelTest, DepthIsWrittenWhereItPassedAndIfAsked) {
  use_depth(0.5f);
  cover(kWhite, 0.25f);
  EXPECT_EQ(depth(3, 3), 0.5f);
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  put(rectangle(0, 0, 8, 16, kWhite, 0.25f));
  run();
  EXPECT_EQ(depth(7, 3), 0.25f);
  EXPECT_EQ(depth(8, 3), 0.5f);
  cover(kRed, 0.4f);
  EXPECT_EQ(pixel(7, 3), kWhite);
  EXPECT_EQ(pixel(8, 3), kRed);
  EXPECT_EQ(depth(7, 3), 0.25f);
  EXPECT_EQ(depth(8, 3), 0.4f);
}

TEST_F(DrawPixelTest, DepthIsLinearAndHeldInItsRange) {
  use_depth(1);
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  put({{0, 0, 0, 1, kWhite, 0, 0}, {16, 0, 1, 4, kWhite, 0, 0}, {0, 16, 0, 1, kWhite, 0, 0}});
  run();
  EXPECT_FLOAT_EQ(depth(4, 2), 4.5f / 16);
  draw.depth_function = SOFTGPU_COMPARE_ALWAYS;
  cover(kWhite, 17);
  EXPECT_EQ(depth(4, 2), 1);
  cover(kWhite, -3);
  EXPECT_EQ(depth(4, 2), 0);
}

TEST_F(DrawPixelTest, DepthAloneNeedsNoTarget) {
  use_depth(1);
  flags = SOFTGPU_DRAW_DEPTH | SOFTGPU_DRAW_DEPTH_WRITE;
  draw.target = 0;
  cover(kWhite, 0.25f);
  EXPECT_EQ(depth(15, 15), 0.25f);
  EXPECT_EQ(pixel(15, 15), 0u);
}

// --- Alpha test ---

TEST_F(DrawPixelTest, AlphaIsTested) {
  flags |= SOFTGPU_DRAW_ALPHA_TEST | SOFTGPU_DRAW_DEPTH_WRITE;
  use_depth(1);
  draw.alpha_function = SOFTGPU_COMPARE_GREATER_EQUAL;
  draw.alpha_reference = 0x80;
  put({{0, 0, 0, 1, 0x00FFFFFF, 0, 0},
       {16, 0, 0, 1, 0xFFFFFFFF, 0, 0},
       {0, 16, 0, 1, 0x00FFFFFF, 0, 0},
       {0, 16, 0, 1, 0x00FFFFFF, 0, 0},
       {16, 0, 0, 1, 0xFFFFFFFF, 0, 0},
       {16, 16, 0, 1, 0xFFFFFFFF, 0, 0}});
  run();
  EXPECT_EQ(pixel(7, 5), 0u);
  EXPECT_EQ(pixel(8, 5), 0x87FFFFFFu);
  EXPECT_EQ(depth(7, 5), 1);
  EXPECT_EQ(depth(8, 5), 0);
}

// --- Blending ---

TEST_F(DrawPixelTest, BlendsWithEachFactor) {
  // Source (red 0x80, alpha 0x40), destination (red 0x20, alpha 0x60), factor 0x30 for all: source * factor alone.
  const struct {
    uint8_t factor;
    double red, alpha;
  } cases[] = {{SOFTGPU_BLEND_ZERO, 0, 0},
               {SOFTGPU_BLEND_ONE, 1, 1},
               {SOFTGPU_BLEND_SRC_COLOR, 0x80 / 255.0, 0x40 / 255.0},
               {SOFTGPU_BLEND_INV_SRC_COLOR, 0x7F / 255.0, 0xBF / 255.0},
               {SOFTGPU_BLEND_SRC_ALPHA, 0x40 / 255.0, 0x40 / 255.0},
               {SOFTGPU_BLEND_INV_SRC_ALPHA, 0xBF / 255.0, 0xBF / 255.0},
               {SOFTGPU_BLEND_DEST_ALPHA, 0x60 / 255.0, 0x60 / 255.0},
               {SOFTGPU_BLEND_INV_DEST_ALPHA, 0x9F / 255.0, 0x9F / 255.0},
               {SOFTGPU_BLEND_DEST_COLOR, 0x20 / 255.0, 0x60 / 255.0},
               {SOFTGPU_BLEND_INV_DEST_COLOR, 0xDF / 255.0, 0x9F / 255.0},
               {SOFTGPU_BLEND_SRC_ALPHA_SAT, 0x40 / 255.0, 1},
               {SOFTGPU_BLEND_FACTOR, 0x30 / 255.0, 0x30 / 255.0},
               {SOFTGPU_BLEND_INV_FACTOR, 0xCF / 255.0, 0xCF / 255.0}};
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_factor = 0x30303030;
  for (const auto& one : cases) {
    auto expected = [](double value) { return static_cast<uint32_t>(value + 0.5); };
    draw.blend_source = draw.blend_source_alpha = one.factor;
    draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ZERO;
    clear(0x60200000);
    cover(0x40800000);
    EXPECT_EQ(pixel(5, 5) >> 24, expected(0x40 * one.alpha)) << int{one.factor};
    EXPECT_EQ(pixel(5, 5) >> 16 & 0xFF, expected(0x80 * one.red)) << int{one.factor};

    draw.blend_source = draw.blend_source_alpha = SOFTGPU_BLEND_ZERO;
    draw.blend_destination = draw.blend_destination_alpha = one.factor;
    clear(0x60200000);
    cover(0x40800000);
    EXPECT_EQ(pixel(5, 5) >> 24, expected(0x60 * one.alpha)) << int{one.factor};
    EXPECT_EQ(pixel(5, 5) >> 16 & 0xFF, expected(0x20 * one.red)) << int{one.factor};
  }
}

TEST_F(DrawPixelTest, BlendsWithEachOperation) {
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
  const struct {
    uint8_t op;
    uint32_t pixel;
  } cases[] = {{SOFTGPU_BLEND_OP_ADD, 0xA0FF30FF},
               {SOFTGPU_BLEND_OP_SUBTRACT, 0x00600000},
               {SOFTGPU_BLEND_OP_REV_SUBTRACT, 0x20001001},
               {SOFTGPU_BLEND_OP_MIN, 0x4060107F},
               {SOFTGPU_BLEND_OP_MAX, 0x60C02080}};
  for (const auto& one : cases) {
    draw.blend_op = draw.blend_op_alpha = one.op;
    clear(0x60602080);
    cover(0x40C0107F);
    EXPECT_EQ(pixel(5, 5), one.pixel) << int{one.op};
  }
}

TEST_F(DrawPixelTest, AlphaBlendsByItself) {
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_source = SOFTGPU_BLEND_SRC_ALPHA;
  draw.blend_destination = SOFTGPU_BLEND_INV_SRC_ALPHA;
  draw.blend_source_alpha = SOFTGPU_BLEND_ZERO;
  draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
  clear(0x12FF0000);
  cover(0x330000FF);
  EXPECT_EQ(pixel(5, 5), 0x12CC0033u);
}

TEST_F(DrawPixelTest, WhatIsNotAskedForStays) {
  for (uint8_t mask = 0; mask <= SOFTGPU_WRITE_ALL; ++mask) {
    clear(0x11223344);
    draw.write_mask = mask;
    cover(0xAABBCCDD);
    uint32_t expected = (mask & SOFTGPU_WRITE_ALPHA ? 0xAA000000u : 0x11000000u) |
                        (mask & SOFTGPU_WRITE_RED ? 0xBB0000u : 0x220000u) |
                        (mask & SOFTGPU_WRITE_GREEN ? 0xCC00u : 0x3300u) | (mask & SOFTGPU_WRITE_BLUE ? 0xDDu : 0x44u);
    EXPECT_EQ(pixel(5, 5), expected) << int{mask};
  }
}

// --- Formats ---

TEST_F(DrawPixelTest, TargetsOfEachFormat) {
  const struct {
    uint32_t format, pixel;
  } cases[] = {{SOFTGPU_FORMAT_A8R8G8B8, 0x80FF4010},
               {SOFTGPU_FORMAT_X8R8G8B8, 0x80FF4010},
               {SOFTGPU_FORMAT_A8B8G8R8, 0x801040FF},
               {SOFTGPU_FORMAT_X8B8G8R8, 0x801040FF},
               {SOFTGPU_FORMAT_R5G6B5, 31 << 11 | 16 << 5 | 2}};
  for (const auto& one : cases) {
    use_target(kWidth, kHeight, one.format);
    cover(0x80FF4010);
    EXPECT_EQ(pixel(7, 7), one.pixel) << one.format;
    flags |= SOFTGPU_DRAW_BLEND;  // nothing is added to what is there
    draw.blend_source = draw.blend_source_alpha = SOFTGPU_BLEND_ZERO;
    draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
    bool opaque = one.format == SOFTGPU_FORMAT_X8R8G8B8 || one.format == SOFTGPU_FORMAT_X8B8G8R8;
    cover(kWhite);
    EXPECT_EQ(pixel(7, 7), opaque ? one.pixel | 0xFF000000 : one.pixel) << one.format;
    flags &= ~SOFTGPU_DRAW_BLEND;
  }
}

TEST_F(DrawPixelTest, AMaskReachesIntoNarrowPixels) {
  use_target(kWidth, kHeight, SOFTGPU_FORMAT_R5G6B5);
  clear(0xFFFF);
  draw.write_mask = SOFTGPU_WRITE_GREEN;
  cover(0);
  EXPECT_EQ(pixel(7, 7), 0xF81Fu);
}

TEST_F(DrawPixelTest, RowsLongerThanAPieceAreDrawnWhole) {
  use_target(1300, 4, SOFTGPU_FORMAT_A8R8G8B8);
  put({{0, 0, 0, 1, 0xFF000000, 0, 0},
       {1300, 0, 0, 1, 0xFFFF0000, 0, 0},
       {0, 4, 0, 1, 0xFF000000, 0, 0},
       {0, 4, 0, 1, 0xFF000000, 0, 0},
       {1300, 0, 0, 1, 0xFFFF0000, 0, 0},
       {1300, 4, 0, 1, 0xFFFF0000, 0, 0}});
  run();
  for (uint32_t x = 0; x < 1300; ++x) {
    auto red = static_cast<double>(pixel(x, 2) >> 16 & 0xFF);
    ASSERT_NEAR(red, (x + 0.5) / 1300 * 255, 0.51) << x;
  }
}

}  // namespace
}  // namespace softgpu
