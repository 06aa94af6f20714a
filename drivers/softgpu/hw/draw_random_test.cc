// Random triangles against a reference that is as simple as it is slow: for every pixel, in double precision, whether
// it is inside of all three edges, and what is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawRandomTest : public DrawTest {
 protected:
  // Sub-pixels are whole numbers, so that everything up to the sign of an edge is exact in a double.
  static double snap(float position) { return std::floor(double{position} * 256 + 0.5); }

  struct Reference {
    double inverse_w = 0, depth = 0, color[4] = {};
  };

  static double edge(const ScreenVertex& a, const ScreenVertex& b, double x, double y) {
    return (snap(b.x) - snap(a.x)) * (y - snap(a.y)) - (snap(b.y) - snap(a.y)) * (x - snap(a.x));
  }
  static bool owns(const ScreenVertex& a, const ScreenVertex& b, double value) {
    bool top_or_left = snap(b.y) < snap(a.y) || (snap(b.y) == snap(a.y) && snap(b.x) > snap(a.x));
    return value > 0 || (value == 0 && top_or_left);
  }

  // Nothing where the pixel is not covered.
  static std::optional<Reference> at(const ScreenVertex& a, ScreenVertex b, ScreenVertex c, uint32_t x, uint32_t y) {
    if (edge(a, b, snap(c.x), snap(c.y)) < 0) std::swap(b, c);
    double area = edge(a, b, snap(c.x), snap(c.y));
    double px = x * 256.0 + 128, py = y * 256.0 + 128;
    double weights[3] = {edge(b, c, px, py), edge(c, a, px, py), edge(a, b, px, py)};
    if (area == 0 || !owns(b, c, weights[0]) || !owns(c, a, weights[1]) || !owns(a, b, weights[2])) return {};
    Reference reference;
    const ScreenVertex* corners[3] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
      double weight = weights[i] / area;
      reference.inverse_w += weight * double{corners[i]->inverse_w};
      reference.depth += weight * double{corners[i]->z};
      for (int channel = 0; channel < 4; ++channel)
        reference.color[channel] +=
            weight * double{corners[i]->inverse_w} * (corners[i]->color >> (8 * channel) & 0xFF);
    }
    for (double& channel : reference.color) channel /= reference.inverse_w;
    return reference;
  }

  float between(double low, double high) {
    return static_cast<float>(low + (high - low) * static_cast<double>(rng->below(1 << 20)) / (1 << 20));
  }
  // Some lie on whole and half pixels, where the rules count; some far away, where clipping does.
  float any_position() {
    switch (rng->below(4)) {
      case 0:
        return static_cast<float>(rng->below(34)) / 2 - 1;
      case 1:
        return between(-200, 200);
      default:
        return between(-4, 20);
    }
  }
  ScreenVertex any_vertex(bool perspective) {
    return {any_position(),
            any_position(),
            between(0, 1),
            perspective ? between(0.1, 4) : 1,
            static_cast<uint32_t>(rng->next()) | 1,
            0,
            0};
  }

  std::optional<base::Rng> rng;
};

TEST_F(DrawRandomTest, TrianglesAreWhatTheReferenceSays) {
  const uint64_t seed = base::seed_for_test(77);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  rng.emplace(seed);
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  draw.depth_function = SOFTGPU_COMPARE_ALWAYS;
  uint32_t covered = 0;
  for (int round = 0; round < 1500; ++round) {
    bool perspective = rng->chance(1, 2);
    const ScreenVertex a = any_vertex(perspective), b = any_vertex(perspective), c = any_vertex(perspective);
    clear(0);
    use_depth(-1);
    put({a, b, c});
    run();
    for (uint32_t y = 0; y < kHeight; ++y) {
      for (uint32_t x = 0; x < kWidth; ++x) {
        auto expected = at(a, b, c, x, y);
        ASSERT_EQ(depth(x, y) != -1, expected.has_value()) << "round " << round << " at " << x << ", " << y;
        if (!expected) continue;
        ++covered;
        ASSERT_NEAR(double{depth(x, y)}, expected->depth, 1e-5) << "round " << round << " at " << x << ", " << y;
        for (int channel = 0; channel < 4; ++channel) {
          ASSERT_NEAR(pixel(x, y) >> (8 * channel) & 0xFF, expected->color[channel], 0.51)
              << "round " << round << " at " << x << ", " << y << " channel " << channel;
        }
      }
    }
  }
  EXPECT_GT(covered, 20'000u);
}

// A grid of quadrilaterals whose inner corners lie near their places, never so far that one folds: every pixel is in
// exactly one triangle.
class DrawMeshTest : public DrawRandomTest {
 protected:
  static constexpr uint32_t kCells = 6;

  // Corners in cells; those of the rim stay on it.
  std::vector<std::pair<float, float>> any_grid() {
    std::vector<std::pair<float, float>> grid;
    for (uint32_t i = 0; i <= kCells; ++i) {
      for (uint32_t j = 0; j <= kCells; ++j) {
        bool x_is_inner = j != 0 && j != kCells, y_is_inner = i != 0 && i != kCells;
        grid.emplace_back(static_cast<float>(j) + (x_is_inner ? between(-0.2, 0.2) : 0),
                          static_cast<float>(i) + (y_is_inner ? between(-0.2, 0.2) : 0));
      }
    }
    return grid;
  }
  std::vector<uint16_t> any_triangles() {
    std::vector<uint16_t> indices;
    for (uint32_t i = 0; i < kCells; ++i) {
      for (uint32_t j = 0; j < kCells; ++j) {
        uint32_t at = i * (kCells + 1) + j, below = at + kCells + 1;
        auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
          for (uint32_t index : {a, b, c}) indices.push_back(static_cast<uint16_t>(index));
        };
        if (rng->chance(1, 2)) {
          add(at, at + 1, below);
          add(below, at + 1, below + 1);
        } else {
          add(at, at + 1, below + 1);
          add(below + 1, at, below);
        }
      }
    }
    return indices;
  }
  void count_layers() {
    flags |= SOFTGPU_DRAW_BLEND;
    draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ONE;
    draw.color[0] = draw.color[1] = draw.color[2] = draw.color[3] = 1 / 255.0f;
  }
};

TEST_F(DrawMeshTest, HasNoSeams) {
  const uint64_t seed = base::seed_for_test(5);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  rng.emplace(seed);
  count_layers();
  for (int round = 0; round < 300; ++round) {
    // From a mesh of the target's size to one of which the target is a small part, cut off on all sides.
    const float size = std::vector<float>{16, 40, 1000, 60'000, 1e7f}[rng->below(5)], origin = 8 - size / 2;
    std::vector<ScreenVertex> vertices;
    for (auto [x, y] : any_grid()) {
      vertices.push_back(
          {origin + x * size / kCells, origin + y * size / kCells, 0, between(0.1, 4), 0x01010101, 0, 0});
    }
    put(vertices);
    use_indices(any_triangles());
    clear(0);
    run();
    SCOPED_TRACE("round " + std::to_string(round));
    expect_rectangle(0, 0, kWidth, kHeight, 0x01010101);
    if (HasFatalFailure()) return;
  }
}

// Seen in perspective, from so near that a part is behind the eye.
TEST_F(DrawMeshTest, HasNoSeamsWhereItIsCutByTheNearPlane) {
  const uint64_t seed = base::seed_for_test(6);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  rng.emplace(seed);
  count_layers();
  for (int round = 0; round < 200; ++round) {
    std::vector<ObjectVertex> vertices;
    for (auto [x, y] : any_grid()) vertices.push_back({(x - 3) * 100, -between(1, 1.01), (y - 3) * 30, 0, 0, 0, 0});
    put_objects(vertices);
    draw.diffuse_offset = SOFTGPU_ABSENT;
    const float transform[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, -0.1f, 0};
    std::copy_n(transform, 16, draw.transform);
    use_indices(any_triangles());
    clear(0);
    run();
    for (uint32_t y = 9; y < kHeight; ++y) {  // below the far end of the mesh, whose bumps are smaller than a pixel
      for (uint32_t x = 0; x < kWidth; ++x) ASSERT_EQ(pixel(x, y), 0x01010101u) << round << ": " << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace softgpu
