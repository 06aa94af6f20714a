/* Which packets of softgpu_draw.h are well formed, and how many bytes they can touch behind each of their addresses.
 * The hardware asks before it runs one; a driver that patches addresses asks before it lets one pass, so that nothing
 * beyond an allocation is touched. C11 and C++17. The bytes are those of a well formed packet. */
#ifndef SOFTGPU_DRAW_CHECK_H
#define SOFTGPU_DRAW_CHECK_H

#include "softgpu_draw.h"

/* --- Surfaces --- */

/* 0: no such format. */
static inline uint32_t softgpu_pixel_bytes(uint32_t format) {
  switch (format) {
    case SOFTGPU_FORMAT_A8R8G8B8:
    case SOFTGPU_FORMAT_X8R8G8B8:
    case SOFTGPU_FORMAT_A8B8G8R8:
    case SOFTGPU_FORMAT_X8B8G8R8:
      return 4;
    case SOFTGPU_FORMAT_R5G6B5:
      return 2;
    case SOFTGPU_FORMAT_A8:
    case SOFTGPU_FORMAT_L8:
      return 1;
    default:
      return 0;
  }
}

static inline int softgpu_is_target_format(uint32_t format) { return softgpu_pixel_bytes(format) >= 2; }

/* From the first pixel up to the right and bottom end of what is used; 0 where nothing is. */
static inline uint64_t softgpu_rows_bytes(uint32_t right, uint32_t bottom, uint32_t pitch, uint32_t pixel_bytes) {
  uint64_t rows = bottom;
  uint64_t last = right;
  return right == 0 || bottom == 0 ? 0 : (rows - 1) * pitch + last * pixel_bytes;
}

static inline uint64_t softgpu_surface_bytes(const SOFTGPU_SURFACE* surface) {
  return softgpu_rows_bytes(surface->width, surface->height, surface->pitch, softgpu_pixel_bytes(surface->format));
}

/* The pitch of rows that reach up to `right`. */
static inline int softgpu_pitch_is_right(uint32_t pitch, uint32_t right, uint32_t pixel_bytes) {
  return pixel_bytes != 0 && pitch % pixel_bytes == 0 && pitch <= SOFTGPU_PITCH_MAX && pitch / pixel_bytes >= right;
}

static inline int softgpu_extent_is_right(const SOFTGPU_SURFACE* surface) {
  return surface->width >= 1 && surface->width <= SOFTGPU_SURFACE_MAX && surface->height >= 1 &&
         surface->height <= SOFTGPU_SURFACE_MAX;
}

static inline int softgpu_surface_is_right(const SOFTGPU_SURFACE* surface) {
  return softgpu_extent_is_right(surface) &&
         softgpu_pitch_is_right(surface->pitch, surface->width, softgpu_pixel_bytes(surface->format));
}

/* A part of a surface, from `first` on. */
static inline int softgpu_part_is_right(uint32_t first, uint32_t length) {
  return first <= SOFTGPU_SURFACE_MAX && length <= SOFTGPU_SURFACE_MAX - first;
}

/* --- DRAW --- */

static inline int softgpu_draw_uses(const SOFTGPU_DRAW* draw, uint32_t flag) {
  return (draw->header.argument & flag) != 0;
}

static inline int softgpu_is_one_of(uint32_t value, uint32_t first, uint32_t last) {
  return value >= first && value <= last;
}

static inline uint32_t softgpu_position_bytes(uint32_t kind) {
  return kind == SOFTGPU_POSITION_FLOAT2 ? 8u : kind == SOFTGPU_POSITION_FLOAT3 ? 12u : 16u;
}

static inline uint32_t softgpu_color_bytes(uint32_t kind) { return kind == SOFTGPU_COLOR_FLOAT4 ? 16u : 4u; }

static inline int softgpu_is_in_vertex(const SOFTGPU_DRAW* draw, uint32_t offset, uint32_t bytes) {
  return offset == SOFTGPU_ABSENT || offset + bytes <= draw->stride;
}

static inline int softgpu_vertices_are_right(const SOFTGPU_DRAW* draw) {
  uint64_t end = draw->first;
  end += draw->count;
  return draw->stride <= SOFTGPU_STRIDE_MAX && draw->position_kind <= SOFTGPU_POSITION_SCREEN &&
         draw->diffuse_kind <= SOFTGPU_COLOR_FLOAT4 && draw->position_offset != SOFTGPU_ABSENT &&
         softgpu_is_in_vertex(draw, draw->position_offset, softgpu_position_bytes(draw->position_kind)) &&
         softgpu_is_in_vertex(draw, draw->normal_offset, 12) &&
         softgpu_is_in_vertex(draw, draw->diffuse_offset, softgpu_color_bytes(draw->diffuse_kind)) &&
         softgpu_is_in_vertex(draw, draw->texcoord_offset, 8) && draw->count <= SOFTGPU_DRAW_MAX_COUNT &&
         softgpu_is_one_of(draw->topology, SOFTGPU_TOPOLOGY_POINTS, SOFTGPU_TOPOLOGY_TRIANGLE_FAN) &&
         (softgpu_draw_uses(draw, SOFTGPU_DRAW_INDEXED) ? draw->index_bytes == 2 || draw->index_bytes == 4
                                                        : end <= draw->vertex_count);
}

static inline int softgpu_is_blend_factor(uint32_t factor) {
  return softgpu_is_one_of(factor, SOFTGPU_BLEND_ZERO, SOFTGPU_BLEND_SRC_ALPHA_SAT) || factor == SOFTGPU_BLEND_FACTOR ||
         factor == SOFTGPU_BLEND_INV_FACTOR;
}

static inline int softgpu_blend_is_right(const SOFTGPU_DRAW* draw) {
  return softgpu_is_blend_factor(draw->blend_source) && softgpu_is_blend_factor(draw->blend_destination) &&
         softgpu_is_blend_factor(draw->blend_source_alpha) && softgpu_is_blend_factor(draw->blend_destination_alpha) &&
         softgpu_is_one_of(draw->blend_op, SOFTGPU_BLEND_OP_ADD, SOFTGPU_BLEND_OP_MAX) &&
         softgpu_is_one_of(draw->blend_op_alpha, SOFTGPU_BLEND_OP_ADD, SOFTGPU_BLEND_OP_MAX);
}

static inline int softgpu_texture_is_right(const SOFTGPU_DRAW* draw) {
  return softgpu_surface_is_right(&draw->texture_surface) &&
         softgpu_is_one_of(draw->address_u, SOFTGPU_ADDRESS_WRAP, SOFTGPU_ADDRESS_CLAMP) &&
         softgpu_is_one_of(draw->address_v, SOFTGPU_ADDRESS_WRAP, SOFTGPU_ADDRESS_CLAMP) &&
         draw->combine_color <= SOFTGPU_COMBINE_ADD && draw->combine_alpha <= SOFTGPU_COMBINE_ADD;
}

static inline int softgpu_depth_is_right(const SOFTGPU_DRAW* draw) {
  return softgpu_pitch_is_right(draw->depth_pitch, draw->target_surface.width, 4) &&
         softgpu_is_one_of(draw->depth_function, SOFTGPU_COMPARE_NEVER, SOFTGPU_COMPARE_ALWAYS);
}

/* What each flag asks for. */
static inline int softgpu_flags_are_right(const SOFTGPU_DRAW* draw) {
  uint32_t flags = draw->header.argument;
  if ((flags & ~SOFTGPU_DRAW_FLAGS) != 0) return 0;
  if ((flags & SOFTGPU_DRAW_TARGET) != 0 &&
      !(softgpu_surface_is_right(&draw->target_surface) && softgpu_is_target_format(draw->target_surface.format)))
    return 0;
  if ((flags & SOFTGPU_DRAW_DEPTH) != 0 ? !softgpu_depth_is_right(draw) : (flags & SOFTGPU_DRAW_DEPTH_WRITE) != 0)
    return 0;
  if ((flags & SOFTGPU_DRAW_TEXTURE) != 0 && !softgpu_texture_is_right(draw)) return 0;
  if ((flags & SOFTGPU_DRAW_BLEND) != 0 && !softgpu_blend_is_right(draw)) return 0;
  if ((flags & SOFTGPU_DRAW_LIGHTING) != 0 && draw->light_count > SOFTGPU_LIGHTS) return 0;
  return (flags & SOFTGPU_DRAW_ALPHA_TEST) == 0 ||
         softgpu_is_one_of(draw->alpha_function, SOFTGPU_COMPARE_NEVER, SOFTGPU_COMPARE_ALWAYS);
}

static inline int softgpu_draw_is_right(const SOFTGPU_DRAW* draw) {
  return softgpu_extent_is_right(&draw->target_surface) && softgpu_vertices_are_right(draw) &&
         softgpu_flags_are_right(draw) && softgpu_is_one_of(draw->cull, SOFTGPU_CULL_NONE, SOFTGPU_CULL_CCW) &&
         softgpu_is_one_of(draw->fill, SOFTGPU_FILL_WIREFRAME, SOFTGPU_FILL_SOLID) &&
         draw->write_mask <= SOFTGPU_WRITE_ALL && draw->reserved == 0 &&
         (draw->target == 0 || softgpu_draw_uses(draw, SOFTGPU_DRAW_TARGET)) &&
         (draw->depth == 0 || softgpu_draw_uses(draw, SOFTGPU_DRAW_DEPTH)) &&
         (draw->texture == 0 || softgpu_draw_uses(draw, SOFTGPU_DRAW_TEXTURE)) &&
         (draw->indices == 0 || softgpu_draw_uses(draw, SOFTGPU_DRAW_INDEXED));
}

static inline uint64_t softgpu_draw_depth_bytes(const SOFTGPU_DRAW* draw) {
  return softgpu_rows_bytes(draw->target_surface.width, draw->target_surface.height, draw->depth_pitch, 4);
}

static inline uint64_t softgpu_draw_vertices_bytes(const SOFTGPU_DRAW* draw) {
  uint64_t count = draw->vertex_count;
  return count * draw->stride;
}

static inline uint64_t softgpu_draw_indices_bytes(const SOFTGPU_DRAW* draw) {
  uint64_t end = draw->first;
  return (end + draw->count) * draw->index_bytes;
}

/* --- Rectangles --- */

static inline int softgpu_is_rect_pixel(uint32_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4; }

static inline int softgpu_clear_rect_is_right(const SOFTGPU_CLEAR_RECT* clear) {
  return softgpu_is_rect_pixel(clear->pixel_bytes) && softgpu_part_is_right(clear->x, clear->width) &&
         softgpu_part_is_right(clear->y, clear->height) &&
         softgpu_pitch_is_right(clear->pitch, clear->x + clear->width, clear->pixel_bytes);
}

static inline uint64_t softgpu_clear_rect_bytes(const SOFTGPU_CLEAR_RECT* clear) {
  return softgpu_rows_bytes(clear->x + clear->width, clear->y + clear->height, clear->pitch, clear->pixel_bytes);
}

static inline int softgpu_copy_rect_is_right(const SOFTGPU_COPY_RECT* copy) {
  return softgpu_is_rect_pixel(copy->pixel_bytes) && copy->reserved == 0 &&
         softgpu_part_is_right(copy->source_x, copy->width) && softgpu_part_is_right(copy->source_y, copy->height) &&
         softgpu_part_is_right(copy->destination_x, copy->width) &&
         softgpu_part_is_right(copy->destination_y, copy->height) &&
         softgpu_pitch_is_right(copy->source_pitch, copy->source_x + copy->width, copy->pixel_bytes) &&
         softgpu_pitch_is_right(copy->destination_pitch, copy->destination_x + copy->width, copy->pixel_bytes);
}

static inline uint64_t softgpu_copy_rect_source_bytes(const SOFTGPU_COPY_RECT* copy) {
  return softgpu_rows_bytes(copy->source_x + copy->width, copy->source_y + copy->height, copy->source_pitch,
                            copy->pixel_bytes);
}

static inline uint64_t softgpu_copy_rect_destination_bytes(const SOFTGPU_COPY_RECT* copy) {
  return softgpu_rows_bytes(copy->destination_x + copy->width, copy->destination_y + copy->height,
                            copy->destination_pitch, copy->pixel_bytes);
}

static inline int softgpu_is_stretch_format(uint32_t format) {
  return format == SOFTGPU_FORMAT_A8R8G8B8 || format == SOFTGPU_FORMAT_X8R8G8B8;
}

static inline int softgpu_stretch_rect_is_right(const SOFTGPU_STRETCH_RECT* stretch) {
  int empty = stretch->destination_width == 0 || stretch->destination_height == 0;
  return softgpu_is_stretch_format(stretch->source_format) && softgpu_is_stretch_format(stretch->destination_format) &&
         softgpu_part_is_right(stretch->source_x, stretch->source_width) &&
         softgpu_part_is_right(stretch->source_y, stretch->source_height) &&
         softgpu_part_is_right(stretch->destination_x, stretch->destination_width) &&
         softgpu_part_is_right(stretch->destination_y, stretch->destination_height) &&
         softgpu_pitch_is_right(stretch->source_pitch, stretch->source_x + stretch->source_width, 4) &&
         softgpu_pitch_is_right(stretch->destination_pitch, stretch->destination_x + stretch->destination_width, 4) &&
         (empty || (stretch->source_width != 0 && stretch->source_height != 0));
}

static inline uint64_t softgpu_stretch_rect_source_bytes(const SOFTGPU_STRETCH_RECT* stretch) {
  return softgpu_rows_bytes(stretch->source_x + stretch->source_width, stretch->source_y + stretch->source_height,
                            stretch->source_pitch, 4);
}

static inline uint64_t softgpu_stretch_rect_destination_bytes(const SOFTGPU_STRETCH_RECT* stretch) {
  return softgpu_rows_bytes(stretch->destination_x + stretch->destination_width,
                            stretch->destination_y + stretch->destination_height, stretch->destination_pitch, 4);
}

#endif
