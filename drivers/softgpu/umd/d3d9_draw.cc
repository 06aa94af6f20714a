// Draws: the state's packet, with this draw's vertices and the addresses of everything it uses.
#include <string.h>

#include "d3d9_entry.h"
#include "softgpu_draw_check.h"

namespace softgpu {
namespace {

// What is drawn, in the terms of the packet. `user` is memory of the CPU's that is copied for it.
struct Geometry {
  D3DPRIMITIVETYPE type;
  uint32_t primitives;

  Surface* vertices;  // or
  const uint8_t* user_vertices;
  uint64_t vertex_offset;  // of vertex 0, in bytes
  uint32_t user_vertex_bytes;
  uint32_t stride;
  uint32_t vertex_count;  // behind vertex 0

  bool indexed;
  Surface* indices;  // or
  const uint8_t* user_indices;
  uint64_t index_offset;
  uint32_t index_bytes;
  int32_t base_vertex;

  uint32_t first;  // vertex or index
};

uint64_t element_count(D3DPRIMITIVETYPE type, uint64_t primitives) {
  switch (type) {
    case D3DPT_POINTLIST:
      return primitives;
    case D3DPT_LINELIST:
      return 2 * primitives;
    case D3DPT_LINESTRIP:
      return primitives + 1;
    case D3DPT_TRIANGLELIST:
      return 3 * primitives;
    case D3DPT_TRIANGLESTRIP:
    case D3DPT_TRIANGLEFAN:
      return primitives + 2;
    default:
      return 0;
  }
}

// The bytes of a buffer behind `offset`, in whole vertices.
uint32_t vertices_behind(const Surface& buffer, uint64_t offset, uint32_t stride) {
  if (stride == 0 || offset > buffer.bytes()) return 0;
  return static_cast<uint32_t>((buffer.bytes() - offset) / stride);
}

// --- Where the data lies ---

// Vertices from a byte of stream 0 on. Memory that the GPU does not see is read by the CPU, however it was allocated.
void take_vertices(const State& state, uint64_t offset, uint64_t user_count, Geometry& geometry) {
  const Stream& stream = state.vertices;
  geometry.stride = stream.stride;
  Surface* buffer = stream.buffer ? &stream.buffer->surfaces[0] : nullptr;
  if (buffer && !buffer->system) {
    geometry.vertices = buffer;
    geometry.vertex_offset = stream.offset + offset;
    geometry.vertex_count = vertices_behind(*buffer, geometry.vertex_offset, stream.stride);
    return;
  }
  const uint8_t* from = buffer ? buffer->system + stream.offset : stream.user;
  if (buffer && stream.offset + offset + user_count * stream.stride > buffer->bytes()) from = nullptr;
  geometry.user_vertices = from ? from + offset : nullptr;
  geometry.vertex_count = static_cast<uint32_t>(user_count);
  geometry.user_vertex_bytes = static_cast<uint32_t>(user_count * stream.stride);
}

void take_indices(const State& state, uint32_t start, uint64_t count, Geometry& geometry) {
  const Stream& stream = state.indices;
  geometry.index_bytes = stream.stride;
  Surface* buffer = stream.buffer ? &stream.buffer->surfaces[0] : nullptr;
  if (buffer && !buffer->system) {
    geometry.indices = buffer;
    geometry.first = start;
    return;
  }
  const uint8_t* from = buffer ? buffer->system : stream.user;
  uint64_t offset = static_cast<uint64_t>(start) * stream.stride;
  if (buffer && offset + count * stream.stride > buffer->bytes()) from = nullptr;
  geometry.user_indices = from ? from + offset : nullptr;
}

// --- The packet ---

void describe_vertices(const State& state, const Geometry& geometry, uint32_t count, SOFTGPU_DRAW& draw) {
  const Declaration& declaration = *state.declaration;
  draw.vertex_count = geometry.vertex_count;
  draw.first = geometry.first;
  draw.count = count;
  draw.base_vertex = geometry.base_vertex;
  draw.stride = static_cast<uint16_t>(geometry.stride);
  draw.index_bytes = static_cast<uint8_t>(geometry.index_bytes);
  draw.topology = static_cast<uint8_t>(geometry.type);
  draw.position_offset = declaration.position;
  draw.position_kind = declaration.position_kind;
  draw.normal_offset = declaration.normal;
  draw.diffuse_offset = declaration.diffuse;
  draw.diffuse_kind = declaration.diffuse_kind;
  UINT coordinate = state.stage[D3DDDITSS_TEXCOORDINDEX] & 0xFFFF;
  draw.texcoord_offset = coordinate < kTextureCoordinates ? declaration.coordinates[coordinate] : SOFTGPU_ABSENT;
}

// Vertices that come from the runtime ready for the screen have their colours already.
void describe_colors(const State& state, SOFTGPU_DRAW& draw) {
  uint32_t& flags = draw.header.argument;
  if (draw.position_kind == SOFTGPU_POSITION_SCREEN) flags &= ~SOFTGPU_DRAW_LIGHTING;
  if (!(flags & SOFTGPU_DRAW_LIGHTING) || draw.diffuse_offset == SOFTGPU_ABSENT) return;
  if (!state.render[D3DDDIRS_COLORVERTEX]) return;
  if (state.render[D3DDDIRS_DIFFUSEMATERIALSOURCE] == D3DMCS_COLOR1) flags |= SOFTGPU_DRAW_DIFFUSE_FROM_VERTEX;
  if (state.render[D3DDDIRS_AMBIENTMATERIALSOURCE] == D3DMCS_COLOR1) flags |= SOFTGPU_DRAW_AMBIENT_FROM_VERTEX;
}

// The hardware would fault on what is refused here.
bool can_draw(const State& state, const Geometry& geometry, const SOFTGPU_DRAW& draw) {
  if (geometry.stride > SOFTGPU_STRIDE_MAX || !softgpu_draw_is_right(&draw)) return false;
  if (geometry.indices && geometry.index_offset + softgpu_draw_indices_bytes(&draw) > geometry.indices->bytes()) {
    return false;
  }
  bool deep = (draw.header.argument & SOFTGPU_DRAW_DEPTH) != 0;
  return !deep || softgpu_draw_depth_bytes(&draw) <= state.depth->surfaces[0].bytes();
}

// --- Memory of the CPU's ---

struct Uploaded {
  Slice slice;
  uint64_t indices_at;
};

// One slice for both, so that neither is renamed away under the other.
HRESULT upload(D3d9Device& device, const Geometry& geometry, uint32_t count, Uploaded* to) {
  uint64_t vertex_bytes = geometry.user_vertices ? (geometry.user_vertex_bytes + 15ull) & ~15ull : 0;
  uint64_t index_bytes = geometry.user_indices ? static_cast<uint64_t>(count) * geometry.index_bytes : 0;
  if (vertex_bytes + index_bytes == 0) return S_OK;
  HRESULT result = device.upload(vertex_bytes + index_bytes, &to->slice);
  if (FAILED(result)) return result;
  to->indices_at = vertex_bytes;
  if (vertex_bytes) memcpy(to->slice.bytes, geometry.user_vertices, geometry.user_vertex_bytes);
  if (index_bytes) memcpy(to->slice.bytes + vertex_bytes, geometry.user_indices, static_cast<size_t>(index_bytes));
  return S_OK;
}

// --- Putting it together ---

// In the order of the packet's addresses.
uint32_t list_operands(const State& state, const Geometry& geometry, const SOFTGPU_DRAW& draw, const Uploaded& uploaded,
                       Operand* operands) {
  uint32_t flags = draw.header.argument;
  uint32_t count = 0;
  if (flags & SOFTGPU_DRAW_TARGET) {
    operands[count++] = {target_of(state)->current, 0, offsetof(SOFTGPU_DRAW, target), true};
  }
  if (flags & SOFTGPU_DRAW_DEPTH) {
    bool written = (flags & SOFTGPU_DRAW_DEPTH_WRITE) != 0;
    operands[count++] = {state.depth->surfaces[0].current, 0, offsetof(SOFTGPU_DRAW, depth), written};
  }
  if (flags & SOFTGPU_DRAW_TEXTURE) {
    operands[count++] = {texture_of(state)->current, 0, offsetof(SOFTGPU_DRAW, texture), false};
  }
  if (geometry.vertices) {
    operands[count++] = {geometry.vertices->current, geometry.vertex_offset, offsetof(SOFTGPU_DRAW, vertices), false};
  } else {
    operands[count++] = {uploaded.slice.allocation, uploaded.slice.offset, offsetof(SOFTGPU_DRAW, vertices), false};
  }
  if (!geometry.indexed) return count;
  if (geometry.indices) {
    operands[count++] = {geometry.indices->current, geometry.index_offset, offsetof(SOFTGPU_DRAW, indices), false};
  } else {
    uint64_t offset = uploaded.slice.offset + uploaded.indices_at;
    operands[count++] = {uploaded.slice.allocation, offset, offsetof(SOFTGPU_DRAW, indices), false};
  }
  return count;
}

// Whether this draw reads it or not: to the runtime everything that is bound is in use.
void keep_bound(D3d9Device& device) {
  const State& state = device.state;
  Resource* bound[] = {state.target, state.depth, state.texture, state.vertices.buffer, state.indices.buffer};
  for (Resource* each : bound) {
    if (each) device.keep(*each);
  }
}

HRESULT draw(D3d9Device& device, const Geometry& geometry) {
  State& state = device.state;
  if (!state.declaration || geometry.primitives == 0) return geometry.primitives ? D3DERR_INVALIDCALL : S_OK;
  if (!geometry.vertices && !geometry.user_vertices) return D3DERR_INVALIDCALL;
  if (geometry.indexed && !geometry.indices && !geometry.user_indices) return D3DERR_INVALIDCALL;
  uint64_t count = element_count(geometry.type, geometry.primitives);
  if (count == 0 || count > SOFTGPU_DRAW_MAX_COUNT) return D3DERR_INVALIDCALL;
  update_draw(state);
  SOFTGPU_DRAW packet = state.draw;
  describe_vertices(state, geometry, static_cast<uint32_t>(count), packet);
  describe_colors(state, packet);
  if (geometry.indexed) packet.header.argument |= SOFTGPU_DRAW_INDEXED;
  if (!can_draw(state, geometry, packet)) return D3DERR_INVALIDCALL;
  Uploaded uploaded = {};
  HRESULT result = upload(device, geometry, static_cast<uint32_t>(count), &uploaded);
  if (FAILED(result)) return result;
  Operand operands[5];
  uint32_t operand_count = list_operands(state, geometry, packet, uploaded, operands);
  result = device.add(packet.header, operands, operand_count);
  if (SUCCEEDED(result)) keep_bound(device);
  return result;
}

}  // namespace

HRESULT APIENTRY draw_primitive(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE* pData, const UINT*) {
  D3d9Device& device = device_of(hDevice);
  Geometry geometry = {};
  geometry.type = pData->PrimitiveType;
  geometry.primitives = pData->PrimitiveCount;
  uint64_t offset = static_cast<uint64_t>(pData->VStart) * device.state.vertices.stride;
  take_vertices(device.state, offset, element_count(pData->PrimitiveType, pData->PrimitiveCount), geometry);
  return draw(device, geometry);
}

// Indices are relative to the base. Of memory that is copied there is only the part they are promised to stay in.
HRESULT APIENTRY draw_indexed_primitive(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE* pData) {
  D3d9Device& device = device_of(hDevice);
  const State& state = device.state;
  Geometry geometry = {};
  geometry.type = pData->PrimitiveType;
  geometry.primitives = pData->PrimitiveCount;
  geometry.indexed = true;
  bool seen = state.vertices.buffer && !state.vertices.buffer->surfaces[0].system;
  int64_t lowest = static_cast<int64_t>(pData->BaseVertexIndex) + pData->MinIndex;
  if (!seen && lowest < 0) return D3DERR_INVALIDCALL;
  take_vertices(state, seen ? 0 : static_cast<uint64_t>(lowest) * state.vertices.stride, pData->NumVertices, geometry);
  geometry.base_vertex = seen ? pData->BaseVertexIndex : -static_cast<int32_t>(pData->MinIndex);
  take_indices(state, pData->StartIndex, element_count(pData->PrimitiveType, pData->PrimitiveCount), geometry);
  return draw(device, geometry);
}

HRESULT APIENTRY draw_primitive2(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE2* pData) {
  D3d9Device& device = device_of(hDevice);
  Geometry geometry = {};
  geometry.type = pData->PrimitiveType;
  geometry.primitives = pData->PrimitiveCount;
  take_vertices(device.state, pData->FirstVertexOffset, element_count(pData->PrimitiveType, pData->PrimitiveCount),
                geometry);
  return draw(device, geometry);
}

// Offsets are in bytes, as those of DrawPrimitive2 are said to be; indices come with the call.
HRESULT APIENTRY draw_indexed_primitive2(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE2* pData,
                                         UINT dwIndicesSize, const VOID* pIndexBuffer, const UINT*) {
  if ((dwIndicesSize != 2 && dwIndicesSize != 4) || !pIndexBuffer) return D3DERR_INVALIDCALL;
  D3d9Device& device = device_of(hDevice);
  Geometry geometry = {};
  geometry.type = pData->PrimitiveType;
  geometry.primitives = pData->PrimitiveCount;
  geometry.indexed = true;
  geometry.index_bytes = dwIndicesSize;
  geometry.user_indices = static_cast<const uint8_t*>(pIndexBuffer) + pData->StartIndexOffset;
  geometry.base_vertex = -static_cast<int32_t>(pData->MinIndex);
  int64_t offset = pData->BaseVertexOffset + static_cast<int64_t>(pData->MinIndex) * device.state.vertices.stride;
  if (offset < 0) return D3DERR_INVALIDCALL;
  take_vertices(device.state, static_cast<uint64_t>(offset), pData->NumVertices, geometry);
  return draw(device, geometry);
}

}  // namespace softgpu
