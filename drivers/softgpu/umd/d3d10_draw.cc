// Draws: one packet of the whole state. Nothing may be refused, so that what the hardware cannot do is not drawn.
#include <stddef.h>
#include <string.h>

#include "d3d10_entry.h"
#include "softgpu_build.h"
#include "softgpu_draw_check.h"

namespace softgpu::d3d10 {
namespace {

struct Range {
  UINT count;
  UINT first;
  INT base_vertex;
  bool indexed;
};

template <typename T>
const T& bound_or(const T* bound, const T& otherwise) {
  return bound ? *bound : otherwise;
}

SOFTGPU_SURFACE describe(const Place& place) {
  return {place.surface->width, place.surface->height, place.surface->pitch, place.resource->format.name};
}

// What a draw uses, and its packet without addresses.
class Draw {
 public:
  Draw(const State& state, const Range& range) : state_(state), range_(range), packet_(softgpu_draw({})) {}

  // False: it is not drawn.
  bool prepare() {
    if (range_.count == 0 || range_.count > SOFTGPU_DRAW_MAX_COUNT || !state_.vertex_shader) return false;
    if (!take_surfaces() || !take_vertices() || !take_topology()) return false;
    if (range_.indexed && !take_indices()) return false;
    take_blend();
    take_raster();
    take_texture();
    take_transform();
    packet_.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(packet_), flags_);
    return stride_ <= SOFTGPU_STRIDE_MAX && softgpu_draw_is_right(&packet_) && stays_inside();
  }

  HRESULT add_to(D3d10Device& device) {
    Operand operands[5];
    uint32_t count = 0;
    auto name = [&](uint32_t flag, const Place& place, uint64_t offset, size_t field, bool written) {
      if (flag && !(flags_ & flag)) return;
      operands[count++] = {place.surface->current, offset, static_cast<uint32_t>(field), written};
    };
    // In the order of the packet's addresses.
    name(SOFTGPU_DRAW_TARGET, target_, 0, offsetof(SOFTGPU_DRAW, target), true);
    name(SOFTGPU_DRAW_DEPTH, depth_, 0, offsetof(SOFTGPU_DRAW, depth), (flags_ & SOFTGPU_DRAW_DEPTH_WRITE) != 0);
    name(SOFTGPU_DRAW_TEXTURE, texture_, 0, offsetof(SOFTGPU_DRAW, texture), false);
    name(0, vertices_, vertex_offset_, offsetof(SOFTGPU_DRAW, vertices), false);
    name(SOFTGPU_DRAW_INDEXED, indices_, state_.indices.offset, offsetof(SOFTGPU_DRAW, indices), false);
    return device.add(packet_.header, operands, count);
  }

 private:
  // Without a pixel shader only depths are written.
  bool take_surfaces() {
    if (state_.target && state_.pixel_shader) target_ = place_of(*state_.target);
    if (target_.surface) {
      if (target_.resource->format.use != FormatUse::Target) return false;
      packet_.target_surface = describe(target_);
      flags_ |= SOFTGPU_DRAW_TARGET;
    }
    const DepthState& depth = bound_or(state_.depth_state, kUsualDepth);
    if (state_.depth && depth.enabled) depth_ = place_of(*state_.depth);
    if (depth_.surface) {
      if (!target_.surface) packet_.target_surface = describe(depth_);
      packet_.depth_pitch = depth_.surface->pitch;
      packet_.depth_function = depth.function;
      flags_ |= SOFTGPU_DRAW_DEPTH;
      if (depth.written && !state_.depth->read_only) flags_ |= SOFTGPU_DRAW_DEPTH_WRITE;
    }
    return target_.surface || depth_.surface;
  }

  bool take_vertices() {
    if (!state_.layout || !state_.layout->drawable) return false;
    const Layout& layout = *state_.layout;
    const VertexBuffer& buffer = state_.vertices[layout.slot];
    if (!buffer.buffer || buffer.stride == 0) return false;
    vertices_ = softgpu::place_of(buffer.buffer->resource, 0);
    if (!vertices_.surface || vertices_.surface->system || !is_buffer(*vertices_.resource)) return false;
    uint64_t bytes = vertices_.surface->bytes();
    if (buffer.offset > bytes) return false;
    stride_ = buffer.stride;
    vertex_offset_ = buffer.offset;
    packet_.vertex_count = static_cast<uint32_t>((bytes - buffer.offset) / buffer.stride);
    packet_.first = range_.first;
    packet_.count = range_.count;
    packet_.stride = static_cast<uint16_t>(buffer.stride);
    packet_.position_offset = layout.position;
    packet_.position_kind = layout.position_kind;
    packet_.diffuse_offset = layout.color;
    packet_.diffuse_kind = layout.color_kind;
    if (state_.vertex_shader->program == kTextureProgram) packet_.texcoord_offset = layout.coordinate;
    return true;
  }

  // Direct3D's numbers are the hardware's, but for fans, which there are none of.
  bool take_topology() {
    packet_.topology = static_cast<uint8_t>(state_.topology);
    return state_.topology >= D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST &&
           state_.topology <= D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP;
  }

  bool take_indices() {
    const IndexBuffer& buffer = state_.indices;
    if (!buffer.buffer || buffer.bytes == 0) return false;
    indices_ = softgpu::place_of(buffer.buffer->resource, 0);
    if (!indices_.surface || indices_.surface->system || !is_buffer(*indices_.resource)) return false;
    packet_.index_bytes = static_cast<uint8_t>(buffer.bytes);
    packet_.base_vertex = range_.base_vertex;
    flags_ |= SOFTGPU_DRAW_INDEXED;
    return true;
  }

  void take_blend() {
    const BlendState& blend = bound_or(state_.blend, kNoBlend);
    packet_.write_mask = blend.write_mask;
    if (!blend.enabled) return;
    flags_ |= SOFTGPU_DRAW_BLEND;
    packet_.blend_source = blend.source;
    packet_.blend_destination = blend.destination;
    packet_.blend_op = blend.op;
    packet_.blend_source_alpha = blend.source_alpha;
    packet_.blend_destination_alpha = blend.destination_alpha;
    packet_.blend_op_alpha = blend.op_alpha;
    packet_.blend_factor = state_.blend_factor;
  }

  void take_raster() {
    const RasterizerState& raster = bound_or(state_.rasterizer, kUsualRasterizer);
    packet_.cull = raster.cull;
    packet_.fill = raster.fill;
    if (!raster.depth_clip) flags_ |= SOFTGPU_DRAW_NO_DEPTH_CLIP;
    if (raster.scissor) {
      const D3D10_DDI_RECT& rect = state_.scissor;
      packet_.scissor = {rect.left, rect.top, rect.right, rect.bottom};
    }
    const D3D10_DDI_VIEWPORT& view = state_.viewport;
    packet_.viewport = {view.TopLeftX, view.TopLeftY, view.Width, view.Height, view.MinDepth, view.MaxDepth};
  }

  // What is not bound reads as 0, and so does the product.
  void take_texture() {
    if (!state_.pixel_shader || state_.pixel_shader->program != kTextureProgram) return;
    if (state_.texture) texture_ = place_of(*state_.texture);
    if (!texture_.surface || is_buffer(*texture_.resource)) {
      packet_.diffuse_offset = SOFTGPU_ABSENT;
      for (float& channel : packet_.color) channel = 0;
      return;
    }
    const Sampler& sampler = bound_or(state_.sampler, kUsualSampler);
    packet_.texture_surface = describe(texture_);
    packet_.address_u = sampler.address_u;
    packet_.address_v = sampler.address_v;
    packet_.combine_color = packet_.combine_alpha = SOFTGPU_COMBINE_MODULATE;
    flags_ |= SOFTGPU_DRAW_TEXTURE;
    if (sampler.bilinear) flags_ |= SOFTGPU_DRAW_BILINEAR;
  }

  // Constants beyond the end of their buffer are 0.
  void take_transform() {
    memset(packet_.transform, 0, sizeof(packet_.transform));
    if (!state_.constants) return;
    const Surface& surface = state_.constants->resource->surfaces[0];
    if (!surface.system) return;
    size_t bytes =
        surface.bytes() < sizeof(packet_.transform) ? static_cast<size_t>(surface.bytes()) : sizeof(packet_.transform);
    memcpy(packet_.transform, surface.system, bytes);
  }

  // The hardware would fault on what leaves a buffer.
  bool stays_inside() const {
    if ((flags_ & SOFTGPU_DRAW_INDEXED) &&
        state_.indices.offset + softgpu_draw_indices_bytes(&packet_) > indices_.surface->bytes()) {
      return false;
    }
    return !(flags_ & SOFTGPU_DRAW_DEPTH) || softgpu_draw_depth_bytes(&packet_) <= depth_.surface->bytes();
  }

  const State& state_;
  const Range range_;
  SOFTGPU_DRAW packet_;
  uint32_t flags_ = 0;
  uint32_t stride_ = 0;
  Place target_ = {};
  Place depth_ = {};
  Place texture_ = {};
  Place vertices_ = {};
  Place indices_ = {};
  uint64_t vertex_offset_ = 0;
};

// Instances do not differ: there is nothing that is read once for each.
void draw_instances(D3D10DDI_HDEVICE handle, const Range& range, UINT instances) {
  D3d10Device& device = device_of(handle);
  Draw draw(device.state, range);
  HRESULT result = S_OK;
  if (draw.prepare()) {
    for (UINT i = 0; i < instances && SUCCEEDED(result); ++i) result = draw.add_to(device);
  }
  device.finish_command(result);
}

}  // namespace

void APIENTRY draw(D3D10DDI_HDEVICE hDevice, UINT VertexCount, UINT StartVertexLocation) {
  draw_instances(hDevice, {VertexCount, StartVertexLocation, 0, false}, 1);
}

void APIENTRY draw_indexed(D3D10DDI_HDEVICE hDevice, UINT IndexCount, UINT StartIndexLocation, INT BaseVertexLocation) {
  draw_instances(hDevice, {IndexCount, StartIndexLocation, BaseVertexLocation, true}, 1);
}

void APIENTRY draw_instanced(D3D10DDI_HDEVICE hDevice, UINT VertexCountPerInstance, UINT InstanceCount,
                             UINT StartVertexLocation, UINT) {
  draw_instances(hDevice, {VertexCountPerInstance, StartVertexLocation, 0, false}, InstanceCount);
}

void APIENTRY draw_indexed_instanced(D3D10DDI_HDEVICE hDevice, UINT IndexCountPerInstance, UINT InstanceCount,
                                     UINT StartIndexLocation, INT BaseVertexLocation, UINT) {
  draw_instances(hDevice, {IndexCountPerInstance, StartIndexLocation, BaseVertexLocation, true}, InstanceCount);
}

}  // namespace softgpu::d3d10
