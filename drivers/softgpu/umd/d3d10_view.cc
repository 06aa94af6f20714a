// Views: which level of which resource. They know the resource by its handle, whose identity may be rotated.
#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

UINT flags_of(const D3D10DDIARG_CREATEDEPTHSTENCILVIEW&) { return 0; }
UINT flags_of(const D3D11DDIARG_CREATEDEPTHSTENCILVIEW& args) { return args.Flags; }

uint32_t index_of(const ResourceHandle& resource, UINT level, UINT slice) {
  return level + slice * resource.resource->levels;
}

}  // namespace

void APIENTRY create_render_target_view(D3D10DDI_HDEVICE,
                                        const D3D10DDIARG_CREATERENDERTARGETVIEW* pCreateRenderTargetView,
                                        D3D10DDI_HRENDERTARGETVIEW hRenderTargetView, D3D10DDI_HRTRENDERTARGETVIEW) {
  View view = {handle_of(pCreateRenderTargetView->hDrvResource), 0, 1, false};
  if (pCreateRenderTargetView->ResourceDimension != D3D10DDIRESOURCE_BUFFER) {
    const D3D10DDIARG_TEX2D_RENDERTARGETVIEW& part = pCreateRenderTargetView->Tex2D;
    view.index = index_of(*view.resource, part.MipSlice, part.FirstArraySlice);
  }
  place(hRenderTargetView, view);
}

template <typename Args>
void APIENTRY create_depth_stencil_view(D3D10DDI_HDEVICE, const Args* pCreateDepthStencilView,
                                        D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView, D3D10DDI_HRTDEPTHSTENCILVIEW) {
  const D3D10DDIARG_TEX2D_DEPTHSTENCILVIEW& part = pCreateDepthStencilView->Tex2D;
  ResourceHandle* resource = handle_of(pCreateDepthStencilView->hDrvResource);
  bool read_only = (flags_of(*pCreateDepthStencilView) & D3D11_DDI_CREATE_DSV_READ_ONLY_DEPTH) != 0;
  place(hDepthStencilView, View{resource, index_of(*resource, part.MipSlice, part.FirstArraySlice), 1, read_only});
}

template void APIENTRY create_depth_stencil_view(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW*,
                                                 D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW);
template void APIENTRY create_depth_stencil_view(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW*,
                                                 D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW);

template <typename Args>
void APIENTRY create_shader_resource_view(D3D10DDI_HDEVICE, const Args* pCreateShaderResourceView,
                                          D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
                                          D3D10DDI_HRTSHADERRESOURCEVIEW) {
  View view = {handle_of(pCreateShaderResourceView->hDrvResource), 0, 1, true};
  if (!is_buffer(*view.resource->resource)) {
    const D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW& part = pCreateShaderResourceView->Tex2D;
    view.index = index_of(*view.resource, part.MostDetailedMip, part.FirstArraySlice);
    view.levels = part.MipLevels;
  }
  place(hShaderResourceView, view);
}

template void APIENTRY create_shader_resource_view(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADERRESOURCEVIEW*,
                                                   D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW);
template void APIENTRY create_shader_resource_view(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATESHADERRESOURCEVIEW*,
                                                   D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW);

}  // namespace softgpu::d3d10
