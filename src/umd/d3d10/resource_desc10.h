#pragma once

#include <optional>
#include <vector>

#include "abi/um/d3d10umddi.h"

namespace umd {

// What a program of Direct3D 10 or 11 wants created; the runtime makes D3D11DDIARG_CREATERESOURCE, or the older
// structure, of it.
struct ResourceDesc10 {
  D3D10DDIRESOURCE_TYPE dimension = D3D10DDIRESOURCE_TEXTURE2D;
  D3D10_DDI_RESOURCE_USAGE usage = D3D10_DDI_USAGE_DEFAULT;
  UINT bind = 0;  // D3D10_DDI_BIND_*
  UINT map = 0;   // D3D10_DDI_MAP_*: how the program may map it
  UINT misc = 0;  // D3D10_DDI_RESOURCE_MISC_*
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  UINT width = 1;  // of a buffer: its bytes
  UINT height = 1;
  UINT depth = 1;
  UINT mips = 1;
  UINT array = 1;  // of a cube: 6
  DXGI_SAMPLE_DESC sample{1, 0};
  UINT stride = 0;  // of a structured buffer
  std::optional<DXGI_DDI_PRIMARY_DESC> primary;
  std::vector<D3D10_DDIARG_SUBRESOURCE_UP> data;  // none, or one per subresource

  static ResourceDesc10 buffer(UINT bytes, UINT bind);
  static ResourceDesc10 texture(UINT width, UINT height, DXGI_FORMAT format, UINT mips = 1);
  static ResourceDesc10 render_target(UINT width, UINT height, DXGI_FORMAT format);
  static ResourceDesc10 depth_stencil(UINT width, UINT height, DXGI_FORMAT format);
  // For the processor to read and write.
  static ResourceDesc10 staging(UINT width, UINT height, DXGI_FORMAT format);
  // A back buffer that is scanned out by itself.
  static ResourceDesc10 back_buffer(UINT width, UINT height, DXGI_FORMAT format, UINT source);

  ResourceDesc10& shared() {
    misc |= D3D10_DDI_RESOURCE_MISC_SHARED;
    return *this;
  }
  // Written by the processor, often.
  ResourceDesc10& dynamic() {
    usage = D3D10_DDI_USAGE_DYNAMIC;
    map = D3D10_DDI_MAP_WRITE;
    return *this;
  }
  // One piece of data for the one subresource; the program's memory must outlive the creation.
  ResourceDesc10& with(const void* bytes, UINT pitch = 0, UINT slice_pitch = 0) {
    data.push_back({const_cast<void*>(bytes), pitch, slice_pitch});
    return *this;
  }

  UINT subresources() const { return mips * array; }
  // One per mip level.
  std::vector<D3D10DDI_MIPINFO> mip_infos() const;
};

}  // namespace umd
