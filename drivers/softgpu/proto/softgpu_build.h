/* Puts buffers of commands together, for clients and tests; C11 and C++17.
 *
 *   SOFTGPU_BUILDER builder = softgpu_builder(memory, bytes);
 *   softgpu_add_fill(&builder, va, 4096, 0);
 *   softgpu_add_signal(&builder, fence_va, 1, SOFTGPU_FLAG_INTERRUPT);
 *   … builder.used bytes, unless builder.full
 *
 * Addresses are what softgpu_cmd.h says of the packet. Where they are patched they are 0, and builder.used before a
 * call is where the packet begins. */
#ifndef SOFTGPU_BUILD_H
#define SOFTGPU_BUILD_H

#include <string.h>

#include "softgpu_cmd.h"
#include "softgpu_draw.h"

typedef struct SOFTGPU_BUILDER {
  uint8_t* memory;
  uint32_t bytes;
  uint32_t used;
  uint32_t full; /* 1: a packet did not fit, and neither it nor any after it was added */
} SOFTGPU_BUILDER;

static inline SOFTGPU_BUILDER softgpu_builder(uint8_t* memory, uint32_t bytes) {
  SOFTGPU_BUILDER builder = {0, 0, 0, 0};
  builder.memory = memory;
  builder.bytes = bytes;
  return builder;
}

/* Any packet; its header says how long it is. */
static inline void softgpu_add(SOFTGPU_BUILDER* builder, const SOFTGPU_HEADER* packet) {
  uint32_t bytes = packet->qwords * 8u;
  if (builder->full || bytes > builder->bytes - builder->used) {
    builder->full = 1;
    return;
  }
  memcpy(builder->memory + builder->used, packet, bytes);
  builder->used += bytes;
}

static inline void softgpu_add_fill(SOFTGPU_BUILDER* builder, uint64_t destination, uint64_t bytes, uint32_t pattern) {
  SOFTGPU_FILL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_FILL, 0, sizeof(packet), pattern);
  packet.destination = destination;
  packet.bytes = bytes;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_copy(SOFTGPU_BUILDER* builder, uint64_t source, uint64_t destination, uint64_t bytes) {
  SOFTGPU_COPY packet;
  packet.header = softgpu_header(SOFTGPU_CMD_COPY, 0, sizeof(packet), 0);
  packet.source = source;
  packet.destination = destination;
  packet.bytes = bytes;
  softgpu_add(builder, &packet.header);
}

/* `kernel` is SOFTGPU_KERNEL_…. */
static inline void softgpu_add_kernel(SOFTGPU_BUILDER* builder, uint32_t kernel, uint64_t a, uint64_t b,
                                      uint64_t destination, uint32_t count, uint32_t scalar) {
  SOFTGPU_KERNEL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_KERNEL, 0, sizeof(packet), kernel);
  packet.a = a;
  packet.b = b;
  packet.destination = destination;
  packet.count = count;
  packet.scalar = scalar;
  softgpu_add(builder, &packet.header);
}

/* `flags`: SOFTGPU_FLAG_INTERRUPT for a monitored fence, SOFTGPU_FLAG_32BIT. */
static inline void softgpu_add_signal(SOFTGPU_BUILDER* builder, uint64_t address, uint64_t value, uint8_t flags) {
  SOFTGPU_SIGNAL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_SIGNAL, flags, sizeof(packet), 0);
  packet.address = address;
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

/* `flags`: SOFTGPU_FLAG_EQUAL, SOFTGPU_FLAG_32BIT. */
static inline void softgpu_add_wait(SOFTGPU_BUILDER* builder, uint64_t address, uint64_t value, uint8_t flags) {
  SOFTGPU_WAIT packet;
  packet.header = softgpu_header(SOFTGPU_CMD_WAIT, flags, sizeof(packet), 0);
  packet.address = address;
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_timestamp(SOFTGPU_BUILDER* builder, uint64_t address) {
  SOFTGPU_TIMESTAMP packet;
  packet.header = softgpu_header(SOFTGPU_CMD_TIMESTAMP, 0, sizeof(packet), 0);
  packet.address = address;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_set_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t value) {
  SOFTGPU_SET_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_SET_STATE, 0, sizeof(packet), index);
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_add_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t value) {
  SOFTGPU_ADD_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_ADD_STATE, 0, sizeof(packet), index);
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_store_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t address) {
  SOFTGPU_STORE_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_STORE_STATE, 0, sizeof(packet), index);
  packet.address = address;
  softgpu_add(builder, &packet.header);
}

/* --- Drawing ---
 *
 *   SOFTGPU_DRAW draw = softgpu_draw(target_surface);
 *   draw.target = target_va;
 *   draw.vertices = vertices_va;
 *   … what is different from the usual
 *   softgpu_add_draw(&builder, &draw, SOFTGPU_DRAW_TARGET); */

/* A draw as it usually is: triangles with a position of three floats and nothing else, all white, not culled; the whole
 * target, identities, no flags. Where a flag is added, what it asks for is what Direct3D 9 begins with. */
static inline SOFTGPU_DRAW softgpu_draw(SOFTGPU_SURFACE target) {
  SOFTGPU_DRAW draw;
  uint32_t i;
  memset(&draw, 0, sizeof(draw));
  draw.target_surface = target;
  draw.stride = 12;
  draw.normal_offset = draw.diffuse_offset = draw.texcoord_offset = SOFTGPU_ABSENT;
  draw.index_bytes = 2;
  draw.topology = SOFTGPU_TOPOLOGY_TRIANGLES;
  draw.position_kind = SOFTGPU_POSITION_FLOAT3;
  draw.cull = SOFTGPU_CULL_NONE;
  draw.fill = SOFTGPU_FILL_SOLID;
  draw.write_mask = SOFTGPU_WRITE_ALL;
  draw.depth_function = SOFTGPU_COMPARE_LESS_EQUAL;
  draw.alpha_function = SOFTGPU_COMPARE_ALWAYS;
  draw.address_u = draw.address_v = SOFTGPU_ADDRESS_WRAP;
  draw.combine_color = SOFTGPU_COMBINE_MODULATE;
  draw.combine_alpha = SOFTGPU_COMBINE_TEXTURE;
  draw.blend_source = draw.blend_source_alpha = SOFTGPU_BLEND_ONE;
  draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_ZERO;
  draw.blend_op = draw.blend_op_alpha = SOFTGPU_BLEND_OP_ADD;
  draw.blend_factor = 0xFFFFFFFFu;
  draw.scissor.right = SOFTGPU_SURFACE_MAX;
  draw.scissor.bottom = SOFTGPU_SURFACE_MAX;
  draw.viewport.width = target.width;
  draw.viewport.height = target.height;
  draw.viewport.max_z = 1;
  draw.point_size = 1;
  for (i = 0; i < 4; ++i) draw.color[i] = draw.material_diffuse[i] = 1;
  for (i = 0; i < 4; ++i) draw.transform[5 * i] = 1;
  for (i = 0; i < 3; ++i) draw.normal_transform[4 * i] = 1;
  return draw;
}

/* Its header is what `flags`, SOFTGPU_DRAW_…, say. */
static inline void softgpu_add_draw(SOFTGPU_BUILDER* builder, const SOFTGPU_DRAW* draw, uint32_t flags) {
  SOFTGPU_DRAW packet = *draw;
  packet.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(packet), flags);
  softgpu_add(builder, &packet.header);
}

/* The rectangle lies inside of the surface. */
static inline void softgpu_add_clear_rect(SOFTGPU_BUILDER* builder, uint64_t destination, uint32_t pitch,
                                          uint32_t pixel_bytes, SOFTGPU_RECT rect, uint32_t value) {
  SOFTGPU_CLEAR_RECT packet;
  packet.header = softgpu_header(SOFTGPU_CMD_CLEAR_RECT, 0, sizeof(packet), value);
  packet.destination = destination;
  packet.x = rect.left;
  packet.y = rect.top;
  packet.width = rect.right - rect.left;
  packet.height = rect.bottom - rect.top;
  packet.pitch = pitch;
  packet.pixel_bytes = pixel_bytes;
  softgpu_add(builder, &packet.header);
}

/* Both rectangles lie inside of their surfaces; the destination's begins at (x, y). */
static inline void softgpu_add_copy_rect(SOFTGPU_BUILDER* builder, uint64_t source, uint32_t source_pitch,
                                         SOFTGPU_RECT from, uint64_t destination, uint32_t destination_pitch,
                                         uint32_t x, uint32_t y, uint32_t pixel_bytes) {
  SOFTGPU_COPY_RECT packet;
  packet.header = softgpu_header(SOFTGPU_CMD_COPY_RECT, 0, sizeof(packet), 0);
  packet.source = source;
  packet.destination = destination;
  packet.source_x = from.left;
  packet.source_y = from.top;
  packet.source_pitch = source_pitch;
  packet.destination_x = x;
  packet.destination_y = y;
  packet.destination_pitch = destination_pitch;
  packet.width = from.right - from.left;
  packet.height = from.bottom - from.top;
  packet.pixel_bytes = pixel_bytes;
  packet.reserved = 0;
  softgpu_add(builder, &packet.header);
}

/* Both surfaces are A8R8G8B8 or X8R8G8B8, and both rectangles lie inside of them. */
static inline void softgpu_add_stretch_rect(SOFTGPU_BUILDER* builder, uint64_t source, uint32_t source_pitch,
                                            uint32_t source_format, SOFTGPU_RECT from, uint64_t destination,
                                            uint32_t destination_pitch, uint32_t destination_format, SOFTGPU_RECT to) {
  SOFTGPU_STRETCH_RECT packet;
  packet.header = softgpu_header(SOFTGPU_CMD_STRETCH_RECT, 0, sizeof(packet), 0);
  packet.source = source;
  packet.destination = destination;
  packet.source_x = from.left;
  packet.source_y = from.top;
  packet.source_width = from.right - from.left;
  packet.source_height = from.bottom - from.top;
  packet.source_pitch = source_pitch;
  packet.source_format = source_format;
  packet.destination_x = to.left;
  packet.destination_y = to.top;
  packet.destination_width = to.right - to.left;
  packet.destination_height = to.bottom - to.top;
  packet.destination_pitch = destination_pitch;
  packet.destination_format = destination_format;
  softgpu_add(builder, &packet.header);
}

#endif
