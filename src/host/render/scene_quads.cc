#include "host/render/scene_quads.h"

#include <cmath>

#include "host/render/scene_mesh.h"
#include "host/render/scene_texture.h"

namespace host {
namespace {

constexpr float kWall = 6;      // how far away
constexpr float kApart = 3.1f;  // from one picture's middle to the next
constexpr uint32_t kWood = 0xFF4A3120;

// A gallery: floor and wall, three pictures on it, lamps above them, and panes of glass that sway before them.
class QuadsScene final : public Scene {
 public:
  QuadsScene() {
    // The floor begins behind the eye.
    floor_ = add(quad({-14, 0, -8}, {28, 0, 0}, {0, 0, kWall + 8}, {0, 0}, {14, 7}));
    wall_ = add(shaded_wall());
    for (float x : {-kApart, 0.0f, kApart}) frames_.push_back(add(framed(x)));
    // Beyond its edge the sunset goes on in the colours of the edge.
    pictures_ = {add(picture(-kApart)), add(picture(0)), add(picture(kApart, {-0.15f, -0.15f}, {1.15f, 1.15f}))};
    glow_quad_ = add(quad({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}));
    checker_ = add(checker_texture(64, 32, 0xFFE8DFCB, 0xFF5E4636));
    plaster_ = add(plaster_texture(32));
    ship_ = add(ship_texture());
    sunset_ = add(sunset_texture(64));
    glow_ = add(glow_texture(32, 0xFFE3A0));
  }

  Frame frame(uint32_t number, uint32_t width, uint32_t height) const override {
    const double time = static_cast<double>(number) / kFramesPerSecond;
    Frame frame;
    auto sway = static_cast<float>(0.9 * std::sin(0.8 * time));
    frame.view = look_at({sway, 1.9f, -3.2f}, {0.3f * sway, 1.9f, kWall});
    frame.projection = perspective(0.9, static_cast<double>(width) / height, 0.5, 40);
    frame.clear_color = 0xFF202028;
    hang_pictures(frame, time);
    light_lamps(frame, time);
    sway_panes(frame, time);
    return frame;
  }

 private:
  static Mesh shaded_wall() {
    Mesh mesh = quad({-14, 0, kWall}, {28, 0, 0}, {0, 9, 0}, {0, 0}, {14, 1});
    mesh.colors = {0xFF8C9AA8, 0xFF39404C, 0xFF8C9AA8, 0xFF39404C};
    return mesh;
  }

  static Mesh framed(float x) {
    return shaded_quad({x - 1.2f, 1.0f, kWall - 0.02f}, {2.4f, 0, 0}, {0, 2.4f, 0}, kWood, 0xFF6B4A30);
  }

  static Mesh picture(float x, Vector2 from = {0, 0}, Vector2 to = {1, 1}) {
    return quad({x - 1.05f, 1.15f, kWall - 0.04f}, {2.1f, 0, 0}, {0, 2.1f, 0}, from, to);
  }

  static Draw textured(Use mesh, Use texture, Combine combine, Address address) {
    Draw draw;
    draw.mesh = mesh;
    draw.texture = texture;
    draw.combine = combine;
    draw.address = address;
    draw.cull = Cull::Back;
    return draw;
  }

  void hang_pictures(Frame& frame, double time) const {
    frame.draws.push_back(textured(floor_, checker_, Combine::Texture, Address::Wrap));
    frame.draws.push_back(textured(wall_, plaster_, Combine::Modulate, Address::Mirror));
    for (Use wood : frames_) {
      Draw draw;
      draw.mesh = wood;
      frame.draws.push_back(draw);
    }
    Draw ship = textured(pictures_[0], ship_, Combine::Texture, Address::Clamp);
    ship.filter = Filter::Nearest;
    frame.draws.push_back(ship);
    frame.textures.push_back(plasma_texture(64, 1.5 * time));
    frame.draws.push_back(textured(pictures_[1], {Life::Streamed, 0}, Combine::Texture, Address::Clamp));
    frame.draws.push_back(textured(pictures_[2], sunset_, Combine::Texture, Address::Clamp));
  }

  void light_lamps(Frame& frame, double time) const {
    for (int i = 0; i < 3; ++i) {
      double size = 1.25 + 0.1 * std::sin(3 * time + 2 * i);
      Draw lamp = textured(glow_quad_, glow_, Combine::Texture, Address::Clamp);
      lamp.world = scaling(size, size, 1) * translation(double{kApart} * (i - 1), 3.9, kWall - 0.3);
      lamp.blend = Blend::Add;
      lamp.depth_write = false;
      frame.draws.push_back(lamp);
    }
  }

  // From the far one to the near one; seen from both sides. Their vertices are new in every frame.
  static void sway_panes(Frame& frame, double time) {
    static constexpr uint32_t kColors[] = {0x7040A0E0, 0x70E05060, 0x7060C070};
    for (uint32_t i = 0; i < 3; ++i) {
      double phase = time * (0.9 + 0.2 * i) + 2.1 * i, x = 1.5 * std::sin(phase) - 0.6 + 0.6 * i;
      Mesh pane = shaded_quad({-0.65f, 0, 0}, {1.3f, 0, 0}, {0, 2.1f, 0}, kColors[i], kColors[i] + 0x20000000);
      frame.meshes.push_back(std::move(pane));
      Draw draw;
      draw.mesh = {Life::Streamed, i};
      draw.world = rotation_y(0.7 * std::sin(1.4 * phase)) * translation(x, 0.4, 3.2 - 0.9 * i);
      draw.blend = Blend::Alpha;
      draw.depth_write = false;
      frame.draws.push_back(draw);
    }
  }

  Use floor_, wall_, glow_quad_;
  std::vector<Use> frames_, pictures_;
  Use checker_, plaster_, ship_, sunset_, glow_;
};

}  // namespace

std::unique_ptr<Scene> make_quads_scene() { return std::make_unique<QuadsScene>(); }

}  // namespace host
