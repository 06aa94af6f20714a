// From vertices to places on the target: fetching, transforms, lights, clipping.
#include <gtest/gtest.h>

#include <limits>

#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawVertexTest : public DrawTest {
 protected:
  static ObjectVertex object(float x, float y, float z, uint32_t color = kWhite) { return {x, y, z, 0, 0, -1, color}; }
  // In clip space the target is from -1 to 1, up is up.
  static std::vector<ObjectVertex> square(float left, float top, float right, float bottom, float z,
                                          uint32_t color = kWhite) {
    ObjectVertex a = object(left, top, z, color), b = object(right, top, z, color), c = object(left, bottom, z, color),
                 d = object(right, bottom, z, color);
    return {a, b, c, c, b, d};
  }
  void set_transform(std::initializer_list<float> rows) { std::copy(rows.begin(), rows.end(), draw.transform); }
};

TEST_F(DrawVertexTest, TheViewportStretchesClipSpace) {
  put_objects(square(-1, 1, 0, 0, 0));
  run();
  expect_rectangle(0, 0, 8, 8, kWhite);

  clear(0);
  draw.viewport.x = 4;
  draw.viewport.y = 2;
  draw.viewport.width = 8;
  draw.viewport.height = 12;
  put_objects(square(-1, 1, 0, 0, 0));
  run();
  expect_rectangle(4, 2, 8, 8, kWhite);

  clear(0);
  flags |= SOFTGPU_DRAW_WHOLE_CENTERS;
  run();
  expect_rectangle(4, 2, 8, 8, kWhite);
}

TEST_F(DrawVertexTest, PositionsAreRowVectors) {
  set_transform({0.5f, 0, 0, 0,    //
                 0, 0.5f, 0, 0,    //
                 0, 0, 1, 0,       //
                 0.5f, 0, 0, 1});  // half of it, half to the right
  put_objects(square(-1, 1, 1, -1, 0));
  run();
  expect_rectangle(8, 4, 16, 12, kWhite);
}

TEST_F(DrawVertexTest, PositionsOfEachKind) {
  struct {
    float x, y, z, w;
  } corners[] = {{-2, 2, 0, 2}, {0, 2, 0, 2}, {-2, 0, 0, 2}};
  for (size_t i = 0; i < 3; ++i) {
    uint32_t words[4];
    std::memcpy(words, &corners[i], 16);
    for (size_t j = 0; j < 4; ++j) card.poke(kVertices + 16 * i + 4 * j, words[j], 4);
  }
  draw.stride = 16;
  draw.count = draw.vertex_count = 3;
  draw.position_kind = SOFTGPU_POSITION_FLOAT4;
  run();
  EXPECT_EQ(drawn(), 28u);  // the upper left half of 8 x 8, without the edge
  EXPECT_EQ(pixel(0, 6), kWhite);
  EXPECT_EQ(pixel(7, 7), 0u);

  clear(0);
  draw.position_kind = SOFTGPU_POSITION_FLOAT2;
  draw.transform[0] = draw.transform[5] = 0.5f;
  run();
  EXPECT_EQ(drawn(), 28u);
}

TEST_F(DrawVertexTest, DepthComesFromTheViewport) {
  use_depth(1);
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  draw.viewport.min_z = 0.25f;
  draw.viewport.max_z = 0.75f;
  put_objects(square(-1, 1, 1, -1, 0.5f));
  run();
  EXPECT_FLOAT_EQ(depth(3, 3), 0.5f);
}

// --- Colours ---

TEST_F(DrawVertexTest, WithoutADiffuseColorThereIsOneForAll) {
  put_objects(square(-1, 1, 1, -1, 0, kRed));
  draw.diffuse_offset = SOFTGPU_ABSENT;
  draw.color[0] = 0.25f;
  draw.color[1] = 2;
  draw.color[2] = -1;
  draw.color[3] = std::numeric_limits<float>::quiet_NaN();
  run();
  EXPECT_EQ(pixel(3, 3), 0x0040FF00u);
}

TEST_F(DrawVertexTest, DiffuseColorsOfEachKind) {
  put_objects(square(-1, 1, 1, -1, 0, 0x80402010));
  draw.diffuse_kind = SOFTGPU_COLOR_ABGR;
  run();
  EXPECT_EQ(pixel(3, 3), 0x80102040u);
  // z and the normal, (0.5, 0, 0, -1), stand in for four floats.
  put_objects(square(-1, 1, 1, -1, 0.5f));
  draw.diffuse_kind = SOFTGPU_COLOR_FLOAT4;
  draw.diffuse_offset = 8;
  run();
  EXPECT_EQ(pixel(3, 3), 0x00800000u);
}

TEST_F(DrawVertexTest, LightsShineOnWhatFacesThem) {
  flags |= SOFTGPU_DRAW_LIGHTING;
  put_objects(square(-1, 1, 1, -1, 0, kRed));  // normals (0, 0, -1)
  const float emissive[] = {0.1f, 0, 0, 1}, ambient[] = {0.5f, 0.5f, 0.5f, 1}, of_ambient[] = {0, 0.4f, 0, 1},
              of_diffuse[] = {1, 1, 0.5f, 0.5f};
  std::copy_n(emissive, 4, draw.material_emissive);
  std::copy_n(ambient, 4, draw.ambient);
  std::copy_n(of_ambient, 4, draw.material_ambient);
  std::copy_n(of_diffuse, 4, draw.material_diffuse);
  draw.lights[0] = {{0, 0, 1}, {0.2f, 0.2f, 0.4f}};      // straight at it
  draw.lights[1] = {{0, 0, -1}, {1, 1, 1}};              // from behind
  draw.lights[2] = {{0.6f, 0, 0.8f}, {0.5f, 0.25f, 0}};  // from aside
  draw.light_count = 3;
  run();
  // 0.1 + 0.2 + 0.4, 0.2 + 0.2 + 0.2, 0.2; alpha 0.5
  EXPECT_EQ(pixel(3, 3), 0x80B39933u);

  flags |= SOFTGPU_DRAW_DIFFUSE_FROM_VERTEX | SOFTGPU_DRAW_AMBIENT_FROM_VERTEX;
  run();
  EXPECT_EQ(pixel(3, 3), 0xFFFF0000u);  // red: 0.1 + 0.5 + 0.2 + 0.4
}

TEST_F(DrawVertexTest, NormalsAreTurnedAndMadeOneLong) {
  flags |= SOFTGPU_DRAW_LIGHTING;
  put_objects(square(-1, 1, 1, -1, 0));
  draw.lights[0] = {{1, 0, 0}, {0.5f, 0.5f, 0.5f}};
  draw.light_count = 1;
  run();
  EXPECT_EQ(pixel(3, 3), 0xFF000000u);
  const float turn[] = {0, 0, -0.5f, 0, 0.5f, 0, 0.5f, 0, 0};  // and shrink: (0, 0, -1) to (-0.5, 0, 0)
  std::copy_n(turn, 9, draw.normal_transform);
  run();
  EXPECT_EQ(pixel(3, 3), 0xFF404040u);
  flags |= SOFTGPU_DRAW_NORMALIZE;
  run();
  EXPECT_EQ(pixel(3, 3), 0xFF808080u);
}

// --- Indices ---

TEST_F(DrawVertexTest, IndicesChooseVertices) {
  auto vertices = square(-1, 1, 0, 0, 0);
  put_objects({vertices[5], vertices[2], vertices[1], vertices[0]});
  use_indices({3, 2, 1, 1, 2, 0});
  run();
  expect_rectangle(0, 0, 8, 8, kWhite);

  clear(0);
  draw.base_vertex = -7;
  use_indices({9, 9, 9, 10, 9, 8, 8, 9, 7});
  draw.first = 3;
  draw.count = 6;
  run();
  expect_rectangle(0, 0, 8, 8, kWhite);
}

TEST_F(DrawVertexTest, WideIndicesReachFarther) {
  put_objects(square(-1, 1, 0, 0, 0));
  draw.indices = local(kIndices);
  draw.index_bytes = 4;
  flags |= SOFTGPU_DRAW_INDEXED;
  draw.base_vertex = -0x20000;
  for (uint32_t i = 0; i < 6; ++i) card.poke(kIndices + 4 * i, 0x20000 + i, 4);
  run();
  expect_rectangle(0, 0, 8, 8, kWhite);
}

TEST_F(DrawVertexTest, WhatNamesNoVertexIsNotDrawn) {
  put_objects(square(-1, 1, 0, 0, 0));
  for (uint16_t beyond : {6, 0x7FFF, 0xFFFF}) {
    clear(0);
    use_indices({0, 1, beyond, beyond, 1, 5, 0, 1, 2});
    run();
    EXPECT_EQ(drawn(), 28u) << beyond;
  }
  clear(0);
  draw.base_vertex = std::numeric_limits<int32_t>::min();
  run();
  EXPECT_EQ(drawn(), 0u);
}

// More indices than are read at a time, more vertices than are kept.
TEST_F(DrawVertexTest, ManyIndicesAreAllDrawn) {
  use_target(64, 64, SOFTGPU_FORMAT_A8R8G8B8);
  std::vector<ScreenVertex> vertices;
  std::vector<uint16_t> indices;
  for (uint16_t i = 0; i < 65; ++i) {
    for (uint16_t j = 0; j < 65; ++j) {
      vertices.push_back({static_cast<float>(j), static_cast<float>(i), 0, 1, 0x01010101, 0, 0});
      if (i == 64 || j == 64) continue;
      auto at = static_cast<uint16_t>(i * 65 + j);
      for (int corner : {0, 1, 65, 65, 1, 66}) indices.push_back(static_cast<uint16_t>(at + corner));
    }
  }
  put(vertices);
  use_indices(indices);
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
  run();
  expect_rectangle(0, 0, 64, 64, 0x01010101);
}

// --- Clipping ---

TEST_F(DrawVertexTest, NearAndFarAreCutOff) {
  put_objects(
      {object(-1, 1, -1), object(1, 1, 1), object(-1, -1, -1), object(-1, -1, -1), object(1, 1, 1), object(1, -1, 1)});
  run();
  expect_rectangle(8, 0, 16, 16, kWhite);

  clear(0);
  put_objects(
      {object(-1, 1, 0), object(1, 1, 2), object(-1, -1, 0), object(-1, -1, 0), object(1, 1, 2), object(1, -1, 2)});
  run();
  EXPECT_EQ(pixel(7, 5), kWhite);
  EXPECT_EQ(pixel(8, 5), 0u);

  clear(0);
  flags |= SOFTGPU_DRAW_NO_DEPTH_CLIP | SOFTGPU_DRAW_DEPTH_WRITE;
  use_depth(1);
  run();
  expect_rectangle(0, 0, 16, 16, kWhite);
  EXPECT_EQ(depth(15, 5), 1);
}

// A floor that goes on behind the eye: w is z, the horizon at half of the height.
TEST_F(DrawVertexTest, WhatIsBehindTheEyeIsCutOff) {
  set_transform({1, 0, 0, 0,  //
                 0, 1, 0, 0,  //
                 0, 0, 1, 1,  //
                 0, 0, -0.01f, 0});
  put_objects({object(-1000, -1, -500), object(1000, -1, -500), object(-1000, -1, 500), object(-1000, -1, 500),
               object(1000, -1, -500), object(1000, -1, 500)});
  run();
  expect_rectangle(0, 8, 16, 16, kWhite);
}

TEST_F(DrawVertexTest, FarAwayCornersAreCutExactly) {
  for (float far : {1e4f, 1e6f, 1e9f}) {
    clear(0);
    flags |= SOFTGPU_DRAW_BLEND;
    draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
    put(rectangle(-far, -far, far, far, 0x01010101));
    run();
    expect_rectangle(0, 0, 16, 16, 0x01010101);
  }
}

TEST_F(DrawVertexTest, WhatIsNoNumberIsNotDrawn) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (float bad : {infinity, -infinity, nan}) {
    for (int field = 0; field < 3; ++field) {
      auto vertices = square(-1, 1, 1, -1, 0);
      (&vertices[0].x)[field] = bad;
      put_objects(vertices);
      clear(0);
      run();
      EXPECT_EQ(drawn(), 136u) << bad << " " << field;  // the other triangle only
    }
    put_objects(square(-1, 1, 1, -1, 0));
    for (float* number : {&draw.transform[0], &draw.transform[15], &draw.viewport.x, &draw.viewport.height}) {
      float good = *number;
      *number = bad;
      clear(0);
      run();
      EXPECT_EQ(drawn(), 0u);
      *number = good;
    }
  }
}

}  // namespace
}  // namespace softgpu
