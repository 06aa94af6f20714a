#pragma once

#include <cstdint>

#include "softgpu/hw/clipper.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/pixel_pipe.h"
#include "softgpu/hw/span.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// Turns primitives into spans of pixels. Owned by the renderer.
//
// Which pixels are covered is decided by integers: corners are rounded to 1/256 pixel, and from there on nothing is. A
// triangle's three edge functions are positive inside,
//
//                 a
//                / \       edge(b, c) at a pixel's centre, of the whole area,
//               / . \      is the weight of a, and so on
//              c-----b
//
// so that the pixels of a row for which all three are not negative form a span, whose ends follow by three divisions.
// An edge that is neither a left one nor a top one has to be positive: of two triangles that share an edge one has it
// as a left or a top one.
class Rasterizer {
 public:
  explicit Rasterizer(PixelPipe& pipe) : pipe_(pipe) {}

  // The draw stays where it is until the next one is begun.
  void begin(const SOFTGPU_DRAW& draw);

  // Vertices are drawable; flat shading is the first one's colour.
  [[nodiscard]] Outcome triangle(const Vertex& a, const Vertex& b, const Vertex& c);
  [[nodiscard]] Outcome line(const Vertex& from, const Vertex& to);
  [[nodiscard]] Outcome point(const Vertex& at);

 private:
  // A vertex on the target.
  struct Corner {
    int64_t x;  // 1/256 pixels
    int64_t y;
    double values[kVaryings];
  };

  [[nodiscard]] Outcome wireframe(const Vertex& a, const Vertex& b, const Vertex& c);
  [[nodiscard]] Outcome fill(const Corner& a, const Corner& b, const Corner& c, const Shading& shading);
  [[nodiscard]] Outcome fill_clockwise(const Corner& a, const Corner& b, const Corner& c, const Shading& shading);
  [[nodiscard]] Outcome dot(int x, int y, const Corner& from, const Corner& to, double part, const Shading& shading);
  [[nodiscard]] Outcome emit(const Span& span);
  [[nodiscard]] Outcome spend(uint64_t work);
  bool culls(double area) const;
  Corner project(const Vertex& vertex) const;
  template <int kCount>
  Shading prepare(const Vertex* const (&vertices)[kCount], Corner (&corners)[kCount]) const;
  void find_bounds();

  PixelPipe& pipe_;
  const SOFTGPU_DRAW* draw_ = nullptr;
  Bounds bounds_;
  DepthClip depth_clip_ = DepthClip::Yes;
  double depth_offset_ = 0;
  double depth_scale_ = 1;
  uint64_t work_left_ = 0;
};

}  // namespace softgpu
