#pragma once

#include <boost/intrusive/list.hpp>

#include "umd/common/private_memory.h"
#include "umd/common/resource.h"

namespace umd {

enum class Device10ObjectKind : uint8_t {
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
const char* to_string(Device10ObjectKind kind);  // "a shader resource view", …

// The stages of the pipeline that the runtime drives.
enum class ShaderStage : uint8_t { Vertex, Geometry, Pixel };
inline constexpr size_t kStages10 = 3;

// What a device of Direct3D 10 and 11 has besides resources. Owned by its device, guarded by the runtime's lock but for
// what never changes; the program holds a pointer until it destroys it.
struct Device10Object : boost::intrusive::list_base_hook<> {
  virtual ~Device10Object() = default;

  Device10ObjectKind kind{};
  Resource* resource = nullptr;  // of a view
  ShaderStage stage{};           // of a shader
  uint64_t serial = 0;           // the runtime's handle for it, which no callback takes
  PrivateBlock memory;
  void* driver_handle =
      nullptr;            // D3D10DDI_HRENDERTARGETVIEW and the other handles are the memory's address and nothing else
  uint32_t bound = 0;     // how often it is bound to the pipeline
  bool released = false;  // by the program while it was bound: to be destroyed by the immediate context
};
// The views of a resource, or what else a device has; the newest first.
using Device10Objects = boost::intrusive::list<Device10Object, boost::intrusive::constant_time_size<false>>;

template <Device10ObjectKind its_kind>
struct Device10ObjectOf : Device10Object {
  static constexpr Device10ObjectKind kKind = its_kind;
};
using ShaderResourceView = Device10ObjectOf<Device10ObjectKind::ShaderResourceView>;
using RenderTargetView = Device10ObjectOf<Device10ObjectKind::RenderTargetView>;
using DepthStencilView = Device10ObjectOf<Device10ObjectKind::DepthStencilView>;
using ElementLayout = Device10ObjectOf<Device10ObjectKind::ElementLayout>;
using BlendState = Device10ObjectOf<Device10ObjectKind::BlendState>;
using DepthStencilState = Device10ObjectOf<Device10ObjectKind::DepthStencilState>;
using RasterizerState = Device10ObjectOf<Device10ObjectKind::RasterizerState>;
using Sampler = Device10ObjectOf<Device10ObjectKind::Sampler>;
using Shader = Device10ObjectOf<Device10ObjectKind::Shader>;

}  // namespace umd
