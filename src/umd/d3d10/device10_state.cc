// What a program binds to the pipeline of a Direct3D 10 or 11 device. All of it is kept, because the driver may ask to
// be told again, and because what is bound is not destroyed.
#include "umd/d3d10/device10.h"

namespace umd {

HRESULT Device10::set_render_targets(std::span<RenderTargetView* const> targets, DepthStencilView* depth) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slots(bindings_.targets, 0, targets);
    for (auto i = static_cast<UINT>(targets.size()); i < bindings_.targets.used; ++i) {
      bind_slot(bindings_.targets.at[i], nullptr);
    }
    bind_slot(bindings_.depth, depth);
  }
  return apply(State10::RenderTargets);
}

HRESULT Device10::set_shader(ShaderStage stage, Shader* shader) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.of(stage).shader, shader);
  }
  return apply(State10::Shaders, stage);
}

HRESULT Device10::set_shader_resources(ShaderStage stage, UINT first, std::span<ShaderResourceView* const> views) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slots(bindings_.of(stage).views, first, views);
  }
  return apply(State10::ShaderResources, stage, first, static_cast<UINT>(views.size()));
}

HRESULT Device10::set_samplers(ShaderStage stage, UINT first, std::span<Sampler* const> samplers) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slots(bindings_.of(stage).samplers, first, samplers);
  }
  return apply(State10::Samplers, stage, first, static_cast<UINT>(samplers.size()));
}

HRESULT Device10::set_constant_buffers(ShaderStage stage, UINT first, std::span<Resource* const> buffers) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slots(bindings_.of(stage).constants, first, buffers);
  }
  return apply(State10::ConstantBuffers, stage, first, static_cast<UINT>(buffers.size()));
}

HRESULT Device10::set_input_layout(ElementLayout* layout) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.layout, layout);
  }
  return apply(State10::InputLayout);
}

HRESULT Device10::set_vertex_buffers(UINT first, std::span<const VertexBuffer> buffers) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    UINT index = first;
    for (const VertexBuffer& buffer : buffers) {
      Resource* const resource = buffer.resource;
      bind_slots(bindings_.vertex_buffers, index, std::span<Resource* const>(&resource, 1));
      bindings_.strides[index] = buffer.stride;
      bindings_.offsets[index++] = buffer.offset;
    }
  }
  return apply(State10::VertexBuffers, ShaderStage::Vertex, first, static_cast<UINT>(buffers.size()));
}

HRESULT Device10::set_index_buffer(Resource* buffer, DXGI_FORMAT format, UINT offset) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.indices, buffer);
  }
  bindings_.index_format = format;
  bindings_.index_offset = offset;
  return apply(State10::IndexBuffer);
}

HRESULT Device10::set_topology(D3D10_DDI_PRIMITIVE_TOPOLOGY topology) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  bindings_.topology = topology;
  return apply(State10::Topology);
}

HRESULT Device10::set_viewports(std::span<const D3D10_DDI_VIEWPORT> viewports) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  bindings_.viewports.assign(viewports.begin(), viewports.end());
  return apply(State10::Viewports);
}

HRESULT Device10::set_scissors(std::span<const D3D10_DDI_RECT> rects) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  bindings_.scissors.assign(rects.begin(), rects.end());
  return apply(State10::Scissors);
}

HRESULT Device10::set_rasterizer_state(RasterizerState* state) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.rasterizer, state);
  }
  return apply(State10::Rasterizer);
}

HRESULT Device10::set_blend_state(BlendState* state, const FLOAT (&factor)[4], UINT sample_mask) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.blend, state);
  }
  std::copy(std::begin(factor), std::end(factor), bindings_.blend_factor.begin());
  bindings_.sample_mask = sample_mask;
  return apply(State10::Blend);
}

HRESULT Device10::set_depth_stencil_state(DepthStencilState* state, UINT stencil_reference) {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  {
    RuntimeGuard guard(runtime.lock);
    bind_slot(bindings_.depth_state, state);
  }
  bindings_.stencil_reference = stencil_reference;
  return apply(State10::DepthStencil);
}

}  // namespace umd
