#pragma once

#include <array>

#include "softgpu/hw/vertex_fetcher.h"

namespace softgpu {

// Positions farther than this from the target's origin are cut off, so that a place on the target always fits the
// rasteriser's integers. In pixels, and farther than any target reaches.
constexpr double kGuardBand = 16384;

enum class DepthClip { No, Yes };

// A convex polygon: a triangle, and what clipping leaves of it.
class Polygon {
 public:
  // Each of seven planes adds one; more only where rounding has bent an edge.
  static constexpr int kMaxVertices = 16;

  Polygon(const Vertex& a, const Vertex& b, const Vertex& c) : vertices_{a, b, c}, size_(3) {}

  // To w above 0, to the guard band, and to 0 <= z <= w. Where an edge is cut is the same from both of its sides, so
  // that triangles which share it still do.
  void clip(DepthClip depth);

  int size() const { return size_; }
  const Vertex& operator[](int index) const { return vertices_[index]; }

 private:
  void clip_to(int plane);

  std::array<Vertex, kMaxVertices> vertices_;
  int size_;
};

// The same for a line; false when nothing is left.
bool clip_line(Vertex* from, Vertex* to, DepthClip depth);

// The same for a point: whether it stays.
bool is_inside(const Vertex& vertex, DepthClip depth);

}  // namespace softgpu
