#include "umd/d3d10/resource_desc10.h"

#include <algorithm>

namespace umd {
namespace {

// Formats whose texels come in blocks of four by four.
bool is_block_compressed(DXGI_FORMAT format) {
  return (format >= DXGI_FORMAT_BC1_TYPELESS && format <= DXGI_FORMAT_BC5_SNORM) ||
         (format >= DXGI_FORMAT_BC6H_TYPELESS && format <= DXGI_FORMAT_BC7_UNORM_SRGB);
}

}  // namespace

ResourceDesc10 ResourceDesc10::buffer(UINT bytes, UINT bind) {
  ResourceDesc10 desc;
  desc.dimension = D3D10DDIRESOURCE_BUFFER;
  desc.bind = bind;
  desc.width = bytes;
  return desc;
}

ResourceDesc10 ResourceDesc10::texture(UINT width, UINT height, DXGI_FORMAT format, UINT mips) {
  ResourceDesc10 desc;
  desc.bind = D3D10_DDI_BIND_SHADER_RESOURCE;
  desc.format = format;
  desc.width = width;
  desc.height = height;
  desc.mips = mips;
  return desc;
}

ResourceDesc10 ResourceDesc10::render_target(UINT width, UINT height, DXGI_FORMAT format) {
  ResourceDesc10 desc = texture(width, height, format);
  desc.bind |= D3D10_DDI_BIND_RENDER_TARGET;
  return desc;
}

ResourceDesc10 ResourceDesc10::depth_stencil(UINT width, UINT height, DXGI_FORMAT format) {
  ResourceDesc10 desc = texture(width, height, format);
  desc.bind = D3D10_DDI_BIND_DEPTH_STENCIL;
  return desc;
}

ResourceDesc10 ResourceDesc10::staging(UINT width, UINT height, DXGI_FORMAT format) {
  ResourceDesc10 desc = texture(width, height, format);
  desc.usage = D3D10_DDI_USAGE_STAGING;
  desc.bind = 0;
  desc.map = D3D10_DDI_MAP_READWRITE;
  return desc;
}

ResourceDesc10 ResourceDesc10::back_buffer(UINT width, UINT height, DXGI_FORMAT format, UINT source) {
  ResourceDesc10 desc = render_target(width, height, format);
  desc.bind |= D3D10_DDI_BIND_PRESENT;
  DXGI_DDI_PRIMARY_DESC primary{};
  primary.VidPnSourceId = source;
  primary.ModeDesc.Width = width;
  primary.ModeDesc.Height = height;
  primary.ModeDesc.Format = format;
  primary.ModeDesc.RefreshRate = {60, 1};
  primary.ModeDesc.ScanlineOrdering = DXGI_DDI_MODE_SCANLINE_ORDER_PROGRESSIVE;
  primary.ModeDesc.Rotation = DXGI_DDI_MODE_ROTATION_IDENTITY;
  desc.primary = primary;
  return desc;
}

std::vector<D3D10DDI_MIPINFO> ResourceDesc10::mip_infos() const {
  UINT block = is_block_compressed(format) ? 4 : 1;
  auto whole_blocks = [&](UINT texels) { return (texels + block - 1) / block * block; };
  std::vector<D3D10DDI_MIPINFO> infos(mips);
  for (UINT level = 0; level < mips; ++level) {
    D3D10DDI_MIPINFO& info = infos[level];
    info.TexelWidth = std::max(1u, width >> level);
    info.TexelHeight = std::max(1u, height >> level);
    info.TexelDepth = std::max(1u, depth >> level);
    info.PhysicalWidth = whole_blocks(info.TexelWidth);
    info.PhysicalHeight = whole_blocks(info.TexelHeight);
    info.PhysicalDepth = info.TexelDepth;
  }
  return infos;
}

}  // namespace umd
