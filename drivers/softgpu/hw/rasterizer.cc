#include "softgpu/hw/rasterizer.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "softgpu/proto/softgpu_draw_check.h"

namespace softgpu {
namespace {

constexpr int64_t kSubpixels = 256;
constexpr int64_t kCenter = kSubpixels / 2;

// To the nearest, for values inside of the guard band; without the C library, whose rounding has modes.
int64_t to_subpixels(double pixels) {
  constexpr double kBias = 1 << 30;  // makes everything positive, where conversion is floor
  return static_cast<int64_t>(pixels * static_cast<double>(kSubpixels) + 0.5 + kBias) - int64_t{1 << 30};
}

int64_t floor_divide(int64_t a, int64_t b) {  // b is positive
  int64_t quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

int64_t ceil_divide(int64_t a, int64_t b) { return -floor_divide(-a, b); }

// The first row or column whose centre is not before `position`.
int first_center(int64_t position) { return static_cast<int>(ceil_divide(position - kCenter, kSubpixels)); }

int64_t center_of(int pixel) { return pixel * kSubpixels + kCenter; }

// The first one of a target whose centre is not before `position`; 0 where that is no number.
int first_pixel(double position) {
  if (!(position > 0)) return 0;
  return first_center(to_subpixels(std::min<double>(position, SOFTGPU_SURFACE_MAX)));
}

// One edge, as a function of pixels.
struct Edge {
  int64_t right;  // how much it grows by one pixel to the right
  int64_t down;
  int64_t origin;  // at the centre of pixel (0, 0)
  int64_t bias;    // 1 where 0 is outside

  template <typename Corner>
  Edge(const Corner& a, const Corner& b) {
    int64_t dx = b.x - a.x, dy = b.y - a.y;
    right = -dy * kSubpixels;
    down = dx * kSubpixels;
    origin = dx * (kCenter - a.y) - dy * (kCenter - a.x);
    bool is_top_or_left = dy < 0 || (dy == 0 && dx > 0);
    bias = is_top_or_left ? 0 : 1;
  }

  int64_t at(int x, int y) const { return origin + right * x + down * y; }

  // Narrows the columns [*first, *end) of a row to those inside.
  void narrow(int y, int64_t* first, int64_t* end) const {
    int64_t value = origin + down * y - bias;
    if (right > 0) {
      *first = std::max(*first, ceil_divide(-value, right));
    } else if (right < 0) {
      *end = std::min(*end, floor_divide(value, -right) + 1);
    } else if (value < 0) {
      *end = *first;
    }
  }
};

// Twice the area; positive where the corners go clockwise.
template <typename Corner>
int64_t area_of(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool same_colors(const Vertex& a, const Vertex& b) { return std::equal(a.color, a.color + 4, b.color); }

float narrow(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(value > kMost ? kMost : value < -kMost ? -kMost : value);
}

}  // namespace

void Rasterizer::begin(const SOFTGPU_DRAW& draw) {
  draw_ = &draw;
  bool on_target = draw.position_kind == SOFTGPU_POSITION_SCREEN;
  depth_clip_ = on_target || softgpu_draw_uses(&draw, SOFTGPU_DRAW_NO_DEPTH_CLIP) ? DepthClip::No : DepthClip::Yes;
  depth_offset_ = on_target ? 0 : double{draw.viewport.min_z};
  depth_scale_ = on_target ? 1 : double{draw.viewport.max_z} - double{draw.viewport.min_z};
  work_left_ = SOFTGPU_DRAW_MAX_WORK;
  find_bounds();
}

void Rasterizer::find_bounds() {
  const SOFTGPU_VIEWPORT& viewport = draw_->viewport;
  const SOFTGPU_RECT& scissor = draw_->scissor;
  double center = softgpu_draw_uses(draw_, SOFTGPU_DRAW_WHOLE_CENTERS) ? 0.5 : 0;
  double left = double{viewport.x} + center, top = double{viewport.y} + center;
  bounds_.left = std::max(first_pixel(left), scissor.left);
  bounds_.top = std::max(first_pixel(top), scissor.top);
  bounds_.right = std::min(
      {first_pixel(left + double{viewport.width}), scissor.right, static_cast<int>(draw_->target_surface.width)});
  bounds_.bottom = std::min(
      {first_pixel(top + double{viewport.height}), scissor.bottom, static_cast<int>(draw_->target_surface.height)});
}

Outcome Rasterizer::spend(uint64_t work) {
  if (work > work_left_) return Fault{SOFTGPU_FAULT_COMMAND, Access::Execute, 0};
  work_left_ -= work;
  return {};
}

Outcome Rasterizer::emit(const Span& span) {
  if (Outcome fault = spend(static_cast<uint64_t>(span.count))) return fault;
  return pipe_.draw(span);
}

bool Rasterizer::culls(double area) const {
  return (draw_->cull == SOFTGPU_CULL_CW && area > 0) || (draw_->cull == SOFTGPU_CULL_CCW && area < 0);
}

Rasterizer::Corner Rasterizer::project(const Vertex& vertex) const {
  Corner corner;
  double inverse = 1 / vertex.w;
  corner.x = to_subpixels(std::clamp(vertex.x * inverse, -kGuardBand, kGuardBand));  // cuts were rounded
  corner.y = to_subpixels(std::clamp(vertex.y * inverse, -kGuardBand, kGuardBand));
  corner.values[kDepth] = depth_offset_ + vertex.z * inverse * depth_scale_;
  corner.values[kInverseW] = inverse;
  for (int i = 0; i < 4; ++i) corner.values[kFirstColor + i] = double{vertex.color[i]};
  for (int i = 0; i < 2; ++i) corner.values[kFirstTexcoord + i] = double{vertex.texcoord[i]};
  return corner;
}

// The corners of a primitive, and what its varyings need: those that do not differ are not worked on.
template <int kCount>
Shading Rasterizer::prepare(const Vertex* const (&vertices)[kCount], Corner (&corners)[kCount]) const {
  Shading shading;
  shading.constant_colors = true;
  for (int i = 0; i < kCount; ++i) {
    corners[i] = project(*vertices[i]);
    shading.constant_colors &= same_colors(*vertices[0], *vertices[i]);
    shading.perspective |= corners[i].values[kInverseW] != corners[0].values[kInverseW];
  }
  if (!shading.perspective) return shading;
  for (Corner& corner : corners) {
    for (int i = shading.constant_colors ? kFirstTexcoord : kFirstColor; i < kVaryings; ++i)
      corner.values[i] *= corner.values[kInverseW];
  }
  return shading;
}

Outcome Rasterizer::triangle(const Vertex& a, const Vertex& b, const Vertex& c) {
  if (bounds_.empty()) return {};
  if (draw_->fill == SOFTGPU_FILL_WIREFRAME) return wireframe(a, b, c);
  Polygon polygon(a, b, c);
  polygon.clip(depth_clip_);
  for (int i = 2; i < polygon.size(); ++i) {
    Corner corners[3];
    Shading shading = prepare({&polygon[0], &polygon[i - 1], &polygon[i]}, corners);
    if (Outcome fault = fill(corners[0], corners[1], corners[2], shading)) return fault;
  }
  return {};
}

Outcome Rasterizer::wireframe(const Vertex& a, const Vertex& b, const Vertex& c) {
  double area = a.x * (b.y * c.w - c.y * b.w) - a.y * (b.x * c.w - c.x * b.w) + a.w * (b.x * c.y - c.x * b.y);
  if (culls(area)) return {};
  if (Outcome fault = line(a, b)) return fault;
  if (Outcome fault = line(b, c)) return fault;
  return line(c, a);
}

Outcome Rasterizer::fill(const Corner& a, const Corner& b, const Corner& c, const Shading& shading) {
  const int64_t area = area_of(a, b, c);
  if (area == 0 || culls(static_cast<double>(area))) return {};
  return area > 0 ? fill_clockwise(a, b, c, shading) : fill_clockwise(a, c, b, shading);
}

Outcome Rasterizer::fill_clockwise(const Corner& a, const Corner& b, const Corner& c, const Shading& shading) {
  const Corner* corners[3] = {&a, &b, &c};
  const Edge edges[3] = {Edge(b, c), Edge(c, a), Edge(a, b)};
  const double inverse_area = 1 / static_cast<double>(area_of(a, b, c));
  Span span;
  span.shading = shading;
  for (int value = 0; value < kVaryings; ++value) {
    double step = 0;
    for (int i = 0; i < 3; ++i) step += static_cast<double>(edges[i].right) * inverse_area * corners[i]->values[value];
    span.step[value] = narrow(step);
  }

  int first_row = std::max(bounds_.top, first_center(std::min({a.y, b.y, c.y})));
  int end_row = std::min(bounds_.bottom, first_center(std::max({a.y, b.y, c.y}) + 1));
  for (span.y = first_row; span.y < end_row; ++span.y) {
    if (Outcome fault = spend(SOFTGPU_DRAW_ROW_WORK)) return fault;
    int64_t first = bounds_.left, end = bounds_.right;
    for (const Edge& edge : edges) edge.narrow(span.y, &first, &end);
    if (first >= end) continue;
    span.x = static_cast<int>(first);
    span.count = static_cast<int>(end - first);
    double weights[3];
    for (int i = 0; i < 3; ++i) weights[i] = static_cast<double>(edges[i].at(span.x, span.y)) * inverse_area;
    for (int value = 0; value < kVaryings; ++value) {
      span.start[value] =
          narrow(weights[0] * a.values[value] + weights[1] * b.values[value] + weights[2] * c.values[value]);
    }
    if (Outcome fault = emit(span)) return fault;
  }
  return {};
}

Outcome Rasterizer::line(const Vertex& from, const Vertex& to) {
  if (bounds_.empty()) return {};
  Vertex start = from, end = to;
  if (!clip_line(&start, &end, depth_clip_)) return {};
  Corner ends[2];
  Shading shading = prepare({&start, &end}, ends);

  const int64_t dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y;
  const bool along_x = std::abs(dx) >= std::abs(dy);
  const int64_t length = along_x ? dx : dy, across = along_x ? dy : dx;
  if (length == 0) return {};
  const int64_t begin = along_x ? ends[0].x : ends[0].y, aside = along_x ? ends[0].y : ends[0].x;

  // Pixels whose centres lie in [begin, begin + length), or in (begin + length, begin] where it goes backwards.
  int first = length > 0 ? first_center(begin) : first_center(begin + length + 1);
  int last = length > 0 ? first_center(begin + length) : first_center(begin + 1);
  first = std::max(first, along_x ? bounds_.left : bounds_.top);
  last = std::min(last, along_x ? bounds_.right : bounds_.bottom);
  for (int step = first; step < last; ++step) {
    int64_t gone = center_of(step) - begin;
    int64_t sign = length > 0 ? 1 : -1;
    int64_t position = floor_divide(sign * (aside * length + across * gone), sign * length);
    auto other = static_cast<int>(floor_divide(position, kSubpixels));
    int x = along_x ? step : other, y = along_x ? other : step;
    double part = static_cast<double>(gone) / static_cast<double>(length);
    if (Outcome fault = dot(x, y, ends[0], ends[1], part, shading)) return fault;
  }
  return {};
}

Outcome Rasterizer::dot(int x, int y, const Corner& from, const Corner& to, double part, const Shading& shading) {
  if (Outcome fault = spend(SOFTGPU_DRAW_ROW_WORK)) return fault;
  if (!bounds_.contains(x, y)) return {};
  Span span;
  span.x = x;
  span.y = y;
  span.count = 1;
  span.shading = shading;
  for (int i = 0; i < kVaryings; ++i) span.start[i] = narrow(from.values[i] + part * (to.values[i] - from.values[i]));
  return emit(span);
}

Outcome Rasterizer::point(const Vertex& at) {
  if (bounds_.empty() || !is_inside(at, depth_clip_)) return {};
  Corner corners[1];
  Span span;
  span.shading = prepare({&at}, corners);
  for (int i = 0; i < kVaryings; ++i) span.start[i] = narrow(corners[0].values[i]);

  float size = draw_->point_size > 1 ? std::min<float>(draw_->point_size, SOFTGPU_POINT_MAX) : 1;
  int64_t whole = to_subpixels(double{size}), before = whole / 2;
  int end_x = std::min(bounds_.right, first_center(corners[0].x - before + whole));
  int end_row = std::min(bounds_.bottom, first_center(corners[0].y - before + whole));
  span.x = std::max(bounds_.left, first_center(corners[0].x - before));
  span.count = end_x - span.x;
  if (span.count <= 0) return {};
  for (span.y = std::max(bounds_.top, first_center(corners[0].y - before)); span.y < end_row; ++span.y) {
    if (Outcome fault = spend(SOFTGPU_DRAW_ROW_WORK)) return fault;
    if (Outcome fault = emit(span)) return fault;
  }
  return {};
}

}  // namespace softgpu
