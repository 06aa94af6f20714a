#pragma once

#include "umd/private_memory.h"
#include "umd/resource.h"

namespace umd {

enum class ChildKind : uint8_t {
  ShaderResourceView,
  RenderTargetView,
  DepthStencilView,
  ElementLayout,
  BlendState,
  DepthStencilState,
  RasterizerState,
  Sampler,
  Shader,
};
const char* to_string(ChildKind kind);  // "a shader resource view", …

// The stages of the pipeline that the runtime drives.
enum class Stage : uint8_t { Vertex, Geometry, Pixel };
inline constexpr size_t kStages10 = 3;

// What a device of Direct3D 10 and 11 has besides resources. Owned by its device, guarded by the runtime's lock but for
// what never changes; the program holds a pointer until it destroys it.
struct Child {
  virtual ~Child() = default;

  ChildKind kind{};
  Resource* resource = nullptr;  // of a view
  Stage stage{};                 // of a shader
  uint64_t serial = 0;           // the runtime's handle for it, which no callback takes
  PrivateBlock memory;
  void* driver_handle = nullptr;  // D3D10DDI_HRENDERTARGETVIEW and its kin are the memory's address and nothing else
  uint32_t bound = 0;             // how often it is bound to the pipeline
  bool released = false;          // by the program while it was bound: to be destroyed by the immediate context
  Child* next = nullptr;          // among the views of its resource, or the device's others
  Child* prev = nullptr;
};

template <ChildKind its_kind>
struct ChildOf : Child {
  static constexpr ChildKind kKind = its_kind;
};
using ShaderResourceView = ChildOf<ChildKind::ShaderResourceView>;
using RenderTargetView = ChildOf<ChildKind::RenderTargetView>;
using DepthStencilView = ChildOf<ChildKind::DepthStencilView>;
using ElementLayout = ChildOf<ChildKind::ElementLayout>;
using BlendState = ChildOf<ChildKind::BlendState>;
using DepthStencilState = ChildOf<ChildKind::DepthStencilState>;
using RasterizerState = ChildOf<ChildKind::RasterizerState>;
using Sampler = ChildOf<ChildKind::Sampler>;
using Shader = ChildOf<ChildKind::Shader>;

}  // namespace umd
