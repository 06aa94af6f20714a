#pragma once

#include "host/render/scene.h"
#include "host/scenarios/umd/device_calls9.h"
#include "umd/d3d9/device9.h"

namespace host {

// The states of a device that a scene needs, by the fixed-function pipeline of Direct3D 9. A driver is told every state
// that counts: no default of the driver's is relied on. Owned by the player; used on its thread.
class SceneStates9 {
 public:
  SceneStates9(umd::Device9& device, DeviceCalls9& calls) : device_(device), calls_(calls) {}

  // What is the same for every scene.
  void set_up(uint32_t width, uint32_t height);
  void begin(const Frame& frame);
  void apply(const Draw& draw);
  void tear_down();

 private:
  void render(D3DDDIRENDERSTATETYPE state, UINT value);
  void environment(UINT environment, D3DDDITEXTURESTAGESTATETYPE state, UINT value);
  void transform(D3DTRANSFORMSTATETYPE which, const Matrix& matrix);
  void light(const std::vector<Light>& lights);
  void blend(Blend blend);
  void texture(const Draw& draw);
  void lighting(const Draw& draw);

  umd::Device9& device_;
  DeviceCalls9& calls_;
  UINT lights_ = 0;  // that the device has
};

}  // namespace host
