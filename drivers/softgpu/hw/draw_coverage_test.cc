// Which pixels primitives cover.
#include <gtest/gtest.h>

#include <utility>

#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawCoverageTest : public DrawTest {
 protected:
  static ScreenVertex at(float x, float y, uint32_t color = kWhite) { return {x, y, 0.5f, 1, color, 0, 0}; }
  uint32_t count(uint32_t color) {
    uint32_t found = 0;
    for (uint32_t y = 0; y < kHeight; ++y) {
      for (uint32_t x = 0; x < kWidth; ++x) found += pixel(x, y) == color;
    }
    return found;
  }
};

// The examples of "Rasterization Rules (Direct3D 9)", whose pixels have their centres at whole coordinates.
TEST_F(DrawCoverageTest, TopAndLeftEdgesBelongToTriangles) {
  flags |= SOFTGPU_DRAW_WHOLE_CENTERS;
  put(rectangle(0, 0, 5, 5, kWhite));
  run();
  expect_rectangle(0, 0, 5, 5, kWhite);
}

TEST_F(DrawCoverageTest, ASharedEdgeIsOneTrianglesOnly) {
  flags |= SOFTGPU_DRAW_WHOLE_CENTERS;
  put({at(0, 0, kRed), at(5, 0, kRed), at(5, 5, kRed), at(0, 5, kBlue), at(0, 0, kBlue), at(5, 5, kBlue)});
  run();
  EXPECT_EQ(count(kRed), 15u);
  EXPECT_EQ(count(kBlue), 10u);
}

TEST_F(DrawCoverageTest, HalvesAndWholesOfARectangleAreTheSamePixels) {
  flags |= SOFTGPU_DRAW_WHOLE_CENTERS;
  for (float shift : {0.0f, 0.5f}) {
    clear(0);
    put(rectangle(0.5f + shift, 0.5f + shift, 2.5f + shift, 4.5f + shift, kWhite));
    run();
    expect_rectangle(1, 1, 3, 5, kWhite);
  }
}

TEST_F(DrawCoverageTest, CentersAreAtHalvesUnlessAskedForOtherwise) {
  put(rectangle(2.5f, 3.5f, 6.5f, 7.5f, kWhite));
  run();
  expect_rectangle(2, 3, 6, 7, kWhite);
  clear(0);
  put(rectangle(2.51f, 3.5f, 6.51f, 7.5f, kWhite));
  run();
  expect_rectangle(3, 3, 7, 7, kWhite);
}

TEST_F(DrawCoverageTest, CullsByWhatIsSeen) {
  const std::vector<ScreenVertex> clockwise = {at(0, 0), at(8, 0), at(0, 8)};
  const std::vector<ScreenVertex> counter = {at(0, 0), at(0, 8), at(8, 0)};
  auto is_drawn = [&](const std::vector<ScreenVertex>& vertices, uint8_t cull, uint8_t fill) {
    clear(0);
    put(vertices);
    draw.cull = cull;
    draw.fill = fill;
    run();
    return drawn() != 0;
  };
  for (uint8_t fill : {SOFTGPU_FILL_SOLID, SOFTGPU_FILL_WIREFRAME}) {
    EXPECT_TRUE(is_drawn(clockwise, SOFTGPU_CULL_NONE, fill));
    EXPECT_TRUE(is_drawn(counter, SOFTGPU_CULL_NONE, fill));
    EXPECT_FALSE(is_drawn(clockwise, SOFTGPU_CULL_CW, fill));
    EXPECT_TRUE(is_drawn(counter, SOFTGPU_CULL_CW, fill));
    EXPECT_TRUE(is_drawn(clockwise, SOFTGPU_CULL_CCW, fill));
    EXPECT_FALSE(is_drawn(counter, SOFTGPU_CULL_CCW, fill));
  }
}

TEST_F(DrawCoverageTest, OnlyInsideOfTargetScissorAndViewport) {
  put(rectangle(-100, -100, 100, 100, kWhite));
  draw.scissor = {2, -5, 9, 100};
  run();
  expect_rectangle(2, 0, 9, 16, kWhite);

  clear(0);
  draw.scissor = {0, 0, 4096, 4096};
  draw.viewport.x = 3;
  draw.viewport.y = 4;
  draw.viewport.width = 5;
  draw.viewport.height = 6.4f;
  run();
  expect_rectangle(3, 4, 8, 10, kWhite);

  clear(0);
  draw.scissor = {9, 9, 2, 12};
  run();
  EXPECT_EQ(drawn(), 0u);
}

TEST_F(DrawCoverageTest, StripsAndFansShareVertices) {
  draw.topology = SOFTGPU_TOPOLOGY_TRIANGLE_STRIP;
  draw.cull = SOFTGPU_CULL_CCW;
  put({at(0, 0), at(4, 0), at(0, 4), at(4, 4), at(0, 8), at(4, 8)});
  run();
  expect_rectangle(0, 0, 4, 8, kWhite);

  clear(0);
  draw.topology = SOFTGPU_TOPOLOGY_TRIANGLE_FAN;
  put({at(0, 0), at(6, 0), at(6, 6), at(0, 6)});
  run();
  expect_rectangle(0, 0, 6, 6, kWhite);
}

TEST_F(DrawCoverageTest, LeftOverVerticesAreIgnored) {
  auto vertices = rectangle(0, 0, 4, 4, kWhite);
  vertices.push_back(at(16, 0));
  vertices.push_back(at(16, 16));
  put(vertices);
  run();
  expect_rectangle(0, 0, 4, 4, kWhite);
  for (uint32_t vertices_drawn : {0u, 1u, 2u}) {
    clear(0);
    draw.count = vertices_drawn;
    run();
    EXPECT_EQ(drawn(), 0u);
  }
}

TEST_F(DrawCoverageTest, FirstVertexAndCountChooseAPart) {
  auto vertices = rectangle(0, 0, 4, 4, kRed);
  for (const ScreenVertex& vertex : rectangle(8, 8, 12, 12, kBlue)) vertices.push_back(vertex);
  put(vertices);
  draw.first = 6;
  draw.count = 6;
  run();
  expect_rectangle(8, 8, 12, 12, kBlue);
}

TEST_F(DrawCoverageTest, FlatShadeIsTheFirstVertexs) {
  flags |= SOFTGPU_DRAW_FLAT;
  put({at(0, 0, kRed), at(8, 0, kGreen), at(0, 8, kBlue)});
  run();
  EXPECT_EQ(pixel(1, 1), kRed);
  EXPECT_EQ(count(kRed), drawn());

  draw.topology = SOFTGPU_TOPOLOGY_TRIANGLE_STRIP;
  put({at(0, 0, kRed), at(8, 0, kGreen), at(0, 8, kBlue), at(8, 8, kWhite)});
  run();
  EXPECT_EQ(pixel(1, 1), kRed);
  EXPECT_EQ(pixel(6, 6), kGreen);

  draw.topology = SOFTGPU_TOPOLOGY_TRIANGLE_FAN;
  put({at(0, 0, kRed), at(8, 0, kGreen), at(8, 8, kBlue), at(0, 8, kWhite)});
  run();
  EXPECT_EQ(pixel(6, 1), kGreen);
  EXPECT_EQ(pixel(1, 6), kBlue);
}

// --- Lines and points ---

TEST_F(DrawCoverageTest, LinesHaveOnePixelForEachStep) {
  draw.topology = SOFTGPU_TOPOLOGY_LINES;
  put({at(1.5f, 2.5f), at(9.5f, 2.5f)});
  run();
  expect_rectangle(1, 2, 9, 3, kWhite);  // without its last

  clear(0);
  put({at(9.5f, 2.5f), at(1.5f, 2.5f)});
  run();
  expect_rectangle(2, 2, 10, 3, kWhite);

  clear(0);
  put({at(3.5f, 1.5f), at(3.5f, 6.5f)});
  run();
  expect_rectangle(3, 1, 4, 6, kWhite);

  clear(0);
  put({at(0.5f, 0.5f), at(8.5f, 4.5f)});
  run();
  EXPECT_EQ(drawn(), 8u);
  for (auto [x, y] : {std::pair{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 3}, {7, 4}})
    EXPECT_EQ(pixel(x, y), kWhite) << x;
}

TEST_F(DrawCoverageTest, LineStripsGoOnWhereTheyEnded) {
  draw.topology = SOFTGPU_TOPOLOGY_LINE_STRIP;
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
  put({at(1.5f, 1.5f, 0x01010101), at(5.5f, 1.5f, 0x01010101), at(9.5f, 1.5f, 0x01010101)});
  run();
  expect_rectangle(1, 1, 9, 2, 0x01010101);
}

TEST_F(DrawCoverageTest, LinesAreCutByTheTarget) {
  draw.topology = SOFTGPU_TOPOLOGY_LINES;
  put({at(-1e6f, 3.5f), at(1e6f, 3.5f)});
  run();
  expect_rectangle(0, 3, 16, 4, kWhite);
}

TEST_F(DrawCoverageTest, WireframesAreTheEdges) {
  draw.fill = SOFTGPU_FILL_WIREFRAME;
  put({at(1.5f, 1.5f), at(9.5f, 1.5f), at(1.5f, 9.5f)});
  run();
  for (uint32_t i = 1; i < 9; ++i) {
    EXPECT_EQ(pixel(i, 1), kWhite) << i;
    EXPECT_EQ(pixel(1, i), kWhite) << i;
  }
  EXPECT_EQ(pixel(3, 3), 0u);
  EXPECT_EQ(pixel(5, 5), kWhite);
}

TEST_F(DrawCoverageTest, PointsAreSquares) {
  draw.topology = SOFTGPU_TOPOLOGY_POINTS;
  put({at(4.5f, 5.5f)});
  run();
  expect_rectangle(4, 5, 5, 6, kWhite);
  for (auto [size, left, right] : {std::tuple{3.0f, 3, 6}, {4.0f, 3, 7}, {-1.0f, 4, 5}}) {
    clear(0);
    draw.point_size = size;
    put({at(4.6f, 4.6f)});
    run();
    expect_rectangle(left, left, right, right, kWhite);
  }
  clear(0);
  draw.point_size = 1e9f;
  put({at(-100, 4)});
  run();
  EXPECT_EQ(drawn(), 16u * 16);
}

}  // namespace
}  // namespace softgpu
