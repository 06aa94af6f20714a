#include "softgpu/hw/clipper.h"

#include <algorithm>

namespace softgpu {
namespace {

// Smaller than any w that a projection makes, and large enough to divide by.
constexpr double kMinW = 1e-12;

constexpr int kPlanesWithoutDepth = 5, kPlanes = 7;

int planes_of(DepthClip depth) { return depth == DepthClip::Yes ? kPlanes : kPlanesWithoutDepth; }

// How far inside of a plane; negative is outside.
double distance(const Vertex& vertex, int plane) {
  switch (plane) {
    case 0:
      return vertex.w - kMinW;
    case 1:
      return vertex.x + kGuardBand * vertex.w;
    case 2:
      return kGuardBand * vertex.w - vertex.x;
    case 3:
      return vertex.y + kGuardBand * vertex.w;
    case 4:
      return kGuardBand * vertex.w - vertex.y;
    case 5:
      return vertex.z;
    default:
      return vertex.w - vertex.z;
  }
}

unsigned planes_outside(const Vertex& vertex, int planes) {
  unsigned outside = 0;
  for (int plane = 0; plane < planes; ++plane) {
    if (distance(vertex, plane) < 0) outside |= 1u << plane;
  }
  return outside;
}

Vertex between(const Vertex& inside, const Vertex& outside, int plane) {
  double near = distance(inside, plane), far = distance(outside, plane);
  double part = near / (near - far);
  auto mix = [part](auto a, auto b) { return static_cast<decltype(a)>(a + part * (b - a)); };
  Vertex cut;
  cut.drawable = true;
  cut.x = mix(inside.x, outside.x);
  cut.y = mix(inside.y, outside.y);
  cut.z = mix(inside.z, outside.z);
  cut.w = std::max(mix(inside.w, outside.w), kMinW);  // much from much may leave nothing
  for (int i = 0; i < 4; ++i) cut.color[i] = mix(inside.color[i], outside.color[i]);
  for (int i = 0; i < 2; ++i) cut.texcoord[i] = mix(inside.texcoord[i], outside.texcoord[i]);
  return cut;
}

}  // namespace

void Polygon::clip(DepthClip depth) {
  const int planes = planes_of(depth);
  unsigned all = ~0u, any = 0;
  for (int i = 0; i < size_; ++i) {
    unsigned outside = planes_outside(vertices_[i], planes);
    all &= outside;
    any |= outside;
  }
  if (all != 0) size_ = 0;
  for (int plane = 0; plane < planes && size_ != 0; ++plane) {
    if (any & 1u << plane) clip_to(plane);
  }
}

void Polygon::clip_to(int plane) {
  std::array<Vertex, kMaxVertices> kept;
  int count = 0;
  for (int i = 0; i < size_ && count + 2 <= kMaxVertices; ++i) {
    const Vertex& here = vertices_[i];
    const Vertex& next = vertices_[(i + 1) % size_];
    bool is_in = distance(here, plane) >= 0, next_is_in = distance(next, plane) >= 0;
    if (is_in) kept[count++] = here;
    if (is_in != next_is_in) kept[count++] = is_in ? between(here, next, plane) : between(next, here, plane);
  }
  size_ = count >= 3 ? count : 0;
  vertices_ = kept;
}

bool clip_line(Vertex* from, Vertex* to, DepthClip depth) {
  for (int plane = 0; plane < planes_of(depth); ++plane) {
    bool from_is_in = distance(*from, plane) >= 0, to_is_in = distance(*to, plane) >= 0;
    if (!from_is_in && !to_is_in) return false;
    if (from_is_in && !to_is_in) *to = between(*from, *to, plane);
    if (!from_is_in && to_is_in) *from = between(*to, *from, plane);
  }
  return true;
}

bool is_inside(const Vertex& vertex, DepthClip depth) { return planes_outside(vertex, planes_of(depth)) == 0; }

}  // namespace softgpu
