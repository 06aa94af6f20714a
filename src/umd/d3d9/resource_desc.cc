#include "umd/d3d9/resource_desc.h"

#include <fmt/format.h>

#include <algorithm>

namespace umd {
namespace {

D3DDDI_SURFACEINFO surface(UINT width, UINT height) {
  D3DDDI_SURFACEINFO info{};
  info.Width = width;
  info.Height = height;
  return info;
}

ResourceDesc one(UINT width, UINT height, D3DDDIFORMAT format) {
  ResourceDesc desc;
  desc.format = format;
  desc.surfaces.push_back(surface(width, height));
  return desc;
}

}  // namespace

ResourceDesc ResourceDesc::texture(UINT width, UINT height, D3DDDIFORMAT format, UINT levels) {
  ResourceDesc desc;
  desc.format = format;
  desc.flags.Texture = 1;
  desc.levels = levels;
  for (UINT i = 0; i < levels; ++i) {
    desc.surfaces.push_back(surface(std::max(width >> i, 1u), std::max(height >> i, 1u)));
  }
  return desc;
}

ResourceDesc ResourceDesc::render_target(UINT width, UINT height, D3DDDIFORMAT format) {
  ResourceDesc desc = one(width, height, format);
  desc.flags.RenderTarget = 1;
  return desc;
}

ResourceDesc ResourceDesc::depth_stencil(UINT width, UINT height, D3DDDIFORMAT format) {
  ResourceDesc desc = one(width, height, format);
  desc.flags.ZBuffer = 1;
  return desc;
}

ResourceDesc ResourceDesc::vertex_buffer(UINT bytes, UINT fvf) {
  ResourceDesc desc = one(bytes, 1, D3DDDIFMT_VERTEXDATA);
  desc.flags.VertexBuffer = 1;
  desc.fvf = fvf;
  return desc;
}

ResourceDesc ResourceDesc::index_buffer(UINT bytes, D3DDDIFORMAT format) {
  ResourceDesc desc = one(bytes, 1, format);
  desc.flags.IndexBuffer = 1;
  return desc;
}

ResourceDesc ResourceDesc::system_surface(UINT width, UINT height, D3DDDIFORMAT format, void* memory, UINT pitch) {
  ResourceDesc desc = one(width, height, format);
  desc.pool = D3DDDIPOOL_SYSTEMMEM;
  desc.surfaces[0].pSysMem = memory;
  desc.surfaces[0].SysMemPitch = pitch;
  return desc;
}

ResourceDesc ResourceDesc::group(UINT count, UINT width, UINT height, D3DDDIFORMAT format) {
  ResourceDesc desc;
  desc.format = format;
  desc.flags.RenderTarget = 1;
  desc.surfaces.assign(count, surface(width, height));
  return desc;
}

std::string ResourceDesc::shape() const {
  std::string text =
      fmt::format("{} {} {:X} {} {}", static_cast<int>(format), static_cast<int>(pool), flags.Value, levels, fvf);
  for (const D3DDDI_SURFACEINFO& each : surfaces) text += fmt::format(" {}x{}x{}", each.Width, each.Height, each.Depth);
  return text;
}

}  // namespace umd
