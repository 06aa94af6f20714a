// The pipeline of a Direct3D 10 or 11 device as its driver is told about it.
#include <algorithm>

#include "umd/d3d10/device10.h"

namespace umd {
namespace {

constexpr ShaderStage kStages[] = {ShaderStage::Vertex, ShaderStage::Geometry, ShaderStage::Pixel};

template <typename Handle, typename Slots>
std::array<Handle, Slots::kCount> handles_of(const Slots& slots) {
  std::array<Handle, Slots::kCount> handles{};
  for (UINT i = 0; i < slots.used; ++i) handles[i] = {slots.at[i] ? slots.at[i]->driver_handle : nullptr};
  return handles;
}

template <typename Handle>
Handle handle_of(const Device10Object* child) {
  return {child ? child->driver_handle : nullptr};
}

struct Range {
  UINT first, count;
};

// A range that a driver asked for, as far as there are slots.
Range clamp(UINT first, UINT count, UINT slots) {
  first = std::min(first, slots);
  return {first, std::min(count, slots - first)};
}

}  // namespace

HRESULT Device10::apply_of_stage(State10 what, ShaderStage stage, UINT first, UINT count) {
  const D3D11DDI_DEVICEFUNCS& table = functions_.v11;
  Bindings10::OfStage& bound = bindings_.of(stage);
  auto of_stage = [&](auto vertex, auto geometry, auto pixel) {
    return stage == ShaderStage::Vertex ? vertex : stage == ShaderStage::Geometry ? geometry : pixel;
  };
  Frame10 frame("", Role::Other, Errors::Removed);
  if (what == State10::Shaders) {
    frame.name = "SetShader";
    return told(frame, of_stage(table.pfnVsSetShader, table.pfnGsSetShader, table.pfnPsSetShader),
                handle_of<D3D10DDI_HSHADER>(bound.shader));
  }
  if (what == State10::ShaderResources) {
    frame.name = "SetShaderResources";
    auto handles = handles_of<D3D10DDI_HSHADERRESOURCEVIEW>(bound.views);
    auto [from, views] = clamp(first, count, bound.views.used);
    return told(frame,
                of_stage(table.pfnVsSetShaderResources, table.pfnGsSetShaderResources, table.pfnPsSetShaderResources),
                from, views, &handles[from]);
  }
  if (what == State10::Samplers) {
    frame.name = "SetSamplers";
    auto handles = handles_of<D3D10DDI_HSAMPLER>(bound.samplers);
    auto [from, samplers] = clamp(first, count, bound.samplers.used);
    return told(frame, of_stage(table.pfnVsSetSamplers, table.pfnGsSetSamplers, table.pfnPsSetSamplers), from, samplers,
                &handles[from]);
  }
  frame.name = "SetConstantBuffers";
  auto handles = handles_of<D3D10DDI_HRESOURCE>(bound.constants);
  auto [from, buffers] = clamp(first, count, bound.constants.used);
  return told(frame,
              of_stage(table.pfnVsSetConstantBuffers, table.pfnGsSetConstantBuffers, table.pfnPsSetConstantBuffers),
              from, buffers, &handles[from]);
}

HRESULT Device10::apply_vertex_buffers(UINT first, UINT count) {
  auto handles = handles_of<D3D10DDI_HRESOURCE>(bindings_.vertex_buffers);
  auto [from, buffers] = clamp(first, count, bindings_.vertex_buffers.used);
  Frame10 frame("IaSetVertexBuffers", Role::Other, Errors::Removed);
  return told(frame, functions_.v11.pfnIaSetVertexBuffers, from, buffers, &handles[from], &bindings_.strides[from],
              &bindings_.offsets[from]);
}

HRESULT Device10::apply_targets() {
  auto handles = handles_of<D3D10DDI_HRENDERTARGETVIEW>(bindings_.targets);
  UINT count = bindings_.targets.used;
  while (count != 0 && !bindings_.targets.at[count - 1]) --count;
  UINT unbound = std::max(told_targets_, count) - count;
  told_targets_ = count;
  auto depth = handle_of<D3D10DDI_HDEPTHSTENCILVIEW>(bindings_.depth);
  Frame10 frame("SetRenderTargets", Role::Other, Errors::Removed);
  if (!is_d3d11()) {
    return told(frame, functions_.v10_0.pfnSetRenderTargets, handles.data(), count, unbound, depth);
  }
  return told(frame, functions_.v11.pfnSetRenderTargets, handles.data(), count, unbound, depth, nullptr, nullptr, count,
              0u, count, 0u);
}

HRESULT Device10::apply(State10 what, ShaderStage stage, UINT first, UINT count) {
  const D3D11DDI_DEVICEFUNCS& table = functions_.v11;
  Frame10 frame("", Role::Other, Errors::Removed);
  switch (what) {
    case State10::Shaders:
    case State10::ShaderResources:
    case State10::Samplers:
    case State10::ConstantBuffers:
      return apply_of_stage(what, stage, first, count);
    case State10::VertexBuffers:
      return apply_vertex_buffers(first, count);
    case State10::RenderTargets:
      return apply_targets();
    case State10::IndexBuffer:
      frame.name = "IaSetIndexBuffer";
      return told(frame, table.pfnIaSetIndexBuffer, driver_handle(bindings_.indices), bindings_.index_format,
                  bindings_.index_offset);
    case State10::InputLayout:
      frame.name = "IaSetInputLayout";
      return told(frame, table.pfnIaSetInputLayout, handle_of<D3D10DDI_HELEMENTLAYOUT>(bindings_.layout));
    case State10::Topology:
      frame.name = "IaSetTopology";
      return told(frame, table.pfnIaSetTopology, bindings_.topology);
    case State10::Blend:
      frame.name = "SetBlendState";
      return told(frame, table.pfnSetBlendState, handle_of<D3D10DDI_HBLENDSTATE>(bindings_.blend),
                  bindings_.blend_factor.data(), bindings_.sample_mask);
    case State10::DepthStencil:
      frame.name = "SetDepthStencilState";
      return told(frame, table.pfnSetDepthStencilState, handle_of<D3D10DDI_HDEPTHSTENCILSTATE>(bindings_.depth_state),
                  bindings_.stencil_reference);
    case State10::Rasterizer:
      frame.name = "SetRasterizerState";
      return told(frame, table.pfnSetRasterizerState, handle_of<D3D10DDI_HRASTERIZERSTATE>(bindings_.rasterizer));
    case State10::Viewports: {
      auto viewports = static_cast<UINT>(bindings_.viewports.size());
      UINT cleared = std::max(told_viewports_, viewports) - viewports;
      told_viewports_ = viewports;
      frame.name = "SetViewports";
      return told(frame, table.pfnSetViewports, viewports, cleared, bindings_.viewports.data());
    }
    case State10::Scissors: {
      auto rects = static_cast<UINT>(bindings_.scissors.size());
      UINT cleared = std::max(told_scissors_, rects) - rects;
      told_scissors_ = rects;
      frame.name = "SetScissorRects";
      return told(frame, table.pfnSetScissorRects, rects, cleared, bindings_.scissors.data());
    }
  }
  return S_OK;
}

// The driver asks from within one of its functions, and is called from within that.
void Device10::refresh(State10 what, ShaderStage stage, UINT first, UINT count) { apply(what, stage, first, count); }

// --- Unbinding, of which a removed device is told too ---

namespace {

struct Changed {
  State10 what;
  ShaderStage stage = ShaderStage::Vertex;
};

// Unbinds the object from every place; returns the states of the pipeline that this changes.
std::vector<Changed> take_out(Bindings10& bindings, const Device10Object& child) {
  std::vector<Changed> changed;
  auto note = [&](bool found, State10 what, ShaderStage stage = ShaderStage::Vertex) {
    if (found) changed.push_back({what, stage});
  };
  switch (child.kind) {
    case Device10ObjectKind::RenderTargetView:
      note(unbind_slots(bindings.targets, &child), State10::RenderTargets);
      break;
    case Device10ObjectKind::DepthStencilView:
      note(unbind_slot(bindings.depth, &child), State10::RenderTargets);
      break;
    case Device10ObjectKind::ElementLayout:
      note(unbind_slot(bindings.layout, &child), State10::InputLayout);
      break;
    case Device10ObjectKind::BlendState:
      note(unbind_slot(bindings.blend, &child), State10::Blend);
      break;
    case Device10ObjectKind::DepthStencilState:
      note(unbind_slot(bindings.depth_state, &child), State10::DepthStencil);
      break;
    case Device10ObjectKind::RasterizerState:
      note(unbind_slot(bindings.rasterizer, &child), State10::Rasterizer);
      break;
    case Device10ObjectKind::Shader:
      note(unbind_slot(bindings.of(child.stage).shader, &child), State10::Shaders, child.stage);
      break;
    case Device10ObjectKind::ShaderResourceView:
      for (ShaderStage stage : kStages)
        note(unbind_slots(bindings.of(stage).views, &child), State10::ShaderResources, stage);
      break;
    case Device10ObjectKind::Sampler:
      for (ShaderStage stage : kStages)
        note(unbind_slots(bindings.of(stage).samplers, &child), State10::Samplers, stage);
      break;
  }
  return changed;
}

std::vector<Changed> take_out(Bindings10& bindings, const Resource& resource) {
  std::vector<Changed> changed;
  if (unbind_slots(bindings.vertex_buffers, &resource)) changed.push_back({State10::VertexBuffers});
  if (unbind_slot(bindings.indices, &resource)) changed.push_back({State10::IndexBuffer});
  for (ShaderStage stage : kStages) {
    if (unbind_slots(bindings.of(stage).constants, &resource)) changed.push_back({State10::ConstantBuffers, stage});
  }
  return changed;
}

}  // namespace

void Device10::unbind_everywhere(Device10Object& child) {
  std::vector<Changed> changed;
  {
    RuntimeGuard guard(runtime.lock);
    if (child.bound) changed = take_out(bindings_, child);
  }
  for (const Changed& each : changed) apply(each.what, each.stage);
}

// The resource itself, and each view of it.
void Device10::unbind_everywhere(Resource& resource) {
  std::vector<Device10Object*> views;
  std::vector<Changed> changed;
  {
    RuntimeGuard guard(runtime.lock);
    for (Device10Object& view : more(&resource)->views) views.push_back(&view);
    if (more(&resource)->bound) changed = take_out(bindings_, resource);
  }
  for (Device10Object* view : views) unbind_everywhere(*view);
  for (const Changed& each : changed) apply(each.what, each.stage);
}

void Device10::clear_state() {
  std::vector<Device10Object*> children;
  std::vector<Resource*> resources;
  {
    RuntimeGuard guard(runtime.lock);
    auto add = [&](Device10Object* child) {
      if (child && std::find(children.begin(), children.end(), child) == children.end()) children.push_back(child);
    };
    auto add_resource_once = [&](Resource* resource) {
      if (resource && std::find(resources.begin(), resources.end(), resource) == resources.end()) {
        resources.push_back(resource);
      }
    };
    for (RenderTargetView* each : bindings_.targets) add(each);
    for (Bindings10::OfStage& stage : bindings_.stages) {
      add(stage.shader);
      for (ShaderResourceView* each : stage.views) add(each);
      for (Sampler* each : stage.samplers) add(each);
      for (Resource* each : stage.constants) add_resource_once(each);
    }
    for (Resource* each : bindings_.vertex_buffers) add_resource_once(each);
    add_resource_once(bindings_.indices);
    add(bindings_.depth);
    add(bindings_.layout);
    add(bindings_.blend);
    add(bindings_.depth_state);
    add(bindings_.rasterizer);
  }
  for (Device10Object* child : children) unbind_everywhere(*child);
  for (Resource* resource : resources) unbind_everywhere(*resource);
}

// Everything that is bound: more than a draw may touch; but a driver has to keep all of it for the draw.
void Device10::use_bound(const Frame10& frame) {
  constexpr size_t kOfStage =
      decltype(Bindings10::OfStage::views)::kCount + decltype(Bindings10::OfStage::constants)::kCount;
  constexpr size_t kMost =
      decltype(Bindings10::targets)::kCount + decltype(Bindings10::vertex_buffers)::kCount + kStages10 * kOfStage + 2;
  std::array<Resource*, kMost> bound;
  size_t count = 0;
  auto add = [&](Resource* resource) {
    if (resource) bound[count++] = resource;
  };
  auto add_view = [&](const Device10Object* view) {
    if (view) add(view->resource);
  };
  for (const RenderTargetView* each : bindings_.targets) add_view(each);
  add_view(bindings_.depth);
  for (const Bindings10::OfStage& stage : bindings_.stages) {
    for (const ShaderResourceView* each : stage.views) add_view(each);
    for (Resource* each : stage.constants) add(each);
  }
  for (Resource* each : bindings_.vertex_buffers) add(each);
  add(bindings_.indices);
  use(frame, std::span(bound.data(), count), Work::Draw);
  for (const RenderTargetView* each : bindings_.targets) write(frame, each ? each->resource : nullptr);
}

}  // namespace umd
