#pragma once

#include <array>

#include "host/scenarios/umd/umd_model.h"

namespace host {

// Draws rectangles of one colour on a device of Direct3D 9, each in one of many ways: with vertices that last or live
// for this draw only, with and without indices, with the vertices' colour or a texture's. Owned by the scenario; used
// on the device's thread.
class UmdPainter {
 public:
  UmdPainter(UmdProcess& process, umd::Device9& device, ScenarioEnvironment& environment)
      : process_(process), device_(device), environment_(environment) {}

  // The state it draws with, and what lasts. False when the driver refused.
  bool begin();
  // On a render target with colours. What only this draw needed is destroyed before it returns, unless `kept` wants it.
  void paint(UmdResource& target, UINT surface, const RECT& rect, uint32_t color,
             std::vector<std::unique_ptr<UmdResource>>* kept = nullptr);
  void end();

 private:
  struct Vertex {
    float x, y, z;
    uint32_t color;
    float u, v;
  };
  using Quad = std::array<Vertex, 4>;

  static Quad quad(uint32_t color);
  HRESULT set_states();
  HRESULT set_target(UmdResource& target, UINT surface, const RECT& rect);
  HRESULT color_comes_from(UINT argument);
  std::unique_ptr<UmdResource> make_texture(uint32_t color);
  HRESULT bind_vertices(uint32_t color, std::unique_ptr<UmdResource>& momentary);
  HRESULT bind_texture(uint32_t color, std::unique_ptr<UmdResource>& momentary);
  HRESULT draw();

  UmdProcess& process_;
  umd::Device9& device_;
  ScenarioEnvironment& environment_;
  HANDLE declaration_ = nullptr;
  std::unique_ptr<UmdResource> vertices_;  // written anew for each draw, discarding what was there
  std::unique_ptr<UmdResource> indices_;
};

}  // namespace host
