#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "abi/um/d3d10umddi.h"
#include "base/check.h"
#include "umd/d3d10/resource10.h"

namespace umd {

// --- Binding points, which count how often an object is bound ---

inline uint32_t& bound_count(Device10Object* child) { return child->bound; }
inline uint32_t& bound_count(Resource* resource) { return more(resource)->bound; }

template <typename T>
void bind_slot(T*& slot, std::type_identity_t<T>* object) {
  if (object) ++bound_count(object);
  if (slot) --bound_count(slot);
  slot = object;
}

// Whether it was bound there.
template <typename T>
bool unbind_slot(T*& slot, const void* object) {
  if (slot != object) return false;
  bind_slot(slot, nullptr);
  return true;
}

// An array of binding points, and how many have ever been in use.
template <typename T, size_t N>
struct Slots {
  static constexpr UINT kCount = N;
  std::array<T*, N> at{};
  UINT used = 0;

  auto begin() const { return at.begin(); }
  auto end() const { return at.begin() + used; }
};

template <typename T, size_t N>
void bind_slots(Slots<T, N>& slots, UINT first, std::span<T* const> objects) {
  CHECK(first + objects.size() <= N);
  for (T* object : objects) bind_slot(slots.at[first++], object);
  slots.used = std::max(slots.used, first);
}

template <typename T, size_t N>
bool unbind_slots(Slots<T, N>& slots, const void* object) {
  bool found = false;
  for (UINT i = 0; i < slots.used; ++i) found |= unbind_slot(slots.at[i], object);
  return found;
}

// A part of the pipeline's state that a driver may ask to be sent again.
enum class State10 : uint8_t {
  Shaders,          // the one of a stage
  ShaderResources,  // of a stage, a range
  Samplers,         // of a stage, a range
  ConstantBuffers,  // of a stage, a range
  VertexBuffers,    // a range
  IndexBuffer,
  InputLayout,
  Topology,
  RenderTargets,
  Blend,
  DepthStencil,
  Rasterizer,
  Viewports,
  Scissors,
};

// The state of a device's pipeline as it was last sent to the driver. Owned by the device. Written by the thread that
// uses the immediate context; what is bound, under the runtime's lock.
struct Bindings10 {
  struct OfStage {
    Shader* shader = nullptr;
    Slots<ShaderResourceView, 128> views;
    Slots<Sampler, 16> samplers;
    Slots<Resource, 14> constants;
  };
  OfStage& of(ShaderStage stage) { return stages[static_cast<size_t>(stage)]; }

  Slots<RenderTargetView, 8> targets;
  DepthStencilView* depth = nullptr;
  std::array<OfStage, kStages10> stages;
  Slots<Resource, 16> vertex_buffers;
  std::array<UINT, 16> strides{};
  std::array<UINT, 16> offsets{};
  Resource* indices = nullptr;
  DXGI_FORMAT index_format = DXGI_FORMAT_UNKNOWN;
  UINT index_offset = 0;
  ElementLayout* layout = nullptr;
  D3D10_DDI_PRIMITIVE_TOPOLOGY topology = D3D10_DDI_PRIMITIVE_TOPOLOGY_UNDEFINED;
  BlendState* blend = nullptr;
  std::array<FLOAT, 4> blend_factor{1, 1, 1, 1};
  UINT sample_mask = 0xFFFFFFFF;
  DepthStencilState* depth_state = nullptr;
  UINT stencil_reference = 0;
  RasterizerState* rasterizer = nullptr;
  std::vector<D3D10_DDI_VIEWPORT> viewports;
  std::vector<D3D10_DDI_RECT> scissors;
};

}  // namespace umd
