#pragma once

#include <cstdint>

namespace host {

struct Vector2 {
  float x = 0, y = 0;
};

struct Vector3 {
  float x = 0, y = 0, z = 0;
};

// For row vectors, as in Direct3D: a point is multiplied from the left, and what comes first stands first in a product.
struct Matrix {
  float m[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
};

inline constexpr double kPi = 3.14159265358979323846;

Matrix operator*(const Matrix& a, const Matrix& b);
Matrix translation(double x, double y, double z);
Matrix scaling(double x, double y, double z);
// By an angle in radians around an axis.
Matrix rotation_x(double angle);
Matrix rotation_y(double angle);
Matrix rotation_z(double angle);
// Left-handed, as Direct3D's: x to the right, y up, z away from the eye; depth from 0 to 1.
Matrix look_at(Vector3 eye, Vector3 target);
Matrix perspective(double vertical_angle, double aspect, double near_z, double far_z);

Vector3 operator-(Vector3 a, Vector3 b);
Vector3 cross(Vector3 a, Vector3 b);
Vector3 normalized(Vector3 v);
double dot(Vector3 a, Vector3 b);

// A colour as A8R8G8B8 has it, of parts from 0 to 1 that are cut to that.
uint32_t argb(double red, double green, double blue, double alpha = 1);
// A bright colour of the circle: 0 and 1 are red.
uint32_t hue_color(double hue, double saturation, double value);

}  // namespace host
