#pragma once

#include <memory>

#include "host/render/scene.h"

namespace host {

std::unique_ptr<Scene> make_quads_scene();

}  // namespace host
