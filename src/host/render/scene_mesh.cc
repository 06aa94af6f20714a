#include "host/render/scene_mesh.h"

#include <cmath>

namespace host {
namespace {

Vector3 vector(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

Vector3 plus(Vector3 a, Vector3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

}  // namespace

Mesh quad(Vector3 corner, Vector3 right, Vector3 up, Vector2 from, Vector2 to) {
  Mesh mesh;
  mesh.topology = Topology::Strip;
  mesh.positions = {corner, plus(corner, up), plus(corner, right), plus(plus(corner, right), up)};
  mesh.texcoords = {{from.x, to.y}, {from.x, from.y}, {to.x, to.y}, {to.x, from.y}};
  return mesh;
}

Mesh shaded_quad(Vector3 corner, Vector3 right, Vector3 up, uint32_t lower, uint32_t upper) {
  Mesh mesh = quad(corner, right, up);
  mesh.colors = {lower, upper, lower, upper};
  return mesh;
}

Mesh ring(double thickness, uint32_t steps_around, uint32_t steps_across) {
  Mesh mesh;
  for (uint32_t i = 0; i < steps_around; ++i) {
    double around = 2 * kPi * i / steps_around;
    for (uint32_t j = 0; j < steps_across; ++j) {
      double across = 2 * kPi * j / steps_across;
      double out = std::cos(across), radius = 1 + thickness * out;
      mesh.positions.push_back(
          vector(radius * std::cos(around), radius * std::sin(around), thickness * std::sin(across)));
      mesh.normals.push_back(vector(out * std::cos(around), out * std::sin(around), std::sin(across)));
      mesh.colors.push_back(hue_color(static_cast<double>(i) / steps_around, 0.55, 1));
    }
  }
  for (uint32_t i = 0; i < steps_around; ++i) {
    for (uint32_t j = 0; j < steps_across; ++j) {
      auto at = [&](uint32_t a, uint32_t b) {
        return static_cast<uint16_t>(a % steps_around * steps_across + b % steps_across);
      };
      uint16_t here = at(i, j), next = at(i + 1, j), beside = at(i, j + 1), both = at(i + 1, j + 1);
      mesh.indices.insert(mesh.indices.end(), {here, next, beside, beside, next, both});
    }
  }
  return mesh;
}

Mesh icosahedron(uint32_t color, uint32_t other_color) {
  const double golden = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vector3> corners;
  for (double a : {-1.0, 1.0}) {
    for (double b : {-golden, golden}) {
      corners.push_back(normalized(vector(0, a, b)));
      corners.push_back(normalized(vector(a, b, 0)));
      corners.push_back(normalized(vector(b, 0, a)));
    }
  }
  // Three corners are a face where all of their distances are the shortest that there are.
  auto near = [&](size_t i, size_t j) { return dot(corners[i], corners[j]) > 0.4; };
  Mesh mesh;
  uint32_t faces = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    for (size_t j = i + 1; j < corners.size(); ++j) {
      for (size_t k = j + 1; k < corners.size(); ++k) {
        if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
        Vector3 normal = normalized(plus(plus(corners[i], corners[j]), corners[k]));
        bool clockwise = dot(cross(corners[j] - corners[i], corners[k] - corners[i]), normal) > 0;
        for (size_t corner : {i, clockwise ? j : k, clockwise ? k : j}) {
          mesh.positions.push_back(corners[corner]);
          mesh.normals.push_back(normal);
          bool first = mesh.positions.size() % 3 == 1;
          mesh.colors.push_back(!first ? 0xFF000000 : faces % 2 ? other_color : color);
        }
        ++faces;
      }
    }
  }
  return mesh;
}

}  // namespace host
