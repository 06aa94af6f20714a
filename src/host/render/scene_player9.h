#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "host/render/picture.h"
#include "host/render/scene.h"
#include "host/render/scene_states9.h"
#include "umd/d3d9/device9.h"

namespace host {

// Draws a scene's frames on a device of Direct3D 9, as an ordinary program does: it works with any driver. Owned by the
// owner of the device, which outlives it; made, used and ended on a thread of the machine.
class ScenePlayer9 {
 public:
  ScenePlayer9(umd::Device9& device, const Scene& scene, uint32_t width, uint32_t height);
  // Destroys all that it created.
  ~ScenePlayer9();
  ScenePlayer9(const ScenePlayer9&) = delete;
  ScenePlayer9& operator=(const ScenePlayer9&) = delete;

  // What lasts. False when a call failed, here and below: failure() says which.
  bool prepare();
  bool play(const Frame& frame, Picture* picture);
  const std::string& failure() const { return calls_.failure(); }

 private:
  struct Buffers {
    umd::Resource* vertices = nullptr;
    umd::Resource* indices = nullptr;
  };
  // A buffer that is written anew for each draw, and replaced when it is too small.
  struct Stream {
    umd::Resource* resource = nullptr;
    size_t bytes = 0;
  };
  // A texture that is filled from memory of the program, once a frame.
  struct StreamedTexture {
    umd::Resource* texture = nullptr;
    umd::Resource* source = nullptr;  // over `texels`
    std::vector<uint32_t> texels;
    uint32_t width = 0;
    uint32_t height = 0;
  };

  umd::Resource* create(const umd::ResourceDesc& desc);
  void destroy(umd::Resource*& resource);
  bool fill(umd::Resource* resource, const void* bytes, size_t count, bool discard);
  umd::Resource* make_texture(const Texture& texture);
  Buffers make_buffers(const Mesh& mesh);
  bool write(Stream& stream, umd::ResourceDesc (*describe)(UINT bytes), const void* bytes, size_t count);

  Buffers stream_buffers(const Mesh& mesh);
  umd::Resource* stream_texture(const Texture& texture, uint32_t index);
  void draw(const Frame& frame, const Draw& draw);
  void submit(const Mesh& mesh, const Buffers& buffers);
  HANDLE declaration_of(const Mesh& mesh);
  bool read_back(Picture* picture);

  umd::Device9& device_;
  const Scene& scene_;
  const uint32_t width_;
  const uint32_t height_;
  DeviceCalls9 calls_;
  SceneStates9 states_;
  umd::Resource* target_ = nullptr;
  umd::Resource* depth_ = nullptr;
  std::vector<uint32_t> seen_;             // what came back of the target
  umd::Resource* seen_surface_ = nullptr;  // over it
  std::vector<Buffers> meshes_;
  std::vector<umd::Resource*> textures_;
  Stream vertex_stream_;
  Stream index_stream_;
  std::vector<std::unique_ptr<StreamedTexture>> streamed_textures_;  // by their index in a frame
  std::array<HANDLE, 8> declarations_{};                             // by which of three attributes vertices have
};

}  // namespace host
