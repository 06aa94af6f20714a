#include "host/render/scene.h"

#include "host/render/scene_confetti.h"
#include "host/render/scene_quads.h"
#include "host/render/scene_solid.h"

namespace host {
namespace {

constexpr SceneKind kKinds[] = {
    {"solid", "a lit icosahedron that spins inside of two rings", make_solid_scene},
    {"quads", "pictures at an exhibition behind coloured glass: textures, filters, blending", make_quads_scene},
    {"confetti", "every piece has a texture and vertices of its own, made for one draw and destroyed after it",
     make_confetti_scene},
};

}  // namespace

std::span<const SceneKind> scene_kinds() { return kKinds; }

const SceneKind* find_scene(std::string_view name) {
  for (const SceneKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace host
