// State objects, and what is bound to the pipeline.
#include "d3d10_state.h"

#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

// Direct3D's numbers are the hardware's; what is none of them would be a fault.
uint8_t in_range(UINT value, UINT first, UINT last, UINT otherwise) {
  return static_cast<uint8_t>(value >= first && value <= last ? value : otherwise);
}

uint8_t blend_factor(UINT value, UINT otherwise) {
  if (value == SOFTGPU_BLEND_FACTOR || value == SOFTGPU_BLEND_INV_FACTOR) return static_cast<uint8_t>(value);
  return in_range(value, SOFTGPU_BLEND_ZERO, SOFTGPU_BLEND_SRC_ALPHA_SAT, otherwise);
}

uint8_t blend_op(UINT value) {
  return in_range(value, SOFTGPU_BLEND_OP_ADD, SOFTGPU_BLEND_OP_MAX, SOFTGPU_BLEND_OP_ADD);
}

uint8_t address(UINT value) {
  return in_range(value, SOFTGPU_ADDRESS_WRAP, SOFTGPU_ADDRESS_CLAMP, SOFTGPU_ADDRESS_CLAMP);
}

// The first target's, which is the only one. Both versions of the description have these.
template <typename Desc>
BlendState convert(const Desc& desc, BOOL enabled, UINT8 write_mask) {
  return {enabled != FALSE,
          blend_factor(desc.SrcBlend, SOFTGPU_BLEND_ONE),
          blend_factor(desc.DestBlend, SOFTGPU_BLEND_ZERO),
          blend_op(desc.BlendOp),
          blend_factor(desc.SrcBlendAlpha, SOFTGPU_BLEND_ONE),
          blend_factor(desc.DestBlendAlpha, SOFTGPU_BLEND_ZERO),
          blend_op(desc.BlendOpAlpha),
          static_cast<uint8_t>(write_mask & SOFTGPU_WRITE_ALL)};
}

// Fronts are clockwise unless it says otherwise.
uint8_t cull_of(const D3D10_DDI_RASTERIZER_DESC& desc) {
  if (desc.CullMode != D3D10_DDI_CULL_FRONT && desc.CullMode != D3D10_DDI_CULL_BACK) return SOFTGPU_CULL_NONE;
  bool clockwise = (desc.CullMode == D3D10_DDI_CULL_FRONT) != (desc.FrontCounterClockwise != FALSE);
  return clockwise ? SOFTGPU_CULL_CW : SOFTGPU_CULL_CCW;
}

bool is_linear(D3D10_DDI_FILTER filter) {
  constexpr UINT kMagnifyLinear = D3D10_DDI_FILTER_MIN_POINT_MAG_LINEAR_MIP_POINT;
  return (static_cast<UINT>(filter) & kMagnifyLinear) != 0;
}

UINT index_bytes(DXGI_FORMAT format) {
  return format == DXGI_FORMAT_R16_UINT ? 2 : format == DXGI_FORMAT_R32_UINT ? 4 : 0;
}

// The first slot is the only one that anything is drawn by.
template <typename T, typename Handle>
void bind_first(T*& slot, UINT start, UINT count, const Handle* handles) {
  if (start == 0 && count != 0) slot = object_of<T>(handles[0]);
}

}  // namespace

// --- Creating ---

void APIENTRY create_blend_state(D3D10DDI_HDEVICE, const D3D10_DDI_BLEND_DESC* pBlendDesc,
                                 D3D10DDI_HBLENDSTATE hBlendState, D3D10DDI_HRTBLENDSTATE) {
  place(hBlendState, convert(*pBlendDesc, pBlendDesc->BlendEnable[0], pBlendDesc->RenderTargetWriteMask[0]));
}

void APIENTRY create_blend_state1(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC* pBlendDesc,
                                  D3D10DDI_HBLENDSTATE hBlendState, D3D10DDI_HRTBLENDSTATE) {
  const D3D10_DDI_RENDER_TARGET_BLEND_DESC1& target = pBlendDesc->RenderTarget[0];
  place(hBlendState, convert(target, target.BlendEnable, target.RenderTargetWriteMask));
}

void APIENTRY create_depth_state(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC* pDepthStencilDesc,
                                 D3D10DDI_HDEPTHSTENCILSTATE hDepthStencilState, D3D10DDI_HRTDEPTHSTENCILSTATE) {
  uint8_t function =
      in_range(pDepthStencilDesc->DepthFunc, SOFTGPU_COMPARE_NEVER, SOFTGPU_COMPARE_ALWAYS, SOFTGPU_COMPARE_ALWAYS);
  bool written = pDepthStencilDesc->DepthWriteMask == D3D10_DDI_DEPTH_WRITE_MASK_ALL;
  place(hDepthStencilState, DepthState{pDepthStencilDesc->DepthEnable != FALSE, written, function});
}

void APIENTRY create_rasterizer_state(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC* pRasterizerDesc,
                                      D3D10DDI_HRASTERIZERSTATE hRasterizerState, D3D10DDI_HRTRASTERIZERSTATE) {
  uint8_t fill = in_range(pRasterizerDesc->FillMode, SOFTGPU_FILL_WIREFRAME, SOFTGPU_FILL_SOLID, SOFTGPU_FILL_SOLID);
  place(hRasterizerState, RasterizerState{cull_of(*pRasterizerDesc), fill, pRasterizerDesc->ScissorEnable != FALSE,
                                          pRasterizerDesc->DepthClipEnable != FALSE});
}

void APIENTRY create_sampler(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC* pSamplerDesc, D3D10DDI_HSAMPLER hSampler,
                             D3D10DDI_HRTSAMPLER) {
  place(hSampler,
        Sampler{address(pSamplerDesc->AddressU), address(pSamplerDesc->AddressV), is_linear(pSamplerDesc->Filter)});
}

// --- Binding ---

void APIENTRY set_vertex_shader(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADER hShader) {
  device_of(hDevice).state.vertex_shader = object_of<Shader>(hShader);
}

void APIENTRY set_pixel_shader(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADER hShader) {
  device_of(hDevice).state.pixel_shader = object_of<Shader>(hShader);
}

void APIENTRY set_vertex_constants(D3D10DDI_HDEVICE hDevice, UINT StartBuffer, UINT NumBuffers,
                                   const D3D10DDI_HRESOURCE* phBuffers) {
  bind_first(device_of(hDevice).state.constants, StartBuffer, NumBuffers, phBuffers);
}

void APIENTRY set_pixel_textures(D3D10DDI_HDEVICE hDevice, UINT Offset, UINT NumViews,
                                 const D3D10DDI_HSHADERRESOURCEVIEW* phShaderResourceViews) {
  bind_first(device_of(hDevice).state.texture, Offset, NumViews, phShaderResourceViews);
}

void APIENTRY set_pixel_samplers(D3D10DDI_HDEVICE hDevice, UINT Offset, UINT NumSamplers,
                                 const D3D10DDI_HSAMPLER* phSamplers) {
  bind_first(device_of(hDevice).state.sampler, Offset, NumSamplers, phSamplers);
}

void APIENTRY set_layout(D3D10DDI_HDEVICE hDevice, D3D10DDI_HELEMENTLAYOUT hInputLayout) {
  device_of(hDevice).state.layout = object_of<Layout>(hInputLayout);
}

void APIENTRY set_vertex_buffers(D3D10DDI_HDEVICE hDevice, UINT StartBuffer, UINT NumBuffers,
                                 const D3D10DDI_HRESOURCE* phBuffers, const UINT* pStrides, const UINT* pOffsets) {
  State& state = device_of(hDevice).state;
  for (UINT i = 0; i < NumBuffers && StartBuffer + i < kVertexBuffers; ++i) {
    state.vertices[StartBuffer + i] = {handle_of(phBuffers[i]), pStrides[i], pOffsets[i]};
  }
}

void APIENTRY set_index_buffer(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hBuffer, DXGI_FORMAT Format, UINT Offset) {
  device_of(hDevice).state.indices = {handle_of(hBuffer), index_bytes(Format), Offset};
}

void APIENTRY set_topology(D3D10DDI_HDEVICE hDevice, D3D10_DDI_PRIMITIVE_TOPOLOGY PrimitiveTopology) {
  device_of(hDevice).state.topology = PrimitiveTopology;
}

// Slots behind those that are given are empty.
void APIENTRY set_render_targets(D3D10DDI_HDEVICE hDevice, const D3D10DDI_HRENDERTARGETVIEW* phRenderTargetView,
                                 UINT RTargets, UINT, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView) {
  State& state = device_of(hDevice).state;
  state.target = RTargets ? object_of<View>(phRenderTargetView[0]) : nullptr;
  state.depth = object_of<View>(hDepthStencilView);
}

void APIENTRY set_render_targets11(D3D10DDI_HDEVICE hDevice, const D3D10DDI_HRENDERTARGETVIEW* phRenderTargetView,
                                   UINT NumRTVs, UINT RTVNumbertoUnbind, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
                                   const D3D11DDI_HUNORDEREDACCESSVIEW*, const UINT*, UINT, UINT, UINT, UINT) {
  set_render_targets(hDevice, phRenderTargetView, NumRTVs, RTVNumbertoUnbind, hDepthStencilView);
}

void APIENTRY set_blend_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HBLENDSTATE hState, const FLOAT pBlendFactor[4],
                              UINT) {
  State& state = device_of(hDevice).state;
  state.blend = object_of<BlendState>(hState);
  state.blend_factor = pack_color(pBlendFactor);
}

void APIENTRY set_depth_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HDEPTHSTENCILSTATE hState, UINT) {
  device_of(hDevice).state.depth_state = object_of<DepthState>(hState);
}

void APIENTRY set_rasterizer_state(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRASTERIZERSTATE hRasterizerState) {
  device_of(hDevice).state.rasterizer = object_of<RasterizerState>(hRasterizerState);
}

void APIENTRY set_viewports(D3D10DDI_HDEVICE hDevice, UINT NumViewports, UINT, const D3D10_DDI_VIEWPORT* pViewports) {
  device_of(hDevice).state.viewport = NumViewports ? pViewports[0] : D3D10_DDI_VIEWPORT{};
}

void APIENTRY set_scissors(D3D10DDI_HDEVICE hDevice, UINT NumScissorRects, UINT, const D3D10_DDI_RECT* pRects) {
  device_of(hDevice).state.scissor = NumScissorRects ? pRects[0] : D3D10_DDI_RECT{};
}

}  // namespace softgpu::d3d10
