#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/render/picture.h"
#include "host/render/scene.h"
#include "verifier/finding/finding.h"

namespace host {

struct RenderOptions {
  std::string umd;  // path of the user-mode driver
  std::string kmd;  // path of the kernel-mode driver below it
  const SceneKind* scene = nullptr;
  uint32_t frames = 1;
  uint32_t width = 640;
  uint32_t height = 480;
  uint64_t seed = 0;  // of the machine: who runs when. What is seen does not depend on it.
};

struct RenderResult {
  std::string usage_error;  // the caller's mistake, in one sentence: a file that is no driver, or is refused
  std::string incomplete;   // why not every frame was drawn
  std::vector<verifier::Finding> findings;
};

// Gets each picture as it comes. Returns an empty string, or why it wants no more pictures: the caller's mistake.
using ShowPicture = std::function<std::string(const Picture&)>;

// Plays a scene on a simulated machine, through all layers: Direct3D 9's driver interface, the user-mode driver, the
// graphics kernel, the kernel-mode driver, its hardware. In this process, on the calling thread.
RenderResult render(const RenderOptions& options, const ShowPicture& show);

}  // namespace host
