#include "softgpu/hw/renderer.h"

#include <algorithm>

#include "softgpu/proto/softgpu_draw_check.h"

namespace softgpu {
namespace {

Outcome misaligned(uint64_t address, uint32_t bytes, Access access) {
  if (address % bytes == 0) return {};
  return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
}

// Pixels never cross a page.
Outcome check_alignment(const SOFTGPU_DRAW& draw) {
  if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_TARGET)) {
    uint32_t bytes = softgpu_pixel_bytes(draw.target_surface.format);
    if (Outcome fault = misaligned(draw.target, bytes, Access::Write)) return fault;
  }
  if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_DEPTH)) {
    if (Outcome fault = misaligned(draw.depth, 4, Access::Read)) return fault;
  }
  if (!softgpu_draw_uses(&draw, SOFTGPU_DRAW_TEXTURE)) return {};
  return misaligned(draw.texture, softgpu_pixel_bytes(draw.texture_surface.format), Access::Read);
}

void take_color(const Vertex& from, Vertex* vertex) { std::copy_n(from.color, 4, vertex->color); }

}  // namespace

Outcome Renderer::run(const SOFTGPU_DRAW& draw, const View& view) {
  if (Outcome fault = check_alignment(draw)) return fault;
  fetcher_.begin(draw, view);
  pipe_.begin(draw, view);
  rasterizer_.begin(draw);
  return assemble(draw);
}

Outcome Renderer::assemble(const SOFTGPU_DRAW& draw) {
  switch (draw.topology) {
    case SOFTGPU_TOPOLOGY_POINTS:
      return points(draw);
    case SOFTGPU_TOPOLOGY_LINES:
    case SOFTGPU_TOPOLOGY_LINE_STRIP:
      return lines(draw);
    default:
      return triangles(draw);
  }
}

Outcome Renderer::points(const SOFTGPU_DRAW& draw) {
  for (uint32_t i = 0; i < draw.count; ++i) {
    Vertex vertex;
    if (Outcome fault = fetcher_.fetch(i, &vertex)) return fault;
    if (!vertex.drawable) continue;
    if (Outcome fault = rasterizer_.point(vertex)) return fault;
  }
  return {};
}

Outcome Renderer::lines(const SOFTGPU_DRAW& draw) {
  const bool strip = draw.topology == SOFTGPU_TOPOLOGY_LINE_STRIP;
  Vertex from, to;
  for (uint32_t i = 0; i < draw.count; ++i) {
    from = to;
    if (Outcome fault = fetcher_.fetch(i, &to)) return fault;
    bool complete = strip ? i >= 1 : i % 2 == 1;
    if (!complete || !from.drawable || !to.drawable) continue;
    Vertex end = to;
    if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_FLAT)) take_color(from, &end);
    if (Outcome fault = rasterizer_.line(from, end)) return fault;
  }
  return {};
}

// The last two vertices and the new one make a triangle, but for fans, which all share their first vertex.
Outcome Renderer::triangles(const SOFTGPU_DRAW& draw) {
  Vertex hub, oldest, older, newest;
  for (uint32_t i = 0; i < draw.count; ++i) {
    oldest = older;
    older = newest;
    if (Outcome fault = fetcher_.fetch(i, &newest)) return fault;
    if (i == 0) hub = newest;
    if (i < 2) continue;
    Outcome fault;
    switch (draw.topology) {
      case SOFTGPU_TOPOLOGY_TRIANGLES:
        if (i % 3 == 2) fault = draw_triangle(draw, oldest, older, newest);
        break;
      case SOFTGPU_TOPOLOGY_TRIANGLE_STRIP:
        fault = i % 2 == 0 ? draw_triangle(draw, oldest, older, newest) : draw_triangle(draw, oldest, newest, older);
        break;
      default:
        fault = draw_triangle(draw, older, newest, hub);
    }
    if (fault) return fault;
  }
  return {};
}

Outcome Renderer::draw_triangle(const SOFTGPU_DRAW& draw, const Vertex& a, const Vertex& b, const Vertex& c) {
  if (!a.drawable || !b.drawable || !c.drawable) return {};
  if (!softgpu_draw_uses(&draw, SOFTGPU_DRAW_FLAT)) return rasterizer_.triangle(a, b, c);
  Vertex second = b, third = c;
  take_color(a, &second);
  take_color(a, &third);
  return rasterizer_.triangle(a, second, third);
}

}  // namespace softgpu
