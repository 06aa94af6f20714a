#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/render/scene_math.h"

namespace host {

enum class Topology : uint8_t { Triangles, Strip };

// Triangles whose vertices go clockwise are seen from their front.
struct Mesh {
  Topology topology = Topology::Triangles;
  std::vector<Vector3> positions;
  std::vector<Vector3> normals;  // none, or one for each position; and so below
  std::vector<uint32_t> colors;  // as A8R8G8B8
  std::vector<Vector2> texcoords;
  std::vector<uint16_t> indices;  // none: the vertices in their order
};

struct Texture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint32_t> texels;  // as A8R8G8B8
};

// How long the resources of a draw live on the device: the scene tests that, and it changes no picture.
enum class Life : uint8_t {
  Lasting,    // of the scene: made once
  Streamed,   // of the frame: written into memory that was made for an earlier one
  Momentary,  // of the frame: made for one draw and destroyed right after it
};

// Lasting: an index into the scene's resources. Otherwise into the frame's.
struct Use {
  Life life = Life::Lasting;
  uint32_t index = 0;
};

struct LightColor {
  float red = 0, green = 0, blue = 0;
};

// From infinitely far away, in a direction of the world.
struct Light {
  Vector3 direction;
  LightColor color;
};

struct Material {
  LightColor diffuse{1, 1, 1};
  LightColor ambient{1, 1, 1};
  LightColor emissive;
};

enum class Combine : uint8_t { Texture, Modulate };  // the texel alone, or times the vertices' colour
enum class Filter : uint8_t { Nearest, Linear };
enum class Address : uint8_t { Wrap, Mirror, Clamp };
enum class Blend : uint8_t { None, Alpha, Add };  // Add: by alpha, onto what is there
enum class Cull : uint8_t { None, Back };
enum class Shade : uint8_t { Smooth, Flat };  // Flat: the colour of a triangle's first vertex for all of it

struct Draw {
  Use mesh;
  std::optional<Use> texture;
  Matrix world;

  Combine combine = Combine::Modulate;
  Filter filter = Filter::Linear;
  Address address = Address::Wrap;

  bool depth_test = true;  // nearer or as near
  bool depth_write = true;
  Blend blend = Blend::None;
  Cull cull = Cull::None;
  Shade shade = Shade::Smooth;

  bool lighting = false;         // needs normals
  bool diffuse_of_mesh = false;  // lighting: the mesh's colours for the material's diffuse one
  Material material;
};

// All that one picture shows.
struct Frame {
  uint32_t clear_color = 0xFF000000;
  Matrix view;
  Matrix projection;
  uint32_t ambient = 0xFF000000;  // light from everywhere
  std::vector<Light> lights;
  std::vector<Mesh> meshes;
  std::vector<Texture> textures;
  std::vector<Draw> draws;
};

// A small film as data, independent of how it is drawn. The same at every call and in every process; immutable.
class Scene {
 public:
  virtual ~Scene() = default;
  virtual Frame frame(uint32_t number, uint32_t width, uint32_t height) const = 0;

  const std::vector<Mesh>& meshes() const { return meshes_; }
  const std::vector<Texture>& textures() const { return textures_; }
  const Mesh& mesh(const Frame& frame, Use use) const {
    return use.life == Life::Lasting ? meshes_[use.index] : frame.meshes[use.index];
  }
  const Texture& texture(const Frame& frame, Use use) const {
    return use.life == Life::Lasting ? textures_[use.index] : frame.textures[use.index];
  }

 protected:
  Use add(Mesh mesh) {
    meshes_.push_back(std::move(mesh));
    return {Life::Lasting, static_cast<uint32_t>(meshes_.size() - 1)};
  }
  Use add(Texture texture) {
    textures_.push_back(std::move(texture));
    return {Life::Lasting, static_cast<uint32_t>(textures_.size() - 1)};
  }

 private:
  std::vector<Mesh> meshes_;
  std::vector<Texture> textures_;
};

inline constexpr uint32_t kFramesPerSecond = 30;

struct SceneKind {
  const char* name;
  const char* story;  // one line for --list
  std::unique_ptr<Scene> (*make)();
};

std::span<const SceneKind> scene_kinds();
// Null when there is none of this name.
const SceneKind* find_scene(std::string_view name);

}  // namespace host
