#pragma once

#include <string>
#include <vector>

#include "abi/um/d3dumddi.h"

namespace umd {

// What a program of Direct3D 9 wants created; the runtime makes D3DDDIARG_CREATERESOURCE of it.
struct ResourceDesc {
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  D3DDDI_POOL pool = D3DDDIPOOL_VIDEOMEMORY;
  D3DDDI_RESOURCEFLAGS flags{};
  std::vector<D3DDDI_SURFACEINFO> surfaces;  // one per level, or several that live and die together
  UINT levels = 1;
  UINT fvf = 0;  // of a vertex buffer

  static ResourceDesc texture(UINT width, UINT height, D3DDDIFORMAT format, UINT levels = 1);
  static ResourceDesc render_target(UINT width, UINT height, D3DDDIFORMAT format);
  static ResourceDesc depth_stencil(UINT width, UINT height, D3DDDIFORMAT format);
  static ResourceDesc vertex_buffer(UINT bytes, UINT fvf = 0);
  static ResourceDesc index_buffer(UINT bytes, D3DDDIFORMAT format = D3DDDIFMT_INDEX16);
  // Over memory of the program, which outlives it.
  static ResourceDesc system_surface(UINT width, UINT height, D3DDDIFORMAT format, void* memory, UINT pitch);
  // `count` surfaces of one size, created and destroyed as one.
  static ResourceDesc group(UINT count, UINT width, UINT height, D3DDDIFORMAT format);

  // The same for two that a driver cannot tell apart.
  std::string shape() const;

  ResourceDesc& shared() {
    flags.SharedResource = 1;
    return *this;
  }
  ResourceDesc& dynamic() {
    flags.Dynamic = 1;
    return *this;
  }
};

}  // namespace umd
