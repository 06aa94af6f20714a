#include "host/render/reference_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace host {
namespace {

using Color = std::array<double, 4>;  // red, green, blue, alpha; 0 to 1
using Row = std::array<double, 4>;

struct Vertex {
  Row clip;
  Color color;
  double u = 0, v = 0;
};

// A vertex on the target. What is interpolated in perspective has been divided by w.
struct Corner {
  double x = 0, y = 0, depth = 0, over_w = 0;
  Color color{};
  double u = 0, v = 0;
};

Color color_of(uint32_t argb) {
  auto part = [argb](int shift) { return (argb >> shift & 0xFF) / 255.0; };
  return {part(16), part(8), part(0), part(24)};
}

uint8_t byte_of(double value) { return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); }

Row times(const Row& row, const Matrix& matrix) {
  Row result{};
  for (size_t column = 0; column < 4; ++column) {
    for (size_t i = 0; i < 4; ++i) result[column] += row[i] * double{matrix.m[i][column]};
  }
  return result;
}

Vertex between(const Vertex& a, const Vertex& b, double t) {
  Vertex result;
  for (size_t i = 0; i < 4; ++i) {
    result.clip[i] = a.clip[i] + t * (b.clip[i] - a.clip[i]);
    result.color[i] = a.color[i] + t * (b.color[i] - a.color[i]);
  }
  result.u = a.u + t * (b.u - a.u);
  result.v = a.v + t * (b.v - a.v);
  return result;
}

// What is left of a polygon where `inside` is not negative, which is linear in clip space.
template <typename Inside>
std::vector<Vertex> clipped(const std::vector<Vertex>& polygon, Inside inside) {
  std::vector<Vertex> result;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vertex &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    double at_a = inside(a.clip), at_b = inside(b.clip);
    if (at_a >= 0) result.push_back(a);
    if ((at_a >= 0) != (at_b >= 0)) result.push_back(between(a, b, at_a / (at_a - at_b)));
  }
  return result;
}

double addressed(double coordinate, Address address) {
  switch (address) {
    case Address::Wrap:
      return coordinate - std::floor(coordinate);
    case Address::Mirror: {
      double place = coordinate - 2 * std::floor(coordinate / 2);
      return place <= 1 ? place : 2 - place;
    }
    case Address::Clamp:
      break;
  }
  return std::clamp(coordinate, 0.0, 1.0);
}

// The texel whose number may lie outside.
Color texel(const Texture& texture, double x, double y, Address address) {
  auto index = [address](double number, uint32_t size) {
    double place = addressed((number + 0.5) / size, address) * size;
    return std::min(static_cast<uint32_t>(place), size - 1);
  };
  return color_of(texture.texels[size_t{index(y, texture.height)} * texture.width + index(x, texture.width)]);
}

Color sample(const Texture& texture, double u, double v, Filter filter, Address address) {
  double x = u * texture.width, y = v * texture.height;
  if (filter == Filter::Nearest) return texel(texture, std::floor(x), std::floor(y), address);
  x -= 0.5;
  y -= 0.5;
  double left = std::floor(x), top = std::floor(y), right_part = x - left, lower_part = y - top;
  Color result{};
  for (int i = 0; i < 4; ++i) {
    Color part = texel(texture, left + i % 2, top + i / 2, address);
    double weight = (i % 2 ? right_part : 1 - right_part) * (i / 2 ? lower_part : 1 - lower_part);
    for (size_t c = 0; c < 4; ++c) result[c] += weight * part[c];
  }
  return result;
}

class Raster {
 public:
  Raster(const Scene& scene, const Frame& frame, uint32_t width, uint32_t height)
      : scene_(scene),
        frame_(frame),
        picture_(width, height, Pixel::from_argb(frame.clear_color | 0xFF000000)),
        depth_(size_t{width} * height, 1.0) {}

  void draw(const Draw& draw);
  Picture take() { return std::move(picture_); }

 private:
  Vertex vertex(const Draw& draw, const Mesh& mesh, size_t index) const;
  Color lit(const Draw& draw, const Mesh& mesh, size_t index) const;
  void triangle(const Draw& draw, std::vector<Vertex> corners);
  void fill(const Draw& draw, std::array<Corner, 3> corners);
  void pixel(const Draw& draw, uint32_t x, uint32_t y, const Corner& at);
  Corner on_target(const Vertex& vertex) const;

  const Scene& scene_;
  const Frame& frame_;
  Picture picture_;
  std::vector<double> depth_;
};

// emissive + ambient light * ambient + the sum over lights of max(0, -direction . normal) * light * diffuse
Color Raster::lit(const Draw& draw, const Mesh& mesh, size_t index) const {
  const Vector3& given = mesh.normals[index];
  Row normal = times({double{given.x}, double{given.y}, double{given.z}, 0}, draw.world);
  double length = std::hypot(normal[0], normal[1], normal[2]);
  auto parts = [](const LightColor& color) -> Color {
    return {double{color.red}, double{color.green}, double{color.blue}, 1};
  };
  const Color diffuse = draw.diffuse_of_mesh ? color_of(mesh.colors[index]) : parts(draw.material.diffuse);
  const Color ambient = parts(draw.material.ambient), everywhere = color_of(frame_.ambient);
  Color result = parts(draw.material.emissive);
  for (size_t c = 0; c < 3; ++c) {
    result[c] += everywhere[c] * ambient[c];
    for (const Light& light : frame_.lights) {
      const Vector3& way = light.direction;
      double facing = -(double{way.x} * normal[0] + double{way.y} * normal[1] + double{way.z} * normal[2]) / length;
      result[c] += std::max(0.0, facing) * parts(light.color)[c] * diffuse[c];
    }
    result[c] = std::clamp(result[c], 0.0, 1.0);
  }
  result[3] = diffuse[3];
  return result;
}

Vertex Raster::vertex(const Draw& draw, const Mesh& mesh, size_t index) const {
  const Vector3& position = mesh.positions[index];
  Vertex result;
  Row row{double{position.x}, double{position.y}, double{position.z}, 1};
  result.clip = times(times(times(row, draw.world), frame_.view), frame_.projection);
  result.color = {1, 1, 1, 1};
  if (!mesh.colors.empty()) result.color = color_of(mesh.colors[index]);
  if (draw.lighting) result.color = lit(draw, mesh, index);
  if (!mesh.texcoords.empty()) {
    result.u = double{mesh.texcoords[index].x};
    result.v = double{mesh.texcoords[index].y};
  }
  return result;
}

void Raster::draw(const Draw& draw) {
  const Mesh& mesh = scene_.mesh(frame_, draw.mesh);
  const size_t count = mesh.indices.empty() ? mesh.positions.size() : mesh.indices.size();
  auto at = [&](size_t i) { return vertex(draw, mesh, mesh.indices.empty() ? i : mesh.indices[i]); };
  const size_t step = mesh.topology == Topology::Strip ? 1 : 3;
  for (size_t i = 0; i + 2 < count; i += step) {
    bool turned = mesh.topology == Topology::Strip && i % 2 == 1;
    triangle(draw, {at(i), at(turned ? i + 2 : i + 1), at(turned ? i + 1 : i + 2)});
  }
}

Corner Raster::on_target(const Vertex& vertex) const {
  Corner corner;
  corner.over_w = 1 / vertex.clip[3];
  corner.x = (1 + vertex.clip[0] * corner.over_w) * picture_.width / 2;
  corner.y = (1 - vertex.clip[1] * corner.over_w) * picture_.height / 2;
  corner.depth = vertex.clip[2] * corner.over_w;
  for (size_t c = 0; c < 4; ++c) corner.color[c] = vertex.color[c] * corner.over_w;
  corner.u = vertex.u * corner.over_w;
  corner.v = vertex.v * corner.over_w;
  return corner;
}

void Raster::triangle(const Draw& draw, std::vector<Vertex> corners) {
  if (draw.shade == Shade::Flat) corners[1].color = corners[2].color = corners[0].color;
  corners = clipped(corners, [](const Row& clip) { return clip[2]; });
  corners = clipped(corners, [](const Row& clip) { return clip[3] - clip[2]; });
  for (size_t i = 2; i < corners.size(); ++i) {
    fill(draw, {on_target(corners[0]), on_target(corners[i - 1]), on_target(corners[i])});
  }
}

// Positive to the right of the way from a to b, as it is seen on the target. Exactly the opposite on the way back, so
// that two triangles never both leave out, or both draw, a pixel on the edge that they share.
double side(const Corner& a, const Corner& b, double x, double y) {
  if (std::tie(a.y, a.x) > std::tie(b.y, b.x)) return -side(b, a, x, y);
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

// Of a triangle whose corners go clockwise: its upper edges go to the right, its left ones go up.
bool is_top_or_left(const Corner& a, const Corner& b) { return b.y < a.y || (b.y == a.y && b.x > a.x); }

void Raster::fill(const Draw& draw, std::array<Corner, 3> corners) {
  double area = side(corners[0], corners[1], corners[2].x, corners[2].y);
  if (area == 0 || (area < 0 && draw.cull == Cull::Back)) return;
  if (area < 0) {
    std::swap(corners[1], corners[2]);
    area = -area;
  }
  auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x});
  auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y});
  const double last_x = std::min(std::floor(right), picture_.width - 1.0);
  const double last_y = std::min(std::floor(bottom), picture_.height - 1.0);
  for (double y = std::max(0.0, std::ceil(top)); y <= last_y; ++y) {
    for (double x = std::max(0.0, std::ceil(left)); x <= last_x; ++x) {
      std::array<double, 3> weight;
      bool covered = true;
      for (size_t i = 0; i < 3; ++i) {
        const Corner &a = corners[(i + 1) % 3], &b = corners[(i + 2) % 3];
        double distance = side(a, b, x, y);
        covered &= distance > 0 || (distance == 0 && is_top_or_left(a, b));
        weight[i] = distance / area;
      }
      if (!covered) continue;
      Corner at;
      for (size_t i = 0; i < 3; ++i) {
        at.depth += weight[i] * corners[i].depth;
        at.over_w += weight[i] * corners[i].over_w;
        for (size_t c = 0; c < 4; ++c) at.color[c] += weight[i] * corners[i].color[c];
        at.u += weight[i] * corners[i].u;
        at.v += weight[i] * corners[i].v;
      }
      pixel(draw, static_cast<uint32_t>(x), static_cast<uint32_t>(y), at);
    }
  }
}

void Raster::pixel(const Draw& draw, uint32_t x, uint32_t y, const Corner& at) {
  double& depth = depth_[size_t{y} * picture_.width + x];
  if (draw.depth_test && at.depth > depth) return;
  if (draw.depth_test && draw.depth_write) depth = at.depth;
  Color color = at.color;
  for (double& part : color) part /= at.over_w;
  if (draw.texture) {
    Color texel =
        sample(scene_.texture(frame_, *draw.texture), at.u / at.over_w, at.v / at.over_w, draw.filter, draw.address);
    for (size_t c = 0; c < 4; ++c) color[c] = draw.combine == Combine::Modulate ? texel[c] * color[c] : texel[c];
  }
  Pixel& target = picture_.at(x, y);
  if (draw.blend != Blend::None) {
    const double keep = draw.blend == Blend::Alpha ? 1 - color[3] : 1;
    const double below[] = {target.red / 255.0, target.green / 255.0, target.blue / 255.0};
    for (size_t c = 0; c < 3; ++c) color[c] = color[c] * color[3] + below[c] * keep;
  }
  target = {byte_of(color[0]), byte_of(color[1]), byte_of(color[2]), 255};
}

}  // namespace

Picture reference_picture(const Scene& scene, const Frame& frame, uint32_t width, uint32_t height) {
  Raster raster(scene, frame, width, height);
  for (const Draw& draw : frame.draws) raster.draw(draw);
  return raster.take();
}

}  // namespace host
