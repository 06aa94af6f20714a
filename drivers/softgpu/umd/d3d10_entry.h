// The driver's functions of the Direct3D 10 and 11 DDI, by file. Their contracts are on the pages of their types
// (PFND3D10DDI_…, PFND3D11DDI_…); those that are templates have arguments of a type for each version.
#pragma once

#include "d3d10_device.h"

namespace softgpu::d3d10 {

// d3d10_table.cc, d3d10_dxgi.cc: the tables that the interface's version has.
void fill_device_functions(const D3D10DDIARG_CREATEDEVICE& args);
void fill_dxgi_functions(const D3D10DDIARG_CREATEDEVICE& args);

// d3d10_device.cc
SIZE_T APIENTRY calc_device_size(D3D10DDI_HADAPTER hAdapter, const D3D10DDIARG_CALCPRIVATEDEVICESIZE* pData);
HRESULT APIENTRY create_device(D3D10DDI_HADAPTER hAdapter, D3D10DDIARG_CREATEDEVICE* pCreateData);
void APIENTRY destroy_device(D3D10DDI_HDEVICE hDevice);
void APIENTRY flush(D3D10DDI_HDEVICE hDevice);

// d3d10_resource.cc
SIZE_T APIENTRY calc_opened_resource_size(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_OPENRESOURCE* pOpenResource);
template <typename Args>
void APIENTRY create_resource(D3D10DDI_HDEVICE hDevice, const Args* pCreateResource, D3D10DDI_HRESOURCE hResource,
                              D3D10DDI_HRTRESOURCE hRTResource);
void APIENTRY open_resource(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_OPENRESOURCE* pOpenResource,
                            D3D10DDI_HRESOURCE hResource, D3D10DDI_HRTRESOURCE hRTResource);
void APIENTRY destroy_resource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource);

// d3d10_map.cc
void APIENTRY map(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource, UINT Subresource, D3D10_DDI_MAP DDIMap,
                  UINT Flags, D3D10DDI_MAPPED_SUBRESOURCE* pMappedSubResource);
void APIENTRY unmap(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource, UINT Subresource);
BOOL APIENTRY is_staging_busy(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource);

// d3d10_copy.cc
uint32_t pack_color(const FLOAT* rgba);  // A8R8G8B8
void APIENTRY clear_render_target(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRENDERTARGETVIEW hRenderTargetView,
                                  FLOAT pColorRGBA[4]);
void APIENTRY clear_depth_stencil(D3D10DDI_HDEVICE hDevice, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView, UINT Flags,
                                  FLOAT Depth, UINT8 Stencil);
void APIENTRY copy_resource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, D3D10DDI_HRESOURCE hSrcResource);
void APIENTRY copy_region(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource, UINT DstX,
                          UINT DstY, UINT DstZ, D3D10DDI_HRESOURCE hSrcResource, UINT SrcSubresource,
                          const D3D10_DDI_BOX* pSrcBox);
void APIENTRY resolve_subresource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource,
                                  D3D10DDI_HRESOURCE hSrcResource, UINT SrcSubresource, DXGI_FORMAT ResolveFormat);
void APIENTRY update_subresource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource,
                                 const D3D10_DDI_BOX* pDstBox, const VOID* pSysMemUP, UINT RowPitch, UINT DepthPitch);
void APIENTRY generate_mips(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView);

// d3d10_view.cc
void APIENTRY create_render_target_view(D3D10DDI_HDEVICE hDevice,
                                        const D3D10DDIARG_CREATERENDERTARGETVIEW* pCreateRenderTargetView,
                                        D3D10DDI_HRENDERTARGETVIEW hRenderTargetView,
                                        D3D10DDI_HRTRENDERTARGETVIEW hRTRenderTargetView);
template <typename Args>
void APIENTRY create_depth_stencil_view(D3D10DDI_HDEVICE hDevice, const Args* pCreateDepthStencilView,
                                        D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
                                        D3D10DDI_HRTDEPTHSTENCILVIEW hRTDepthStencilView);
template <typename Args>
void APIENTRY create_shader_resource_view(D3D10DDI_HDEVICE hDevice, const Args* pCreateShaderResourceView,
                                          D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
                                          D3D10DDI_HRTSHADERRESOURCEVIEW hRTShaderResourceView);

// d3d10_shader.cc
void APIENTRY create_shader(D3D10DDI_HDEVICE hDevice, const UINT* pCode, D3D10DDI_HSHADER hShader,
                            D3D10DDI_HRTSHADER hRTShader, const D3D10DDIARG_STAGE_IO_SIGNATURES* pSignatures);
void APIENTRY create_layout(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_CREATEELEMENTLAYOUT* pCreateElementLayout,
                            D3D10DDI_HELEMENTLAYOUT hElementLayout, D3D10DDI_HRTELEMENTLAYOUT hRTElementLayout);

// d3d10_state.cc
void APIENTRY create_blend_state(D3D10DDI_HDEVICE hDevice, const D3D10_DDI_BLEND_DESC* pBlendDesc,
                                 D3D10DDI_HBLENDSTATE hBlendState, D3D10DDI_HRTBLENDSTATE hRTBlendState);
void APIENTRY create_blend_state1(D3D10DDI_HDEVICE hDevice, const D3D10_1_DDI_BLEND_DESC* pBlendDesc,
                                  D3D10DDI_HBLENDSTATE hBlendState, D3D10DDI_HRTBLENDSTATE hRTBlendState);
void APIENTRY create_depth_state(D3D10DDI_HDEVICE hDevice, const D3D10_DDI_DEPTH_STENCIL_DESC* pDepthStencilDesc,
                                 D3D10DDI_HDEPTHSTENCILSTATE hDepthStencilState,
                                 D3D10DDI_HRTDEPTHSTENCILSTATE hRTDepthStencilState);
void APIENTRY create_rasterizer_state(D3D10DDI_HDEVICE hDevice, const D3D10_DDI_RASTERIZER_DESC* pRasterizerDesc,
                                      D3D10DDI_HRASTERIZERSTATE hRasterizerState,
                                      D3D10DDI_HRTRASTERIZERSTATE hRTRasterizerState);
void APIENTRY create_sampler(D3D10DDI_HDEVICE hDevice, const D3D10_DDI_SAMPLER_DESC* pSamplerDesc,
                             D3D10DDI_HSAMPLER hSampler, D3D10DDI_HRTSAMPLER hRTSampler);
void APIENTRY set_vertex_shader(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADER hShader);
void APIENTRY set_pixel_shader(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADER hShader);
void APIENTRY set_vertex_constants(D3D10DDI_HDEVICE hDevice, UINT StartBuffer, UINT NumBuffers,
                                   const D3D10DDI_HRESOURCE* phBuffers);
void APIENTRY set_pixel_textures(D3D10DDI_HDEVICE hDevice, UINT Offset, UINT NumViews,
                                 const D3D10DDI_HSHADERRESOURCEVIEW* phShaderResourceViews);
void APIENTRY set_pixel_samplers(D3D10DDI_HDEVICE hDevice, UINT Offset, UINT NumSamplers,
                                 const D3D10DDI_HSAMPLER* phSamplers);
void APIENTRY set_layout(D3D10DDI_HDEVICE hDevice, D3D10DDI_HELEMENTLAYOUT hInputLayout);
void APIENTRY set_vertex_buffers(D3D10DDI_HDEVICE hDevice, UINT StartBuffer, UINT NumBuffers,
                                 const D3D10DDI_HRESOURCE* phBuffers, const UINT* pStrides, const UINT* pOffsets);
void APIENTRY set_index_buffer(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hBuffer, DXGI_FORMAT Format, UINT Offset);
void APIENTRY set_topology(D3D10DDI_HDEVICE hDevice, D3D10_DDI_PRIMITIVE_TOPOLOGY PrimitiveTopology);
void APIENTRY set_render_targets(D3D10DDI_HDEVICE hDevice, const D3D10DDI_HRENDERTARGETVIEW* phRenderTargetView,
                                 UINT RTargets, UINT ClearTargets, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView);
void APIENTRY set_render_targets11(D3D10DDI_HDEVICE hDevice, const D3D10DDI_HRENDERTARGETVIEW* phRenderTargetView,
                                   UINT NumRTVs, UINT RTVNumbertoUnbind, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
                                   const D3D11DDI_HUNORDEREDACCESSVIEW* phUnorderedAccessView,
                                   const UINT* pUAVInitialCounts, UINT UAVIndex, UINT NumUAVs, UINT UAVFirsttoSet,
                                   UINT UAVNumberUpdated);
void APIENTRY set_blend_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HBLENDSTATE hState, const FLOAT pBlendFactor[4],
                              UINT SampleMask);
void APIENTRY set_depth_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HDEPTHSTENCILSTATE hState, UINT StencilRef);
void APIENTRY set_rasterizer_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRASTERIZERSTATE hRasterizerState);
void APIENTRY set_viewports(D3D10DDI_HDEVICE hDevice, UINT NumViewports, UINT ClearViewports,
                            const D3D10_DDI_VIEWPORT* pViewports);
void APIENTRY set_scissors(D3D10DDI_HDEVICE hDevice, UINT NumScissorRects, UINT ClearScissorRects,
                           const D3D10_DDI_RECT* pRects);

// d3d10_draw.cc
void APIENTRY draw(D3D10DDI_HDEVICE hDevice, UINT VertexCount, UINT StartVertexLocation);
void APIENTRY draw_indexed(D3D10DDI_HDEVICE hDevice, UINT IndexCount, UINT StartIndexLocation, INT BaseVertexLocation);
void APIENTRY draw_instanced(D3D10DDI_HDEVICE hDevice, UINT VertexCountPerInstance, UINT InstanceCount,
                             UINT StartVertexLocation, UINT StartInstanceLocation);
void APIENTRY draw_indexed_instanced(D3D10DDI_HDEVICE hDevice, UINT IndexCountPerInstance, UINT InstanceCount,
                                     UINT StartIndexLocation, INT BaseVertexLocation, UINT StartInstanceLocation);

// d3d10_query.cc
SIZE_T APIENTRY calc_query_size(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_CREATEQUERY* pCreateQuery);
void APIENTRY create_query(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_CREATEQUERY* pCreateQuery,
                           D3D10DDI_HQUERY hQuery, D3D10DDI_HRTQUERY hRTQuery);
void APIENTRY destroy_query(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery);
void APIENTRY end_query(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery);
void APIENTRY get_query_data(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery, VOID* pData, UINT DataSize, UINT Flags);

}  // namespace softgpu::d3d10
