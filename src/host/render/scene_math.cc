#include "host/render/scene_math.h"

#include <algorithm>
#include <cmath>

namespace host {
namespace {

float narrow(double value) { return static_cast<float>(value); }

Vector3 vector(double x, double y, double z) { return {narrow(x), narrow(y), narrow(z)}; }

Matrix turn(int from, int to, double angle) {
  Matrix result;
  result.m[from][from] = result.m[to][to] = narrow(std::cos(angle));
  result.m[from][to] = narrow(std::sin(angle));
  result.m[to][from] = narrow(-std::sin(angle));
  return result;
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      double sum = 0;
      for (int i = 0; i < 4; ++i) sum += double{a.m[row][i]} * double{b.m[i][column]};
      product.m[row][column] = narrow(sum);
    }
  }
  return product;
}

Matrix translation(double x, double y, double z) {
  Matrix result;
  result.m[3][0] = narrow(x);
  result.m[3][1] = narrow(y);
  result.m[3][2] = narrow(z);
  return result;
}

Matrix scaling(double x, double y, double z) {
  Matrix result;
  result.m[0][0] = narrow(x);
  result.m[1][1] = narrow(y);
  result.m[2][2] = narrow(z);
  return result;
}

Matrix rotation_x(double angle) { return turn(1, 2, angle); }
Matrix rotation_y(double angle) { return turn(2, 0, angle); }
Matrix rotation_z(double angle) { return turn(0, 1, angle); }

Matrix look_at(Vector3 eye, Vector3 target) {
  Vector3 ahead = normalized(target - eye);
  Vector3 right = normalized(cross({0, 1, 0}, ahead));
  Vector3 up = cross(ahead, right);
  Matrix view;
  const Vector3 axes[] = {right, up, ahead};
  for (int column = 0; column < 3; ++column) {
    view.m[0][column] = axes[column].x;
    view.m[1][column] = axes[column].y;
    view.m[2][column] = axes[column].z;
    view.m[3][column] = narrow(-dot(axes[column], eye));
  }
  return view;
}

Matrix perspective(double vertical_angle, double aspect, double near_z, double far_z) {
  double scale = 1 / std::tan(vertical_angle / 2);
  Matrix projection = scaling(scale / aspect, scale, far_z / (far_z - near_z));
  projection.m[2][3] = 1;
  projection.m[3][2] = narrow(-near_z * far_z / (far_z - near_z));
  projection.m[3][3] = 0;
  return projection;
}

Vector3 operator-(Vector3 a, Vector3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

Vector3 cross(Vector3 a, Vector3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

double dot(Vector3 a, Vector3 b) {
  return double{a.x} * double{b.x} + double{a.y} * double{b.y} + double{a.z} * double{b.z};
}

Vector3 normalized(Vector3 v) {
  double length = std::sqrt(dot(v, v));
  return vector(double{v.x} / length, double{v.y} / length, double{v.z} / length);
}

uint32_t argb(double red, double green, double blue, double alpha) {
  auto part = [](double value) { return static_cast<uint32_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); };
  return part(alpha) << 24 | part(red) << 16 | part(green) << 8 | part(blue);
}

uint32_t hue_color(double hue, double saturation, double value) {
  auto part = [&](double shift) {
    double place = (hue + shift - std::floor(hue + shift)) * 6;
    double strength = std::clamp(std::abs(place - 3) - 1, 0.0, 1.0);
    return value * (1 - saturation * (1 - strength));
  };
  return argb(part(0), part(2.0 / 3), part(1.0 / 3));
}

}  // namespace host
