#include "host/render/scene_confetti.h"

#include <cmath>

#include "base/rng.h"
#include "host/render/scene_mesh.h"

namespace host {
namespace {

constexpr uint32_t kPieces = 320;
constexpr uint32_t kTexels = 8;  // of a piece, on each axis
constexpr double kHeight = 7;    // that a piece falls before it is thrown again

// What never changes about a piece.
struct Piece {
  double x, y, z, speed, spin, tilt, hue;
  uint32_t pattern;
};

double between(base::Rng& rng, double low, double high) {
  return low + (high - low) * static_cast<double>(rng.below(1u << 20)) / (1u << 20);
}

Piece piece(uint32_t number) {
  base::Rng rng = base::Rng(2026).split("confetti", number);
  return {.x = between(rng, -4.2, 4.2),
          .y = between(rng, 0, kHeight),
          .z = between(rng, 0, 5),
          .speed = between(rng, 0.7, 1.6),
          .spin = between(rng, 1.5, 5),
          .tilt = between(rng, 0, 2 * kPi),
          .hue = between(rng, 0, 1),
          .pattern = static_cast<uint32_t>(rng.below(4))};
}

// Plain, striped, checkered, or dotted.
Texture texture_of(const Piece& piece) {
  const uint32_t paper = hue_color(piece.hue, 0.75, 1), ink = hue_color(piece.hue + 0.08, 0.35, 1);
  Texture texture{kTexels, kTexels, {}};
  for (uint32_t y = 0; y < kTexels; ++y) {
    for (uint32_t x = 0; x < kTexels; ++x) {
      const bool inked[] = {false, (x + y) / 2 % 2 == 1, (x / 2 + y / 2) % 2 == 1, x % 4 / 2 == 1 && y % 4 / 2 == 1};
      texture.texels.push_back(inked[piece.pattern] ? ink : paper);
    }
  }
  return texture;
}

class ConfettiScene final : public Scene {
 public:
  ConfettiScene()
      : backdrop_(
            add(shaded_quad({-40, -10, 12}, {80, 0, 0}, {0, 20, 0}, argb(0.98, 0.93, 0.86), argb(0.62, 0.78, 0.90)))) {}

  Frame frame(uint32_t number, uint32_t width, uint32_t height) const override {
    const double time = static_cast<double>(number) / kFramesPerSecond;
    Frame frame;
    frame.view = look_at({0, 0, -5}, {0, 0, 0});
    frame.projection = perspective(kPi / 4, static_cast<double>(width) / height, 1, 40);
    Draw backdrop;
    backdrop.mesh = backdrop_;
    backdrop.depth_test = backdrop.depth_write = false;
    frame.draws.push_back(backdrop);
    for (uint32_t i = 0; i < kPieces; ++i) throw_piece(frame, piece(i), time);
    return frame;
  }

 private:
  static void throw_piece(Frame& frame, const Piece& piece, double time) {
    const double fallen = piece.y + piece.speed * time;
    const double y = kHeight / 2 - (fallen - kHeight * std::floor(fallen / kHeight));
    const double x = piece.x + 0.25 * std::sin(1.7 * time + piece.tilt);
    Draw draw;
    draw.world =
        rotation_x(piece.spin * time + piece.tilt) * rotation_z(piece.tilt + 0.6 * time) * translation(x, y, piece.z);
    // The more it faces the eye, the brighter it is.
    const double facing = std::abs(std::cos(piece.spin * time + piece.tilt)), bright = 0.62 + 0.38 * facing;
    Mesh mesh = quad({-0.11f, -0.08f, 0}, {0.22f, 0, 0}, {0, 0.16f, 0});
    mesh.colors.assign(4, argb(bright, bright, bright));
    draw.mesh = {Life::Momentary, static_cast<uint32_t>(frame.meshes.size())};
    draw.texture = Use{Life::Momentary, static_cast<uint32_t>(frame.textures.size())};
    draw.address = Address::Clamp;
    frame.meshes.push_back(std::move(mesh));
    frame.textures.push_back(texture_of(piece));
    frame.draws.push_back(draw);
  }

  const Use backdrop_;
};

}  // namespace

std::unique_ptr<Scene> make_confetti_scene() { return std::make_unique<ConfettiScene>(); }

}  // namespace host
