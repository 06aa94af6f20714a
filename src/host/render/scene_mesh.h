#pragma once

#include "host/render/scene.h"

namespace host {

// Corner, and the two edges that lead away from it; seen from the side where `right` goes right and `up` goes up. The
// texture stands upright and goes from `from` to `to`.
Mesh quad(Vector3 corner, Vector3 right, Vector3 up, Vector2 from = {0, 0}, Vector2 to = {1, 1});
// A quad of two colours: one for the lower edge, one for the upper.
Mesh shaded_quad(Vector3 corner, Vector3 right, Vector3 up, uint32_t lower, uint32_t upper);
// A ring around the z axis, of radius 1, in all the colours of the circle.
Mesh ring(double thickness, uint32_t steps_around, uint32_t steps_across);
// Twenty triangles of radius 1 in two colours. Only the first vertex of each has its colour: for Shade::Flat.
Mesh icosahedron(uint32_t color, uint32_t other_color);

}  // namespace host
