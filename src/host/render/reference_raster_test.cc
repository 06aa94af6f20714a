#include "host/render/reference_raster.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "host/render/scene_mesh.h"

namespace host {
namespace {

constexpr uint32_t kSize = 16;

// One mesh and one texture, drawn in coordinates of the target: x and y in pixels, z is the depth.
class OneMesh final : public Scene {
 public:
  explicit OneMesh(Mesh mesh, Texture texture = {}) {
    draw_.mesh = add(std::move(mesh));
    if (!texture.texels.empty()) draw_.texture = add(std::move(texture));
  }

  Frame frame(uint32_t, uint32_t width, uint32_t height) const override {
    Frame frame;
    frame.projection = scaling(2.0 / width, -2.0 / height, 1) * translation(-1, 1, 0);
    frame.draws.push_back(draw_);
    return frame;
  }
  Draw& draw() { return draw_; }
  Picture picture() const { return reference_picture(*this, frame(0, kSize, kSize), kSize, kSize); }

 private:
  Draw draw_;
};

Mesh triangles(std::vector<Vector3> positions, uint32_t color = 0xFFFFFFFF) {
  Mesh mesh;
  mesh.colors.assign(positions.size(), color);
  mesh.positions = std::move(positions);
  return mesh;
}

// The whole target, with texture coordinates from 0 to 1 between the corners.
Mesh whole(float size = kSize) {
  Mesh mesh;
  mesh.topology = Topology::Strip;
  mesh.positions = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {size, size, 0}};
  mesh.texcoords = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  return mesh;
}

uint32_t white_pixels(const Picture& picture) {
  uint32_t count = 0;
  for (const Pixel& pixel : picture.pixels) count += pixel == Pixel{255, 255, 255, 255};
  return count;
}

TEST(ReferenceRaster, CentresLieAtWholeCoordinates) {
  OneMesh scene(triangles({{2, 3, 0}, {6, 3, 0}, {2, 7, 0}}));
  Picture picture = scene.picture();
  EXPECT_EQ(picture.at(2, 3).red, 255) << "on the corner of a top and a left edge";
  EXPECT_EQ(picture.at(5, 3).red, 255);
  EXPECT_EQ(picture.at(6, 3).red, 0) << "on the right edge";
  EXPECT_EQ(picture.at(2, 7).red, 0);
  EXPECT_EQ(white_pixels(picture), 10u);
}

// Triangles that share edges and corners, some of them through centres of pixels: each pixel once.
TEST(ReferenceRaster, WhatTrianglesShareIsDrawnOnce) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    base::Rng rng(seed);
    Vector3 middle{static_cast<float>(rng.below(28)) / 2 + 1, static_cast<float>(rng.below(28)) / 2 + 1, 0};
    const Vector3 corners[] = {{0, 0, 0}, {kSize, 0, 0}, {kSize, kSize, 0}, {0, kSize, 0}};
    std::vector<Vector3> fan;
    for (int i = 0; i < 4; ++i) fan.insert(fan.end(), {corners[i], corners[(i + 1) % 4], middle});
    OneMesh scene(triangles(fan, 0xFF404040));
    scene.draw().blend = Blend::Add;
    scene.draw().depth_test = false;
    for (const Pixel& pixel : scene.picture().pixels) ASSERT_EQ(pixel.red, 0x40) << "seed " << seed;
  }
}

TEST(ReferenceRaster, CullsWhatGoesTheOtherWayRound) {
  for (bool clockwise : {true, false}) {
    Vector3 a{8, 0, 0}, b{0, 8, 0};
    OneMesh scene(triangles({{0, 0, 0}, clockwise ? a : b, clockwise ? b : a}));
    EXPECT_GT(white_pixels(scene.picture()), 0u);
    scene.draw().cull = Cull::Back;
    EXPECT_EQ(white_pixels(scene.picture()) > 0, clockwise);
  }
}

TEST(ReferenceRaster, TheNearerOneIsSeen) {
  Mesh mesh = triangles({{0, 0, 0.5f}, {32, 0, 0.5f}, {0, 32, 0.5f}, {0, 0, 0.6f}, {32, 0, 0.6f}, {0, 32, 0.6f}});
  for (size_t i = 3; i < 6; ++i) mesh.colors[i] = 0xFF000000;
  OneMesh scene(mesh);
  EXPECT_EQ(white_pixels(scene.picture()), kSize * kSize);
  scene.draw().depth_write = false;
  EXPECT_EQ(white_pixels(scene.picture()), 0u);
}

// Half way along a floor on the target is not half way along the floor.
TEST(ReferenceRaster, CoordinatesAreCorrectInPerspective) {
  Mesh floor = quad({-1, 0, 1}, {2, 0, 0}, {0, 0, 3}, {0, 0}, {1, 1});
  Texture ramp{1, 256, {}};
  for (uint32_t i = 0; i < 256; ++i) ramp.texels.push_back(0xFF000000 | i);
  OneMesh scene(floor, ramp);
  scene.draw().combine = Combine::Texture;
  scene.draw().address = Address::Clamp;
  Frame frame = scene.frame(0, kSize, kSize);
  frame.view = look_at({0, 1, 0}, {0, 1, 1});
  frame.projection = perspective(kPi / 2, 1, 0.5, 10);
  Picture picture = reference_picture(scene, frame, kSize, kSize);
  // At distance d the floor is seen at y = 8 + 8 / d; v goes from 1 at distance 1 to 0 at distance 4.
  for (uint32_t y : {11u, 12u, 14u}) {
    double distance = 8.0 / (y - 8), v = 1 - (distance - 1) / 3;
    EXPECT_NEAR(picture.at(8, y).blue, v * 256 - 0.5, 1.01) << y;
  }
}

TEST(ReferenceRaster, WhatLiesBehindTheEyeIsCutOff) {
  Mesh floor = quad({-50, 0, -50}, {100, 0, 0}, {0, 0, 100});
  floor.colors.assign(4, 0xFFFFFFFF);
  OneMesh scene(floor);
  Frame frame = scene.frame(0, kSize, kSize);
  frame.view = look_at({0, 1, 0}, {0, 1, 1});
  frame.projection = perspective(kPi / 2, 1, 0.01, 1000);
  Picture picture = reference_picture(scene, frame, kSize, kSize);
  for (uint32_t y = 0; y < kSize; ++y) EXPECT_EQ(picture.at(3, y).red, y > 8 ? 255 : 0) << y;
}

TEST(ReferenceRaster, FiltersBetweenCentresOfTexels) {
  OneMesh scene(whole(), {2, 1, {0xFF000000, 0xFFFF0000}});
  scene.draw().combine = Combine::Texture;
  scene.draw().address = Address::Clamp;
  Picture picture = scene.picture();
  EXPECT_EQ(picture.at(2, 8).red, 0);
  EXPECT_EQ(picture.at(8, 8).red, 128);
  EXPECT_EQ(picture.at(10, 8).red, 191);
  EXPECT_EQ(picture.at(13, 8).red, 255);
  scene.draw().address = Address::Wrap;
  EXPECT_EQ(scene.picture().at(0, 8).red, 128) << "half way to the last texel";
  scene.draw().address = Address::Mirror;
  EXPECT_EQ(scene.picture().at(0, 8).red, 0);
  scene.draw().filter = Filter::Nearest;
  EXPECT_EQ(scene.picture().at(7, 8).red, 0);
  EXPECT_EQ(scene.picture().at(8, 8).red, 255);
}

TEST(ReferenceRaster, LightsByTheAngle) {
  Mesh mesh = triangles({{0, 0, 0}, {32, 0, 0}, {0, 32, 0}});
  mesh.normals.assign(3, {0, 0, -2});
  OneMesh scene(mesh);
  scene.draw().lighting = true;
  scene.draw().material.diffuse = {0.5f, 1, 1};
  scene.draw().material.emissive = {0, 0, 0.25f};
  Frame frame = scene.frame(0, kSize, kSize);
  frame.ambient = 0xFF330000;
  frame.lights = {{normalized({0, 1.7320508f, 1}), {1, 1, 0}}, {{0, 0, -1}, {1, 1, 1}}};
  Pixel seen = reference_picture(scene, frame, kSize, kSize).at(4, 4);
  EXPECT_NEAR(seen.red, 0x33 + 64, 1) << "ambient, and half of a half";
  EXPECT_NEAR(seen.green, 128, 1);
  EXPECT_NEAR(seen.blue, 64, 1) << "its own; the other light comes from behind";
}

TEST(ReferenceRaster, FlatTrianglesHaveTheColourOfTheirFirstVertex) {
  Mesh mesh = triangles({{0, 0, 0}, {32, 0, 0}, {0, 32, 0}}, 0xFF000000);
  mesh.colors[0] = 0xFFFFFFFF;
  OneMesh scene(mesh);
  EXPECT_LT(white_pixels(scene.picture()), 4u);
  scene.draw().shade = Shade::Flat;
  EXPECT_EQ(white_pixels(scene.picture()), kSize * kSize);
}

TEST(ReferenceRaster, BlendsByAlpha) {
  OneMesh scene(triangles({{0, 0, 0}, {32, 0, 0}, {0, 32, 0}}, 0x40FF0000));
  scene.draw().blend = Blend::Alpha;
  Frame frame = scene.frame(0, kSize, kSize);
  frame.clear_color = 0xFF0000FF;
  EXPECT_EQ(reference_picture(scene, frame, kSize, kSize).at(1, 1), (Pixel{64, 0, 191, 255}));
}

}  // namespace
}  // namespace host
