#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawTextureTest : public DrawTest {
 protected:
  DrawTextureTest() { draw.combine_color = draw.combine_alpha = SOFTGPU_COMBINE_TEXTURE; }

  // Over the whole target, from one texture coordinate to another in both directions.
  void cover(float from, float to, uint32_t color = kWhite) {
    auto vertices = rectangle(0, 0, kWidth, kHeight, color);
    for (ScreenVertex& vertex : vertices) {
      vertex.u = from + (to - from) * vertex.u;
      vertex.v = from + (to - from) * vertex.v;
    }
    put(vertices);
    run();
  }
};

TEST_F(DrawTextureTest, TakesTheNearestTexel) {
  use_texture(2, 2, {kRed, kGreen, kBlue, kWhite});
  cover(0, 1);
  EXPECT_EQ(pixel(0, 0), kRed);
  EXPECT_EQ(pixel(7, 7), kRed);
  EXPECT_EQ(pixel(8, 7), kGreen);
  EXPECT_EQ(pixel(7, 8), kBlue);
  EXPECT_EQ(pixel(15, 15), kWhite);
}

TEST_F(DrawTextureTest, FiltersBetweenCenters) {
  use_texture(2, 1, {0x00000000, 0xFFFF8040});
  flags |= SOFTGPU_DRAW_BILINEAR;
  draw.address_u = draw.address_v = SOFTGPU_ADDRESS_CLAMP;
  cover(0, 1);
  EXPECT_EQ(pixel(0, 0), 0u);  // before the first centre
  EXPECT_EQ(pixel(15, 0), 0xFFFF8040u);
  // At x = 8.5 of 16 the second texel has 8.5 / 8 - 0.5 = 9/16.
  EXPECT_EQ(pixel(8, 3), 0x8F8F4824u);
}

TEST_F(DrawTextureTest, FiltersAcrossTheSeamWhereItRepeats) {
  use_texture(2, 1, {0xFF000000, 0xFFFF0000});
  flags |= SOFTGPU_DRAW_BILINEAR;
  cover(0, 1);
  // At x = 0.5 of 16, 1/16 texel right of the seam: 7/16 of the texel left of it.
  EXPECT_EQ(pixel(0, 0), 0xFF700000u);
}

TEST_F(DrawTextureTest, RepeatsMirrorsAndClamps) {
  use_texture(4, 4, {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  const uint32_t wrapped[] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
  const uint32_t mirrored[] = {1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1};
  const uint32_t clamped[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4};
  auto expect_row = [&](uint8_t mode, const uint32_t(&row)[16]) {
    draw.address_u = draw.address_v = mode;
    cover(-2, 2);
    for (uint32_t x = 0; x < kWidth; ++x) EXPECT_EQ(pixel(x, 5), row[x]) << int{mode} << " " << x;
  };
  expect_row(SOFTGPU_ADDRESS_WRAP, wrapped);
  expect_row(SOFTGPU_ADDRESS_MIRROR, mirrored);
  expect_row(SOFTGPU_ADDRESS_CLAMP, clamped);
}

TEST_F(DrawTextureTest, RepeatsTexturesOfAnySize) {
  use_texture(3, 1, {1, 2, 3});
  cover(-1, 1);
  for (uint32_t x = 0; x < kWidth; ++x) {
    double texel = std::floor(((x + 0.5) / 8 - 1) * 3);
    EXPECT_EQ(pixel(x, 0), static_cast<uint32_t>(std::fmod(texel + 3, 3)) + 1) << x;
  }
}

TEST_F(DrawTextureTest, Combines) {
  use_texture(1, 1, {0x80FF8000});
  const struct {
    uint8_t how;
    uint32_t pixel;
  } cases[] = {{SOFTGPU_COMBINE_DIFFUSE, 0x40804020},
               {SOFTGPU_COMBINE_TEXTURE, 0x80FF8000},
               {SOFTGPU_COMBINE_MODULATE, 0x20802000},
               {SOFTGPU_COMBINE_ADD, 0xC0FFC020}};
  for (const auto& one : cases) {
    draw.combine_color = draw.combine_alpha = one.how;
    cover(0, 1, 0x40804020);
    EXPECT_EQ(pixel(3, 3), one.pixel) << int{one.how};
  }
  draw.combine_color = SOFTGPU_COMBINE_MODULATE;
  draw.combine_alpha = SOFTGPU_COMBINE_TEXTURE;
  cover(0, 1, 0x40804020);
  EXPECT_EQ(pixel(3, 3), 0x80802000u);
}

TEST_F(DrawTextureTest, OfEachFormat) {
  const struct {
    uint32_t format, bytes, texel, pixel;
  } cases[] = {{SOFTGPU_FORMAT_A8R8G8B8, 4, 0x12345678, 0x12345678},
               {SOFTGPU_FORMAT_X8R8G8B8, 4, 0x12345678, 0xFF345678},
               {SOFTGPU_FORMAT_A8B8G8R8, 4, 0x12345678, 0x12785634},
               {SOFTGPU_FORMAT_X8B8G8R8, 4, 0x12345678, 0xFF785634},
               {SOFTGPU_FORMAT_R5G6B5, 2, 0x8410, 0xFF848284},
               {SOFTGPU_FORMAT_A8, 1, 0x5A, 0x5A000000},
               {SOFTGPU_FORMAT_L8, 1, 0x5A, 0xFF5A5A5A}};
  for (const auto& one : cases) {
    use_texture(2, 2, {});
    draw.texture_surface = {2, 2, 16, one.format};
    for (uint32_t y = 0; y < 2; ++y) {
      for (uint32_t x = 0; x < 2; ++x) card.poke(kTexture + 16 * y + one.bytes * x, one.texel, one.bytes);
    }
    cover(0, 1);
    for (uint32_t at : {0u, 15u}) EXPECT_EQ(pixel(at, at), one.pixel) << one.format;
  }
}

TEST_F(DrawTextureTest, IsCorrectInPerspective) {
  std::vector<uint32_t> ramp(256);
  for (uint32_t i = 0; i < 256; ++i) ramp[i] = i;
  use_texture(256, 1, ramp);
  auto vertices = rectangle(0, 0, kWidth, kHeight, kWhite);
  for (ScreenVertex& vertex : vertices) vertex.inverse_w = vertex.x == 0 ? 1 : 0.25f;
  put(vertices);
  run();
  for (uint32_t x = 0; x < kWidth; ++x) {
    double along = (x + 0.5) / 16;
    double u = along * 0.25 / (1 - along * 0.75);
    EXPECT_EQ(pixel(x, 4), static_cast<uint32_t>(u * 256)) << x;
  }
}

// What was read for one draw is not what is there for the next.
TEST_F(DrawTextureTest, IsReadAnewByEachDraw) {
  use_texture(1, 1, {kRed});
  cover(0, 1);
  use_texture(1, 1, {kBlue});
  cover(0, 1);
  EXPECT_EQ(pixel(3, 3), kBlue);
}

// More than the cache holds, with a pitch that is larger than its rows.
TEST_F(DrawTextureTest, LargeOnesAreReadRight) {
  constexpr uint32_t kSize = 600, kPitch = 4 * kSize + 64;
  use_target(kSize, kSize, SOFTGPU_FORMAT_A8R8G8B8);
  draw.texture = local(kFree + 0x100'0000);
  draw.texture_surface = {kSize, kSize, kPitch, SOFTGPU_FORMAT_A8R8G8B8};
  draw.combine_color = draw.combine_alpha = SOFTGPU_COMBINE_TEXTURE;
  flags |= SOFTGPU_DRAW_TEXTURE;
  for (uint32_t y = 0; y < kSize; ++y) {
    for (uint32_t x = 0; x < kSize; ++x) card.poke(kFree + 0x100'0000 + y * kPitch + 4 * x, y << 16 | x, 4);
  }
  put(rectangle(0, 0, kSize, kSize, kWhite));
  run();
  for (uint32_t y = 0; y < kSize; y += 7) {
    for (uint32_t x = 0; x < kSize; ++x) ASSERT_EQ(card.peek(kTarget + y * kSize * 4 + 4 * x, 4), y << 16 | x);
  }
}

TEST_F(DrawTextureTest, CoordinatesMayBeAnything) {
  use_texture(3, 3, std::vector<uint32_t>(9, kRed));
  const float infinity = std::numeric_limits<float>::infinity();
  for (uint8_t mode : {SOFTGPU_ADDRESS_WRAP, SOFTGPU_ADDRESS_MIRROR, SOFTGPU_ADDRESS_CLAMP}) {
    for (uint32_t filter : {0u, SOFTGPU_DRAW_BILINEAR}) {
      flags = (flags & ~SOFTGPU_DRAW_BILINEAR) | filter;
      draw.address_u = draw.address_v = mode;
      for (float far : {1e10f, -1e38f, infinity, std::nanf("")}) {
        clear(0);
        cover(far, 1);
        EXPECT_EQ(pixel(9, 9), kRed);
      }
    }
  }
}

}  // namespace
}  // namespace softgpu
