#include "host/render/scene_player9.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/render/scene_vertex9.h"

namespace host {
namespace {

using umd::ResourceDesc;

constexpr D3DDDIFORMAT kTargetFormat = D3DDDIFMT_X8R8G8B8, kTextureFormat = D3DDDIFMT_A8R8G8B8;
constexpr UINT kTexelBytes = 4;
constexpr UINT kIndexBytes = 2;

umd::Place all_of(umd::Resource* resource, uint32_t width, uint32_t height) {
  return {resource, 0, {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)}};
}

ResourceDesc vertices_desc(UINT bytes) { return ResourceDesc::vertex_buffer(bytes); }
ResourceDesc indices_desc(UINT bytes) { return ResourceDesc::index_buffer(bytes); }

size_t index_bytes(const Mesh& mesh) { return mesh.indices.size() * kIndexBytes; }

}  // namespace

ScenePlayer9::ScenePlayer9(umd::Device9& device, const Scene& scene, uint32_t width, uint32_t height)
    : device_(device), scene_(scene), width_(width), height_(height), states_(device, calls_) {}

ScenePlayer9::~ScenePlayer9() {
  states_.tear_down();
  for (Buffers& buffers : meshes_) {
    destroy(buffers.vertices);
    destroy(buffers.indices);
  }
  for (umd::Resource*& texture : textures_) destroy(texture);
  for (auto& streamed : streamed_textures_) {
    destroy(streamed->texture);
    destroy(streamed->source);
  }
  destroy(vertex_stream_.resource);
  destroy(index_stream_.resource);
  destroy(seen_surface_);
  destroy(depth_);
  destroy(target_);
  for (HANDLE declaration : declarations_) {
    if (declaration) calls_.check("DeleteVertexShaderDecl", device_.delete_vertex_declaration(declaration));
  }
}

// --- Resources ---

umd::Resource* ScenePlayer9::create(const ResourceDesc& desc) {
  umd::Resource* resource = nullptr;
  return calls_.check("CreateResource", device_.create_resource(desc, &resource)) ? resource : nullptr;
}

void ScenePlayer9::destroy(umd::Resource*& resource) {
  if (resource) calls_.check("DestroyResource", device_.destroy_resource(std::exchange(resource, nullptr)));
}

bool ScenePlayer9::fill(umd::Resource* resource, const void* bytes, size_t count, bool discard) {
  D3DDDI_LOCKFLAGS flags{};
  flags.WriteOnly = 1;
  flags.Discard = discard;
  umd::Mapped mapped;
  if (!resource || !calls_.check("Lock", device_.lock(resource, 0, flags, &mapped))) return false;
  memcpy(mapped.data, bytes, count);
  return calls_.check("Unlock", device_.unlock(resource, 0));
}

umd::Resource* ScenePlayer9::make_texture(const Texture& texture) {
  umd::Resource* made = create(ResourceDesc::texture(texture.width, texture.height, kTextureFormat));
  D3DDDI_LOCKFLAGS flags{};
  flags.WriteOnly = 1;
  umd::Mapped mapped;
  if (!made || !calls_.check("Lock", device_.lock(made, 0, flags, &mapped))) return made;
  for (uint32_t y = 0; y < texture.height; ++y) {
    memcpy(static_cast<uint8_t*>(mapped.data) + size_t{y} * mapped.pitch, &texture.texels[size_t{y} * texture.width],
           size_t{texture.width} * kTexelBytes);
  }
  calls_.check("Unlock", device_.unlock(made, 0));
  return made;
}

ScenePlayer9::Buffers ScenePlayer9::make_buffers(const Mesh& mesh) {
  Buffers made;
  std::vector<uint8_t> vertices = vertex_bytes(mesh);
  made.vertices = create(vertices_desc(static_cast<UINT>(vertices.size())));
  fill(made.vertices, vertices.data(), vertices.size(), false);
  if (mesh.indices.empty()) return made;
  made.indices = create(indices_desc(static_cast<UINT>(index_bytes(mesh))));
  fill(made.indices, mesh.indices.data(), index_bytes(mesh), false);
  return made;
}

// What was there may still be drawn from: the driver gives other memory for it.
bool ScenePlayer9::write(Stream& stream, ResourceDesc (*describe)(UINT bytes), const void* bytes, size_t count) {
  if (stream.bytes < count) {
    destroy(stream.resource);
    stream.bytes = std::max(count, 2 * stream.bytes);
    ResourceDesc desc = describe(static_cast<UINT>(stream.bytes));
    stream.resource = create(desc.dynamic());
  }
  return fill(stream.resource, bytes, count, true);
}

ScenePlayer9::Buffers ScenePlayer9::stream_buffers(const Mesh& mesh) {
  std::vector<uint8_t> vertices = vertex_bytes(mesh);
  Buffers buffers;
  write(vertex_stream_, vertices_desc, vertices.data(), vertices.size());
  buffers.vertices = vertex_stream_.resource;
  if (mesh.indices.empty()) return buffers;
  write(index_stream_, indices_desc, mesh.indices.data(), index_bytes(mesh));
  buffers.indices = index_stream_.resource;
  return buffers;
}

// A copy by the driver, from memory that it does not own.
umd::Resource* ScenePlayer9::stream_texture(const Texture& texture, uint32_t index) {
  while (streamed_textures_.size() <= index) streamed_textures_.push_back(std::make_unique<StreamedTexture>());
  StreamedTexture& streamed = *streamed_textures_[index];
  if (streamed.width != texture.width || streamed.height != texture.height) {
    destroy(streamed.texture);
    destroy(streamed.source);
    streamed.width = texture.width;
    streamed.height = texture.height;
    streamed.texels.resize(texture.texels.size());
    streamed.texture = create(ResourceDesc::texture(texture.width, texture.height, kTextureFormat));
    streamed.source = create(ResourceDesc::system_surface(texture.width, texture.height, kTextureFormat,
                                                          streamed.texels.data(), texture.width * kTexelBytes));
  }
  if (!streamed.texture || !streamed.source) return nullptr;
  std::copy(texture.texels.begin(), texture.texels.end(), streamed.texels.begin());
  calls_.check("Blt", device_.blt(all_of(streamed.source, texture.width, texture.height),
                                  all_of(streamed.texture, texture.width, texture.height)));
  return streamed.texture;
}

bool ScenePlayer9::prepare() {
  target_ = create(ResourceDesc::render_target(width_, height_, kTargetFormat));
  depth_ = create(ResourceDesc::depth_stencil(width_, height_, D3DDDIFMT_D24X8));
  seen_.resize(size_t{width_} * height_);
  seen_surface_ =
      create(ResourceDesc::system_surface(width_, height_, kTargetFormat, seen_.data(), width_ * kTexelBytes));
  for (const Mesh& mesh : scene_.meshes()) meshes_.push_back(make_buffers(mesh));
  for (const Texture& texture : scene_.textures()) textures_.push_back(make_texture(texture));
  if (calls_.failed()) return false;
  calls_.check("SetRenderTarget", device_.set_render_target(0, target_));
  calls_.check("SetDepthStencil", device_.set_depth_stencil(depth_));
  states_.set_up(width_, height_);
  return !calls_.failed();
}

// --- A frame ---

bool ScenePlayer9::play(const Frame& frame, Picture* picture) {
  calls_.check("Clear", device_.clear(D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, frame.clear_color, 1));
  states_.begin(frame);
  for (const Draw& one : frame.draws) {
    if (calls_.failed()) return false;
    draw(frame, one);
  }
  if (!read_back(picture)) return false;
  return calls_.check("Present", device_.present(target_)) && calls_.check("Flush", device_.flush());
}

void ScenePlayer9::draw(const Frame& frame, const Draw& draw) {
  const Mesh& mesh = scene_.mesh(frame, draw.mesh);
  Buffers buffers = draw.mesh.life == Life::Lasting    ? meshes_[draw.mesh.index]
                    : draw.mesh.life == Life::Streamed ? stream_buffers(mesh)
                                                       : make_buffers(mesh);
  umd::Resource* texture = nullptr;
  if (draw.texture) {
    const Texture& texels = scene_.texture(frame, *draw.texture);
    texture = draw.texture->life == Life::Lasting    ? textures_[draw.texture->index]
              : draw.texture->life == Life::Streamed ? stream_texture(texels, draw.texture->index)
                                                     : make_texture(texels);
  }
  if (!calls_.failed()) {
    calls_.check("SetTexture", device_.set_texture(0, texture));
    states_.apply(draw);
    submit(mesh, buffers);
  }
  if (draw.mesh.life == Life::Momentary) {
    destroy(buffers.vertices);
    destroy(buffers.indices);
  }
  if (draw.texture && draw.texture->life == Life::Momentary) destroy(texture);
}

void ScenePlayer9::submit(const Mesh& mesh, const Buffers& buffers) {
  HANDLE declaration = declaration_of(mesh);
  if (!declaration) return;
  calls_.check("SetVertexShaderDecl", device_.set_vertex_declaration(declaration));
  calls_.check("SetStreamSource", device_.set_stream_source(0, buffers.vertices, 0, VertexLayout9(mesh).stride()));
  const bool strip = mesh.topology == Topology::Strip;
  const D3DPRIMITIVETYPE type = strip ? D3DPT_TRIANGLESTRIP : D3DPT_TRIANGLELIST;
  const auto vertices = static_cast<UINT>(mesh.positions.size());
  const auto count = static_cast<UINT>(mesh.indices.empty() ? vertices : mesh.indices.size());
  const UINT triangles = strip ? count - 2 : count / 3;
  if (mesh.indices.empty()) {
    calls_.check("DrawPrimitive", device_.draw_primitive(type, 0, triangles));
    return;
  }
  calls_.check("SetIndices", device_.set_indices(buffers.indices, kIndexBytes));
  calls_.check("DrawIndexedPrimitive", device_.draw_indexed_primitive(type, 0, 0, vertices, 0, triangles));
}

HANDLE ScenePlayer9::declaration_of(const Mesh& mesh) {
  VertexLayout9 layout(mesh);
  HANDLE& declaration = declarations_[layout.kind()];
  if (!declaration) {
    auto count = static_cast<UINT>(layout.elements().size());
    calls_.check("CreateVertexShaderDecl",
                 device_.create_vertex_declaration(layout.elements().data(), count, &declaration));
  }
  return declaration;
}

// The lock waits for the copy.
bool ScenePlayer9::read_back(Picture* picture) {
  if (!calls_.check("Blt", device_.blt(all_of(target_, width_, height_), all_of(seen_surface_, width_, height_)))) {
    return false;
  }
  D3DDDI_LOCKFLAGS flags{};
  flags.ReadOnly = 1;
  umd::Mapped mapped;
  if (!calls_.check("Lock", device_.lock(seen_surface_, 0, flags, &mapped))) return false;
  *picture = Picture(width_, height_);
  for (size_t i = 0; i < seen_.size(); ++i) picture->pixels[i] = Pixel::from_argb(seen_[i] | 0xFF000000);
  return calls_.check("Unlock", device_.unlock(seen_surface_, 0));
}

}  // namespace host
