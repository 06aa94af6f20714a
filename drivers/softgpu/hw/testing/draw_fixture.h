#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "softgpu/hw/testing/card.h"
#include "softgpu/proto/softgpu_build.h"

namespace softgpu {

// For tests: draws on a small target in local memory and looks at its pixels.
class DrawTest : public CardTest {
 protected:
  static constexpr uint32_t kWidth = 16, kHeight = 16;
  static constexpr uint64_t kTarget = kFree, kDepth = kFree + 0x10'0000, kTexture = kFree + 0x20'0000,
                            kVertices = kFree + 0x30'0000, kIndices = kFree + 0x70'0000;
  static constexpr uint32_t kRed = 0xFFFF0000, kGreen = 0xFF00FF00, kBlue = 0xFF0000FF, kWhite = 0xFFFFFFFF;

  // As SOFTGPU_POSITION_SCREEN has it, with everything that can vary.
  struct ScreenVertex {
    float x, y, z, inverse_w;
    uint32_t color;
    float u, v;
  };
  // To be transformed.
  struct ObjectVertex {
    float x, y, z;
    float normal_x, normal_y, normal_z;
    uint32_t color;
  };

  DrawTest() { use_target(kWidth, kHeight, SOFTGPU_FORMAT_A8R8G8B8); }

  void use_target(uint32_t width, uint32_t height, uint32_t format) {
    uint32_t pixel_bytes = format == SOFTGPU_FORMAT_R5G6B5 ? 2 : 4;
    draw = softgpu_draw({width, height, width * pixel_bytes, format});
    draw.target = local(kTarget);
    draw.vertices = local(kVertices);
    draw.depth_pitch = width * 4;
    clear(0);
  }
  void use_depth(float value) {
    draw.depth = local(kDepth);
    flags |= SOFTGPU_DRAW_DEPTH;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    clear_surface(kDepth, draw.depth_pitch, 4, bits);
  }
  void use_texture(uint32_t width, uint32_t height, const std::vector<uint32_t>& texels) {
    draw.texture = local(kTexture);
    draw.texture_surface = {width, height, width * 4, SOFTGPU_FORMAT_A8R8G8B8};
    flags |= SOFTGPU_DRAW_TEXTURE;
    for (size_t i = 0; i < texels.size(); ++i) card.poke(kTexture + 4 * i, texels[i], 4);
  }
  void use_indices(const std::vector<uint16_t>& indices) {
    draw.indices = local(kIndices);
    draw.index_bytes = 2;
    draw.count = static_cast<uint32_t>(indices.size());
    flags |= SOFTGPU_DRAW_INDEXED;
    for (size_t i = 0; i < indices.size(); ++i) card.poke(kIndices + 2 * i, indices[i], 2);
  }

  void put(const std::vector<ScreenVertex>& vertices) {
    draw.position_kind = SOFTGPU_POSITION_SCREEN;
    draw.diffuse_offset = 16;
    draw.texcoord_offset = 20;
    put_vertices(vertices);
  }
  void put_objects(const std::vector<ObjectVertex>& vertices) {
    draw.position_kind = SOFTGPU_POSITION_FLOAT3;
    draw.normal_offset = 12;
    draw.diffuse_offset = 24;
    put_vertices(vertices);
  }
  // Two triangles, with a texture from (0, 0) to (1, 1).
  static std::vector<ScreenVertex> rectangle(float left, float top, float right, float bottom, uint32_t color,
                                             float z = 0.5f) {
    ScreenVertex a{left, top, z, 1, color, 0, 0}, b{right, top, z, 1, color, 1, 0}, c{left, bottom, z, 1, color, 0, 1},
        d{right, bottom, z, 1, color, 1, 1};
    return {a, b, c, c, b, d};
  }

  void submit() {
    std::vector<uint64_t> qwords(sizeof(SOFTGPU_DRAW) / 8);
    SOFTGPU_BUILDER builder = softgpu_builder(reinterpret_cast<uint8_t*>(qwords.data()), sizeof(SOFTGPU_DRAW));
    softgpu_add_draw(&builder, &draw, flags);
    card.submit(kRender, qwords);
    card.run_all();
  }
  void run() {
    submit();
    ASSERT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  }
  void expect_fault(uint32_t kind) {
    submit();
    EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_FAULTED);
    EXPECT_EQ(card.fault_kind(kRender), kind);
    card.control(kRender, SOFTGPU_CONTROL_RESET);
    card.start(kRender);
  }

  void clear(uint32_t value) {
    clear_surface(kTarget, draw.target_surface.pitch, draw.target_surface.format == SOFTGPU_FORMAT_R5G6B5 ? 2 : 4,
                  value);
  }
  uint32_t pixel(uint32_t x, uint32_t y) {
    uint32_t bytes = draw.target_surface.format == SOFTGPU_FORMAT_R5G6B5 ? 2 : 4;
    return static_cast<uint32_t>(card.peek(kTarget + y * draw.target_surface.pitch + x * bytes, bytes));
  }
  float depth(uint32_t x, uint32_t y) {
    auto bits = static_cast<uint32_t>(card.peek(kDepth + y * draw.depth_pitch + x * 4, 4));
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  // Pixels that are not 0.
  uint32_t drawn() {
    uint32_t count = 0;
    for (uint32_t y = 0; y < draw.target_surface.height; ++y) {
      for (uint32_t x = 0; x < draw.target_surface.width; ++x) count += pixel(x, y) != 0;
    }
    return count;
  }
  // Exactly the pixels of a rectangle are `color`, all others 0.
  void expect_rectangle(uint32_t left, uint32_t top, uint32_t right, uint32_t bottom, uint32_t color) {
    for (uint32_t y = 0; y < draw.target_surface.height; ++y) {
      for (uint32_t x = 0; x < draw.target_surface.width; ++x) {
        bool inside = x >= left && x < right && y >= top && y < bottom;
        ASSERT_EQ(pixel(x, y), inside ? color : 0) << x << ", " << y;
      }
    }
  }

  SOFTGPU_DRAW draw;
  uint32_t flags = SOFTGPU_DRAW_TARGET;

 private:
  template <typename V>
  void put_vertices(const std::vector<V>& vertices) {
    draw.stride = sizeof(V);
    draw.vertex_count = draw.count = static_cast<uint32_t>(vertices.size());
    for (size_t i = 0; i < vertices.size(); ++i) {
      for (size_t word = 0; word < sizeof(V) / 4; ++word) {
        uint32_t bits;
        std::memcpy(&bits, reinterpret_cast<const uint8_t*>(&vertices[i]) + 4 * word, 4);
        card.poke(kVertices + i * sizeof(V) + 4 * word, bits, 4);
      }
    }
  }
  void clear_surface(uint64_t surface, uint32_t pitch, uint32_t pixel_bytes, uint32_t value) {
    std::vector<uint64_t> qwords(sizeof(SOFTGPU_CLEAR_RECT) / 8);
    SOFTGPU_BUILDER builder = softgpu_builder(reinterpret_cast<uint8_t*>(qwords.data()), sizeof(SOFTGPU_CLEAR_RECT));
    SOFTGPU_RECT all{0, 0, static_cast<int32_t>(draw.target_surface.width),
                     static_cast<int32_t>(draw.target_surface.height)};
    softgpu_add_clear_rect(&builder, local(surface), pitch, pixel_bytes, all, value);
    card.submit(kRender, qwords);
    card.run_all();
  }
};

}  // namespace softgpu
