// The driver's functions of the Direct3D 9 DDI, by file. Their contracts are on the pages of their types (PFND3DDDI_…).
#pragma once

#include "d3d9_device.h"

namespace softgpu {

// d3d9_adapter.cc
HRESULT APIENTRY create_device(HANDLE hAdapter, D3DDDIARG_CREATEDEVICE* pCreateData);
HRESULT APIENTRY destroy_device(HANDLE hDevice);
HRESULT APIENTRY close_adapter(HANDLE hAdapter);

// d3d9_caps.cc
HRESULT APIENTRY get_caps(HANDLE hAdapter, const D3DDDIARG_GETCAPS* pData);

// d3d9_resource.cc
HRESULT APIENTRY create_resource(HANDLE hDevice, D3DDDIARG_CREATERESOURCE* pResource);
HRESULT APIENTRY create_resource2(HANDLE hDevice, D3DDDIARG_CREATERESOURCE2* pResource2);
HRESULT APIENTRY open_resource(HANDLE hDevice, D3DDDIARG_OPENRESOURCE* pResource);
HRESULT APIENTRY destroy_resource(HANDLE hDevice, HANDLE hResource);
HRESULT APIENTRY resolve_shared_resource(HANDLE hDevice, const D3DDDIARG_RESOLVESHAREDRESOURCE* pData);

// d3d9_lock.cc
HRESULT APIENTRY lock(HANDLE hDevice, D3DDDIARG_LOCK* pData);
HRESULT APIENTRY unlock(HANDLE hDevice, const D3DDDIARG_UNLOCK* pData);

// d3d9_memory.cc
HRESULT APIENTRY flush(HANDLE hDevice);
HRESULT APIENTRY flush1(HANDLE hDevice, UINT FlushFlags);
HRESULT APIENTRY set_priority(HANDLE hDevice, const D3DDDIARG_SETPRIORITY* pData);
HRESULT APIENTRY query_residency(HANDLE hDevice, const D3DDDIARG_QUERYRESOURCERESIDENCY* pData);
HRESULT APIENTRY offer_resources(HANDLE hDevice, const D3DDDIARG_OFFERRESOURCES* pData);
HRESULT APIENTRY reclaim_resources(HANDLE hDevice, const D3DDDIARG_RECLAIMRESOURCES* pData);
HRESULT APIENTRY discard(HANDLE hDevice, const D3DDDIARG_DISCARD* pData);
HRESULT APIENTRY trim_residency_set(HANDLE hDevice, D3DDDIARG_TRIMRESIDENCYSET* pData);

// d3d9_state.cc
HRESULT APIENTRY set_render_state(HANDLE hDevice, const D3DDDIARG_RENDERSTATE* pData);
HRESULT APIENTRY set_texture_stage_state(HANDLE hDevice, const D3DDDIARG_TEXTURESTAGESTATE* pData);
HRESULT APIENTRY set_texture(HANDLE hDevice, UINT Stage, HANDLE hTexture);
HRESULT APIENTRY set_render_target(HANDLE hDevice, const D3DDDIARG_SETRENDERTARGET* pData);
HRESULT APIENTRY set_depth_stencil(HANDLE hDevice, const D3DDDIARG_SETDEPTHSTENCIL* pData);
HRESULT APIENTRY set_viewport(HANDLE hDevice, const D3DDDIARG_VIEWPORTINFO* pData);
HRESULT APIENTRY set_z_range(HANDLE hDevice, const D3DDDIARG_ZRANGE* pData);
HRESULT APIENTRY set_scissor_rect(HANDLE hDevice, const RECT* pRect);
HRESULT APIENTRY validate_device(HANDLE hDevice, D3DDDIARG_VALIDATETEXTURESTAGESTATE* pData);

// d3d9_transform.cc
HRESULT APIENTRY set_transform(HANDLE hDevice, const D3DDDIARG_SETTRANSFORM* pData);
HRESULT APIENTRY multiply_transform(HANDLE hDevice, const D3DDDIARG_MULTIPLYTRANSFORM* pData);
HRESULT APIENTRY set_material(HANDLE hDevice, const D3DDDIARG_SETMATERIAL* pData);
HRESULT APIENTRY create_light(HANDLE hDevice, const D3DDDIARG_CREATELIGHT* pData);
HRESULT APIENTRY set_light(HANDLE hDevice, const D3DDDIARG_SETLIGHT* pData, const D3DDDI_LIGHT* pLightProperties);
HRESULT APIENTRY destroy_light(HANDLE hDevice, const D3DDDIARG_DESTROYLIGHT* pData);

// d3d9_vertex.cc
HRESULT APIENTRY create_vertex_decl(HANDLE hDevice, D3DDDIARG_CREATEVERTEXSHADERDECL* pData,
                                    const D3DDDIVERTEXELEMENT* pVertexElements);
HRESULT APIENTRY set_vertex_decl(HANDLE hDevice, HANDLE hShaderHandle);
HRESULT APIENTRY delete_vertex_decl(HANDLE hDevice, HANDLE hShaderHandle);
HRESULT APIENTRY set_stream_source(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCE* pData);
HRESULT APIENTRY set_stream_source_um(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCEUM* pData, const VOID* pUMBuffer);
HRESULT APIENTRY set_stream_source_freq(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCEFREQ* pData);
HRESULT APIENTRY set_indices(HANDLE hDevice, const D3DDDIARG_SETINDICES* pData);
HRESULT APIENTRY set_indices_um(HANDLE hDevice, UINT IndexSize, const VOID* pUMBuffer);

// d3d9_draw.cc
HRESULT APIENTRY draw_primitive(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE* pData, const UINT* pFlagBuffer);
HRESULT APIENTRY draw_indexed_primitive(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE* pData);
HRESULT APIENTRY draw_primitive2(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE2* pData);
HRESULT APIENTRY draw_indexed_primitive2(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE2* pData,
                                         UINT dwIndicesSize, const VOID* pIndexBuffer, const UINT* pFlagBuffer);

// d3d9_clear.cc
HRESULT APIENTRY clear(HANDLE hDevice, const D3DDDIARG_CLEAR* pData, UINT NumRect, const RECT* pRect);
HRESULT APIENTRY color_fill(HANDLE hDevice, const D3DDDIARG_COLORFILL* pData);
HRESULT APIENTRY depth_fill(HANDLE hDevice, const D3DDDIARG_DEPTHFILL* pData);

// d3d9_blt.cc
HRESULT APIENTRY blt(HANDLE hDevice, const D3DDDIARG_BLT* pData);
HRESULT APIENTRY texture_blt(HANDLE hDevice, const D3DDDIARG_TEXBLT* pData);
HRESULT APIENTRY texture_blt1(HANDLE hDevice, const D3DDDIARG_TEXBLT1* pData);
HRESULT APIENTRY buffer_blt(HANDLE hDevice, const D3DDDIARG_BUFFERBLT* pData);
HRESULT APIENTRY buffer_blt1(HANDLE hDevice, const D3DDDIARG_BUFFERBLT1* pData);
HRESULT APIENTRY update_subresource(HANDLE hDevice, const D3DDDIARG_UPDATESUBRESOURCEUP* pData);
HRESULT APIENTRY generate_mip_levels(HANDLE hDevice, const D3DDDIARG_GENERATEMIPSUBLEVELS* pData);

// d3d9_present.cc
HRESULT APIENTRY present(HANDLE hDevice, const D3DDDIARG_PRESENT* pData);
HRESULT APIENTRY present1(HANDLE hDevice, const D3DDDIARG_PRESENT1* pPresentData);

// d3d9_query.cc
HRESULT APIENTRY create_query(HANDLE hDevice, D3DDDIARG_CREATEQUERY* pData);
HRESULT APIENTRY destroy_query(HANDLE hDevice, const HANDLE hQuery);
HRESULT APIENTRY issue_query(HANDLE hDevice, const D3DDDIARG_ISSUEQUERY* pData);
HRESULT APIENTRY get_query_data(HANDLE hDevice, const D3DDDIARG_GETQUERYDATA* pData);

}  // namespace softgpu
