// The state of the pipeline, as far as softgpu draws by it: one target, one texture, one buffer of vertices.
#pragma once

#include "d3d10_resource.h"
#include "d3d10_shader.h"
#include "softgpu_draw.h"

namespace softgpu::d3d10 {

inline constexpr UINT kVertexBuffers = 16;

// --- State objects, in the hardware's terms. They lie in the runtime's memory. ---

struct BlendState {
  bool enabled;
  uint8_t source, destination, op;
  uint8_t source_alpha, destination_alpha, op_alpha;
  uint8_t write_mask;
};

struct DepthState {
  bool enabled;
  bool written;
  uint8_t function;
};

struct RasterizerState {
  uint8_t cull;
  uint8_t fill;
  bool scissor;
  bool depth_clip;
};

struct Sampler {
  uint8_t address_u, address_v;
  bool bilinear;
};

// What Direct3D draws by where nothing is bound.
inline constexpr BlendState kNoBlend = {false,
                                        SOFTGPU_BLEND_ONE,
                                        SOFTGPU_BLEND_ZERO,
                                        SOFTGPU_BLEND_OP_ADD,
                                        SOFTGPU_BLEND_ONE,
                                        SOFTGPU_BLEND_ZERO,
                                        SOFTGPU_BLEND_OP_ADD,
                                        SOFTGPU_WRITE_ALL};
inline constexpr DepthState kUsualDepth = {true, true, SOFTGPU_COMPARE_LESS};
inline constexpr RasterizerState kUsualRasterizer = {SOFTGPU_CULL_CCW, SOFTGPU_FILL_SOLID, false, true};
inline constexpr Sampler kUsualSampler = {SOFTGPU_ADDRESS_CLAMP, SOFTGPU_ADDRESS_CLAMP, true};

// --- What is bound. Null: nothing. The runtime unbinds what it is about to destroy. ---

struct VertexBuffer {
  ResourceHandle* buffer = nullptr;
  UINT stride = 0;
  UINT offset = 0;
};

struct IndexBuffer {
  ResourceHandle* buffer = nullptr;
  UINT bytes = 0;  // of an index; 0: none that the hardware reads
  UINT offset = 0;
};

struct State {
  const View* target = nullptr;
  const View* depth = nullptr;
  const View* texture = nullptr;
  const Sampler* sampler = nullptr;
  ResourceHandle* constants = nullptr;  // of vertices
  const Shader* vertex_shader = nullptr;
  const Shader* pixel_shader = nullptr;
  const Layout* layout = nullptr;
  VertexBuffer vertices[kVertexBuffers];
  IndexBuffer indices;
  D3D10_DDI_PRIMITIVE_TOPOLOGY topology = D3D10_DDI_PRIMITIVE_TOPOLOGY_UNDEFINED;
  const BlendState* blend = nullptr;
  uint32_t blend_factor = 0xFFFFFFFF;  // A8R8G8B8
  const DepthState* depth_state = nullptr;
  const RasterizerState* rasterizer = nullptr;
  D3D10_DDI_VIEWPORT viewport = {};
  D3D10_DDI_RECT scissor = {};
};

}  // namespace softgpu::d3d10
