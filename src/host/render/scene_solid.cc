#include "host/render/scene_solid.h"

#include "host/render/scene_mesh.h"

namespace host {
namespace {

class SolidScene final : public Scene {
 public:
  SolidScene()
      : backdrop_(
            add(shaded_quad({-60, -18, 20}, {120, 0, 0}, {0, 36, 0}, argb(0.10, 0.13, 0.22), argb(0.42, 0.36, 0.52)))),
        outer_(add(ring(0.085, 96, 20))),
        inner_(add(ring(0.11, 72, 20))),
        core_(add(icosahedron(argb(0.95, 0.62, 0.30), argb(0.98, 0.85, 0.52)))) {}

  Frame frame(uint32_t number, uint32_t width, uint32_t height) const override {
    const double turn = 2 * kPi * number / (6 * kFramesPerSecond);
    Frame frame;
    frame.view = look_at({0, 0.6f, -6.5f}, {0, 0, 0});
    frame.projection = perspective(kPi / 4, static_cast<double>(width) / height, 1, 40);
    frame.ambient = argb(0.16, 0.16, 0.22);
    frame.lights = {{normalized({0.6f, -0.9f, 0.8f}), {0.95f, 0.88f, 0.76f}},
                    {normalized({-0.5f, 0.9f, 0.7f}), {0.34f, 0.36f, 0.52f}}};
    Draw backdrop;
    backdrop.mesh = backdrop_;
    backdrop.depth_test = backdrop.depth_write = false;
    frame.draws.push_back(backdrop);
    frame.draws.push_back(lit(outer_, scaling(2.05, 2.05, 2.05) * rotation_x(0.5) * rotation_y(turn)));
    frame.draws.push_back(lit(inner_, scaling(1.55, 1.55, 1.55) * rotation_x(2 * turn + 0.9) * rotation_z(0.6)));
    Draw core = lit(core_, rotation_y(-2 * turn) * rotation_x(0.4) * rotation_z(turn));
    core.shade = Shade::Flat;
    frame.draws.push_back(core);
    return frame;
  }

 private:
  static Draw lit(Use mesh, const Matrix& world) {
    Draw draw;
    draw.mesh = mesh;
    draw.world = world;
    draw.cull = Cull::Back;
    draw.lighting = true;
    draw.diffuse_of_mesh = true;
    draw.material.ambient = {0.9f, 0.9f, 1.0f};
    draw.material.emissive = {0.02f, 0.01f, 0.03f};
    return draw;
  }

  const Use backdrop_;
  const Use outer_;
  const Use inner_;
  const Use core_;
};

}  // namespace

std::unique_ptr<Scene> make_solid_scene() { return std::make_unique<SolidScene>(); }

}  // namespace host
