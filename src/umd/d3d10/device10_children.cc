// Views, state objects and shaders of a Direct3D 10 or 11 device.
#include <cstring>

#include "umd/d3d10/device10.h"

namespace umd {
namespace {

// Structures of an earlier interface that are the beginning of a later one's.
template <typename To, typename From>
To beginning_of(const From& from) {
  static_assert(sizeof(To) <= sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

D3D10DDIARG_CREATEDEPTHSTENCILVIEW without_flags(const D3D11DDIARG_CREATEDEPTHSTENCILVIEW& desc) {
  D3D10DDIARG_CREATEDEPTHSTENCILVIEW old{};
  old.hDrvResource = desc.hDrvResource;
  old.Format = desc.Format;
  old.ResourceDimension = desc.ResourceDimension;
  old.Tex2D = desc.Tex2D;  // the other members of the union have its shape
  return old;
}

// Direct3D 10.0 blends all targets alike.
D3D10_DDI_BLEND_DESC alike(const D3D10_1_DDI_BLEND_DESC& desc) {
  const D3D10_DDI_RENDER_TARGET_BLEND_DESC1& first = desc.RenderTarget[0];
  D3D10_DDI_BLEND_DESC old{};
  old.AlphaToCoverageEnable = desc.AlphaToCoverageEnable;
  old.SrcBlend = first.SrcBlend;
  old.DestBlend = first.DestBlend;
  old.BlendOp = first.BlendOp;
  old.SrcBlendAlpha = first.SrcBlendAlpha;
  old.DestBlendAlpha = first.DestBlendAlpha;
  old.BlendOpAlpha = first.BlendOpAlpha;
  for (size_t i = 0; i < D3D10_DDI_SIMULTANEOUS_RENDER_TARGET_COUNT; ++i) {
    const auto& target = desc.RenderTarget[desc.IndependentBlendEnable ? i : 0];
    old.BlendEnable[i] = target.BlendEnable;
    old.RenderTargetWriteMask[i] = target.RenderTargetWriteMask;
  }
  return old;
}

void* rt_handle(const Device10Object& child) { return reinterpret_cast<void*>(child.serial); }

}  // namespace

const char* to_string(Device10ObjectKind kind) {
  switch (kind) {
    case Device10ObjectKind::ShaderResourceView:
      return "a shader resource view";
    case Device10ObjectKind::RenderTargetView:
      return "a render target view";
    case Device10ObjectKind::DepthStencilView:
      return "a depth stencil view";
    case Device10ObjectKind::ElementLayout:
      return "an element layout";
    case Device10ObjectKind::BlendState:
      return "a blend state";
    case Device10ObjectKind::DepthStencilState:
      return "a depth stencil state";
    case Device10ObjectKind::RasterizerState:
      return "a rasterizer state";
    case Device10ObjectKind::Sampler:
      return "a sampler";
    case Device10ObjectKind::Shader:
      return "a shader";
  }
  return "";
}

Device10Objects& Device10::list_of(const Device10Object& child) {
  return child.resource ? more(child.resource)->views : children_;
}

// `tell(frame, child)` calls the driver.
template <typename T, typename Tell>
HRESULT Device10::make_child(const char* name, Resource* resource, size_t bytes, T** made, Tell&& tell) {
  auto child = std::make_unique<T>();
  child->kind = T::kKind;
  child->resource = resource;
  child->memory = PrivateBlock(bytes, to_string(T::kKind));
  child->driver_handle = child->memory.data();
  {
    RuntimeGuard guard(runtime.lock);
    child->serial = ++children_made_;
  }
  Frame10 frame(name, Role::Create, Errors::Memory);
  tell(frame, *child);
  std::vector<Trespass> found;
  {
    RuntimeGuard guard(runtime.lock);
    if (frame.reported) {
      found = quarantine_.add(std::move(child->memory), 0);
    } else {
      list_of(*child).push_front(*child);
      *made = child.release();
    }
  }
  judge_private_memory(found);
  return outcome(frame);
}

// --- Views ---

HRESULT Device10::create_render_target_view(Resource* resource, RenderTargetView** created) {
  const ResourceDesc10& its = more(resource)->desc;
  D3D10DDIARG_CREATERENDERTARGETVIEW desc{};
  desc.Format = its.format;
  desc.ResourceDimension = its.dimension;
  if (its.dimension == D3D10DDIRESOURCE_BUFFER) {
    desc.Buffer.NumElements = its.width;
  } else {
    desc.Tex2D.ArraySize = its.dimension == D3D10DDIRESOURCE_TEXTURE3D ? its.depth : its.array;
  }
  return create_render_target_view(resource, desc, created);
}

HRESULT Device10::create_render_target_view(Resource* resource, D3D10DDIARG_CREATERENDERTARGETVIEW desc,
                                            RenderTargetView** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  desc.hDrvResource = driver_handle(resource);
  size_t bytes = ask("CalcPrivateRenderTargetViewSize", functions_.v11.pfnCalcPrivateRenderTargetViewSize, &desc);
  return make_child("CreateRenderTargetView", resource, bytes, created, [&](Frame10& frame, RenderTargetView& view) {
    call(frame, functions_.v11.pfnCreateRenderTargetView, driver_handle(), &desc,
         D3D10DDI_HRENDERTARGETVIEW{view.driver_handle}, D3D10DDI_HRTRENDERTARGETVIEW{rt_handle(view)});
  });
}

HRESULT Device10::create_depth_stencil_view(Resource* resource, DepthStencilView** created) {
  const ResourceDesc10& its = more(resource)->desc;
  D3D11DDIARG_CREATEDEPTHSTENCILVIEW desc{};
  desc.Format = its.format;
  desc.ResourceDimension = its.dimension;
  desc.Tex2D.ArraySize = its.array;
  return create_depth_stencil_view(resource, desc, created);
}

HRESULT Device10::create_depth_stencil_view(Resource* resource, D3D11DDIARG_CREATEDEPTHSTENCILVIEW desc,
                                            DepthStencilView** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  desc.hDrvResource = driver_handle(resource);
  D3D10DDIARG_CREATEDEPTHSTENCILVIEW old = without_flags(desc);
  constexpr char kSize[] = "CalcPrivateDepthStencilViewSize";
  size_t bytes = is_d3d11() ? ask(kSize, functions_.v11.pfnCalcPrivateDepthStencilViewSize, &desc)
                            : ask(kSize, functions_.v10_0.pfnCalcPrivateDepthStencilViewSize, &old);
  return make_child("CreateDepthStencilView", resource, bytes, created, [&](Frame10& frame, DepthStencilView& view) {
    D3D10DDI_HDEPTHSTENCILVIEW handle{view.driver_handle};
    D3D10DDI_HRTDEPTHSTENCILVIEW own{rt_handle(view)};
    if (is_d3d11()) {
      call(frame, functions_.v11.pfnCreateDepthStencilView, driver_handle(), &desc, handle, own);
    } else {
      call(frame, functions_.v10_0.pfnCreateDepthStencilView, driver_handle(), &old, handle, own);
    }
  });
}

HRESULT Device10::create_shader_resource_view(Resource* resource, ShaderResourceView** created) {
  const ResourceDesc10& its = more(resource)->desc;
  D3D11DDIARG_CREATESHADERRESOURCEVIEW desc{};
  desc.Format = its.format;
  desc.ResourceDimension = its.dimension;
  if (its.dimension == D3D10DDIRESOURCE_BUFFER) {
    desc.Buffer.NumElements = its.width;
  } else if (its.dimension == D3D10DDIRESOURCE_TEXTURECUBE) {
    desc.TexCube = {0, its.mips, 0, its.array / 6};
  } else if (its.dimension == D3D10DDIRESOURCE_TEXTURE3D) {
    desc.Tex3D.MipLevels = its.mips;
  } else {
    desc.Tex2D = {0, 0, its.mips, its.array};
  }
  return create_shader_resource_view(resource, desc, created);
}

HRESULT Device10::create_shader_resource_view(Resource* resource, D3D11DDIARG_CREATESHADERRESOURCEVIEW desc,
                                              ShaderResourceView** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  desc.hDrvResource = driver_handle(resource);
  auto v10_1 = beginning_of<D3D10_1DDIARG_CREATESHADERRESOURCEVIEW>(desc);
  auto v10_0 = beginning_of<D3D10DDIARG_CREATESHADERRESOURCEVIEW>(desc);
  constexpr char kSize[] = "CalcPrivateShaderResourceViewSize";
  Ddi10 ddi = setup_.interface.ddi;
  size_t bytes = ddi == Ddi10::D3D11_0   ? ask(kSize, functions_.v11.pfnCalcPrivateShaderResourceViewSize, &desc)
                 : ddi == Ddi10::D3D10_1 ? ask(kSize, functions_.v10_1.pfnCalcPrivateShaderResourceViewSize, &v10_1)
                                         : ask(kSize, functions_.v10_0.pfnCalcPrivateShaderResourceViewSize, &v10_0);
  return make_child("CreateShaderResourceView", resource, bytes, created,
                    [&](Frame10& frame, ShaderResourceView& view) {
                      D3D10DDI_HSHADERRESOURCEVIEW handle{view.driver_handle};
                      D3D10DDI_HRTSHADERRESOURCEVIEW own{rt_handle(view)};
                      if (ddi == Ddi10::D3D11_0) {
                        call(frame, functions_.v11.pfnCreateShaderResourceView, driver_handle(), &desc, handle, own);
                      } else if (ddi == Ddi10::D3D10_1) {
                        call(frame, functions_.v10_1.pfnCreateShaderResourceView, driver_handle(), &v10_1, handle, own);
                      } else {
                        call(frame, functions_.v10_0.pfnCreateShaderResourceView, driver_handle(), &v10_0, handle, own);
                      }
                    });
}

// --- State objects and shaders ---

HRESULT Device10::create_element_layout(std::span<const D3D10DDIARG_INPUT_ELEMENT_DESC> elements,
                                        ElementLayout** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  D3D10DDIARG_CREATEELEMENTLAYOUT args{elements.data(), static_cast<UINT>(elements.size())};
  size_t bytes = ask("CalcPrivateElementLayoutSize", functions_.v11.pfnCalcPrivateElementLayoutSize, &args);
  return make_child("CreateElementLayout", nullptr, bytes, created, [&](Frame10& frame, ElementLayout& layout) {
    call(frame, functions_.v11.pfnCreateElementLayout, driver_handle(), &args,
         D3D10DDI_HELEMENTLAYOUT{layout.driver_handle}, D3D10DDI_HRTELEMENTLAYOUT{rt_handle(layout)});
  });
}

HRESULT Device10::create_blend_state(const D3D10_1_DDI_BLEND_DESC& desc, BlendState** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  D3D10_DDI_BLEND_DESC old = alike(desc);
  constexpr char kSize[] = "CalcPrivateBlendStateSize";
  bool is_10_0 = setup_.interface.ddi == Ddi10::D3D10_0;
  size_t bytes = is_10_0 ? ask(kSize, functions_.v10_0.pfnCalcPrivateBlendStateSize, &old)
                         : ask(kSize, functions_.v11.pfnCalcPrivateBlendStateSize, &desc);
  return make_child("CreateBlendState", nullptr, bytes, created, [&](Frame10& frame, BlendState& state) {
    D3D10DDI_HBLENDSTATE handle{state.driver_handle};
    D3D10DDI_HRTBLENDSTATE own{rt_handle(state)};
    if (is_10_0) {
      call(frame, functions_.v10_0.pfnCreateBlendState, driver_handle(), &old, handle, own);
    } else {
      call(frame, functions_.v11.pfnCreateBlendState, driver_handle(), &desc, handle, own);
    }
  });
}

HRESULT Device10::create_depth_stencil_state(const D3D10_DDI_DEPTH_STENCIL_DESC& desc, DepthStencilState** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  size_t bytes = ask("CalcPrivateDepthStencilStateSize", functions_.v11.pfnCalcPrivateDepthStencilStateSize, &desc);
  return make_child("CreateDepthStencilState", nullptr, bytes, created, [&](Frame10& frame, DepthStencilState& state) {
    call(frame, functions_.v11.pfnCreateDepthStencilState, driver_handle(), &desc,
         D3D10DDI_HDEPTHSTENCILSTATE{state.driver_handle}, D3D10DDI_HRTDEPTHSTENCILSTATE{rt_handle(state)});
  });
}

HRESULT Device10::create_rasterizer_state(const D3D10_DDI_RASTERIZER_DESC& desc, RasterizerState** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  size_t bytes = ask("CalcPrivateRasterizerStateSize", functions_.v11.pfnCalcPrivateRasterizerStateSize, &desc);
  return make_child("CreateRasterizerState", nullptr, bytes, created, [&](Frame10& frame, RasterizerState& state) {
    call(frame, functions_.v11.pfnCreateRasterizerState, driver_handle(), &desc,
         D3D10DDI_HRASTERIZERSTATE{state.driver_handle}, D3D10DDI_HRTRASTERIZERSTATE{rt_handle(state)});
  });
}

HRESULT Device10::create_sampler(const D3D10_DDI_SAMPLER_DESC& desc, Sampler** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  size_t bytes = ask("CalcPrivateSamplerSize", functions_.v11.pfnCalcPrivateSamplerSize, &desc);
  return make_child("CreateSampler", nullptr, bytes, created, [&](Frame10& frame, Sampler& sampler) {
    call(frame, functions_.v11.pfnCreateSampler, driver_handle(), &desc, D3D10DDI_HSAMPLER{sampler.driver_handle},
         D3D10DDI_HRTSAMPLER{rt_handle(sampler)});
  });
}

HRESULT Device10::create_shader(ShaderStage stage, const UINT* code, const D3D10DDIARG_STAGE_IO_SIGNATURES& signatures,
                                Shader** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  size_t bytes = ask("CalcPrivateShaderSize", functions_.v11.pfnCalcPrivateShaderSize, code, &signatures);
  return make_child("CreateShader", nullptr, bytes, created, [&](Frame10& frame, Shader& shader) {
    shader.stage = stage;
    PFND3D10DDI_CREATEVERTEXSHADER entry = stage == ShaderStage::Vertex     ? functions_.v11.pfnCreateVertexShader
                                           : stage == ShaderStage::Geometry ? functions_.v11.pfnCreateGeometryShader
                                                                            : functions_.v11.pfnCreatePixelShader;
    call(frame, entry, driver_handle(), code, D3D10DDI_HSHADER{shader.driver_handle},
         D3D10DDI_HRTSHADER{rt_handle(shader)}, &signatures);
  });
}

// --- Destruction ---

HRESULT Device10::destroy_child(Device10Object* child) {
  {
    RuntimeGuard guard(runtime.lock);
    if (free_threaded() && child->bound) {
      child->released = true;
      released_children_.push_back(child);
      return S_OK;
    }
  }
  unbind_everywhere(*child);
  return destroy_unbound(*child);
}

HRESULT Device10::destroy_unbound(Device10Object& child) {
  {
    RuntimeGuard guard(runtime.lock);
    list_of(child).erase(Device10Objects::s_iterator_to(child));
  }
  std::unique_ptr<Device10Object> owned(&child);
  HRESULT result = call_destroy(child);
  std::vector<Trespass> found;
  {
    RuntimeGuard guard(runtime.lock);
    found = quarantine_.add(std::move(child.memory), machine().here_id());
  }
  judge_private_memory(found);
  return result;
}

HRESULT Device10::call_destroy(Device10Object& child) {
  Frame10 frame("", Role::Destroy, Errors::Removed);
  const D3D11DDI_DEVICEFUNCS& table = functions_.v11;
  void* handle = child.driver_handle;
  switch (child.kind) {
    case Device10ObjectKind::ShaderResourceView:
      frame.name = "DestroyShaderResourceView";
      return told(frame, table.pfnDestroyShaderResourceView, D3D10DDI_HSHADERRESOURCEVIEW{handle});
    case Device10ObjectKind::RenderTargetView:
      frame.name = "DestroyRenderTargetView";
      return told(frame, table.pfnDestroyRenderTargetView, D3D10DDI_HRENDERTARGETVIEW{handle});
    case Device10ObjectKind::DepthStencilView:
      frame.name = "DestroyDepthStencilView";
      return told(frame, table.pfnDestroyDepthStencilView, D3D10DDI_HDEPTHSTENCILVIEW{handle});
    case Device10ObjectKind::ElementLayout:
      frame.name = "DestroyElementLayout";
      return told(frame, table.pfnDestroyElementLayout, D3D10DDI_HELEMENTLAYOUT{handle});
    case Device10ObjectKind::BlendState:
      frame.name = "DestroyBlendState";
      return told(frame, table.pfnDestroyBlendState, D3D10DDI_HBLENDSTATE{handle});
    case Device10ObjectKind::DepthStencilState:
      frame.name = "DestroyDepthStencilState";
      return told(frame, table.pfnDestroyDepthStencilState, D3D10DDI_HDEPTHSTENCILSTATE{handle});
    case Device10ObjectKind::RasterizerState:
      frame.name = "DestroyRasterizerState";
      return told(frame, table.pfnDestroyRasterizerState, D3D10DDI_HRASTERIZERSTATE{handle});
    case Device10ObjectKind::Sampler:
      frame.name = "DestroySampler";
      return told(frame, table.pfnDestroySampler, D3D10DDI_HSAMPLER{handle});
    case Device10ObjectKind::Shader:
      frame.name = "DestroyShader";
      return told(frame, table.pfnDestroyShader, D3D10DDI_HSHADER{handle});
  }
  return S_OK;
}

}  // namespace umd
