// What is bound to a Direct3D 9 device, and its state.
#include "umd/d3d9/device9.h"

namespace umd {
namespace {

HANDLE driver_handle_of(const Resource* resource) { return resource ? resource->driver_handle : nullptr; }

}  // namespace

// A resource that is destroyed is unbound first, and the driver is told so.
void Device9::unbind(const Resource* resource) {
  for (UINT i = 0; i < kTargets; ++i) {
    if (targets_[i] == resource) set_render_target(i, nullptr);
  }
  for (UINT i = 0; i < kStages; ++i) {
    if (textures_[i] == resource) set_texture(i, nullptr);
  }
  for (UINT i = 0; i < kStreams; ++i) {
    if (streams_[i] == resource) set_stream_source(i, nullptr, 0, 0);
  }
  if (depth_ == resource) set_depth_stencil(nullptr);
  if (indices_ == resource) set_indices(nullptr, 0);
}

HRESULT Device9::set_render_target(UINT index, Resource* resource, UINT surface) {
  CHECK(index < kTargets);
  D3DDDIARG_SETRENDERTARGET args{index, driver_handle_of(resource), surface};
  HRESULT result = raw("SetRenderTarget", &D3DDDI_DEVICEFUNCS::pfnSetRenderTarget, &args);
  if (SUCCEEDED(result) || !resource) targets_[index] = resource;
  return result;
}

HRESULT Device9::set_depth_stencil(Resource* resource) {
  D3DDDIARG_SETDEPTHSTENCIL args{driver_handle_of(resource)};
  HRESULT result = raw("SetDepthStencil", &D3DDDI_DEVICEFUNCS::pfnSetDepthStencil, &args);
  if (SUCCEEDED(result) || !resource) depth_ = resource;
  return result;
}

HRESULT Device9::set_texture(UINT stage, Resource* resource) {
  CHECK(stage < kStages);
  HRESULT result = raw("SetTexture", &D3DDDI_DEVICEFUNCS::pfnSetTexture, stage, driver_handle_of(resource));
  if (SUCCEEDED(result) || !resource) textures_[stage] = resource;
  return result;
}

HRESULT Device9::set_stream_source(UINT stream, Resource* resource, UINT offset, UINT stride) {
  CHECK(stream < kStreams);
  D3DDDIARG_SETSTREAMSOURCE args{stream, driver_handle_of(resource), offset, stride};
  HRESULT result = raw("SetStreamSource", &D3DDDI_DEVICEFUNCS::pfnSetStreamSource, &args);
  if (SUCCEEDED(result) || !resource) streams_[stream] = resource;
  return result;
}

HRESULT Device9::set_indices(Resource* resource, UINT stride) {
  D3DDDIARG_SETINDICES args{driver_handle_of(resource), stride};
  HRESULT result = raw("SetIndices", &D3DDDI_DEVICEFUNCS::pfnSetIndices, &args);
  if (SUCCEEDED(result) || !resource) indices_ = resource;
  return result;
}

HRESULT Device9::set_stream_source_um(const void* vertices, UINT stride) {
  D3DDDIARG_SETSTREAMSOURCEUM args{0, stride};
  HRESULT result = raw("SetStreamSourceUm", &D3DDDI_DEVICEFUNCS::pfnSetStreamSourceUm, &args, vertices);
  if (SUCCEEDED(result)) streams_[0] = nullptr;
  return result;
}

HRESULT Device9::set_indices_um(const void* indices, UINT stride) {
  HRESULT result = raw("SetIndicesUm", &D3DDDI_DEVICEFUNCS::pfnSetIndicesUm, stride, indices);
  if (SUCCEEDED(result)) indices_ = nullptr;
  return result;
}

HRESULT Device9::set_render_state(D3DDDIRENDERSTATETYPE state, UINT value) {
  D3DDDIARG_RENDERSTATE args{state, value};
  return raw("SetRenderState", &D3DDDI_DEVICEFUNCS::pfnSetRenderState, &args);
}

HRESULT Device9::set_texture_stage_state(UINT stage, D3DDDITEXTURESTAGESTATETYPE state, UINT value) {
  D3DDDIARG_TEXTURESTAGESTATE args{stage, state, value};
  return raw("SetTextureStageState", &D3DDDI_DEVICEFUNCS::pfnSetTextureStageState, &args);
}

HRESULT Device9::set_transform(D3DTRANSFORMSTATETYPE which, const D3DMATRIX& matrix) {
  D3DDDIARG_SETTRANSFORM args{which, matrix};
  return raw("SetTransform", &D3DDDI_DEVICEFUNCS::pfnSetTransform, &args);
}

HRESULT Device9::set_viewport(UINT x, UINT y, UINT width, UINT height) {
  D3DDDIARG_VIEWPORTINFO args{x, y, width, height};
  return raw("SetViewport", &D3DDDI_DEVICEFUNCS::pfnSetViewport, &args);
}

HRESULT Device9::set_z_range(float min_z, float max_z) {
  D3DDDIARG_ZRANGE args{min_z, max_z};
  return raw("SetZRange", &D3DDDI_DEVICEFUNCS::pfnSetZRange, &args);
}

HRESULT Device9::set_scissor(const RECT& rect) {
  return raw("SetScissorRect", &D3DDDI_DEVICEFUNCS::pfnSetScissorRect, &rect);
}

HRESULT Device9::set_material(const D3DDDIARG_SETMATERIAL& material) {
  return raw("SetMaterial", &D3DDDI_DEVICEFUNCS::pfnSetMaterial, &material);
}

HRESULT Device9::create_light(UINT index) {
  D3DDDIARG_CREATELIGHT args{index};
  return raw("CreateLight", &D3DDDI_DEVICEFUNCS::pfnCreateLight, &args);
}

// Its properties, and that it is on.
HRESULT Device9::set_light(UINT index, const D3DDDI_LIGHT& light) {
  D3DDDIARG_SETLIGHT data{index, D3DDDI_SETLIGHT_DATA}, enable{index, D3DDDI_SETLIGHT_ENABLE};
  HRESULT result = raw("SetLight", &D3DDDI_DEVICEFUNCS::pfnSetLight, &data, &light);
  return FAILED(result) ? result : raw("SetLight", &D3DDDI_DEVICEFUNCS::pfnSetLight, &enable, nullptr);
}

HRESULT Device9::destroy_light(UINT index) {
  D3DDDIARG_DESTROYLIGHT args{index};
  return raw("DestroyLight", &D3DDDI_DEVICEFUNCS::pfnDestroyLight, &args);
}

HRESULT Device9::create_vertex_declaration(const D3DDDIVERTEXELEMENT* elements, UINT count, HANDLE* declaration) {
  D3DDDIARG_CREATEVERTEXSHADERDECL args{count, nullptr};
  HRESULT result = raw("CreateVertexShaderDecl", &D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderDecl, &args, elements);
  *declaration = SUCCEEDED(result) ? args.ShaderHandle : nullptr;
  return result;
}

HRESULT Device9::set_vertex_declaration(HANDLE declaration) {
  return raw("SetVertexShaderDecl", &D3DDDI_DEVICEFUNCS::pfnSetVertexShaderDecl, declaration);
}

HRESULT Device9::delete_vertex_declaration(HANDLE declaration) {
  return raw("DeleteVertexShaderDecl", &D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderDecl, declaration);
}

}  // namespace umd
