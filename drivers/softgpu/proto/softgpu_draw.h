/* Drawing on softgpu's render engine: surfaces, triangles, rectangles. For the driver, its user-mode part and the
 * hardware alike; C11 and C++17.
 *
 * A packet says everything its work needs; nothing is kept from one to the next. Numbers that Direct3D has too are
 * Direct3D's (D3DDDIFORMAT, D3DPRIMITIVETYPE, D3DCULL, D3DFILLMODE, D3DCMPFUNC, D3DBLEND, D3DBLENDOP,
 * D3DTEXTUREADDRESS, D3DCOLORWRITEENABLE), so that a user-mode driver hands them on as they come. What is checked, and
 * which bytes a packet can touch, is in softgpu_draw_check.h: a packet that is not well formed is
 * SOFTGPU_FAULT_COMMAND. Numbers with a fraction are never at fault: what a NaN or an infinity leads to is not drawn.
 *
 * An address is 0 where the packet does not use it. */
#ifndef SOFTGPU_DRAW_H
#define SOFTGPU_DRAW_H

#include "softgpu_cmd.h"

/* --- Surfaces ---
 *
 * Rows of pixels, the top one first. The address and the pitch are multiples of a pixel's size, and the pitch is at
 * least a row's bytes. The names read from the highest bit to the lowest. What has no alpha has 1; X of a target is
 * written as A would be. */
#define SOFTGPU_FORMAT_A8R8G8B8 21u
#define SOFTGPU_FORMAT_X8R8G8B8 22u
#define SOFTGPU_FORMAT_R5G6B5 23u
#define SOFTGPU_FORMAT_A8 28u /* texture only: colours are 0 */
#define SOFTGPU_FORMAT_A8B8G8R8 32u
#define SOFTGPU_FORMAT_X8B8G8R8 33u
#define SOFTGPU_FORMAT_L8 50u /* texture only: one value for all three colours */

#define SOFTGPU_SURFACE_MAX 4096u /* width and height */
#define SOFTGPU_PITCH_MAX 0x10000u

typedef struct SOFTGPU_SURFACE {
  uint32_t width;  /* pixels, 1 to SOFTGPU_SURFACE_MAX */
  uint32_t height; /* the same */
  uint32_t pitch;  /* bytes from one row to the next, at most SOFTGPU_PITCH_MAX */
  uint32_t format; /* SOFTGPU_FORMAT_… */
} SOFTGPU_SURFACE;

/* Right and bottom are not part of it. */
typedef struct SOFTGPU_RECT {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} SOFTGPU_RECT;

/* --- DRAW --- */

/* header.argument: what the draw uses and how. */
#define SOFTGPU_DRAW_TARGET 0x00000001u      /* writes colours to `target` */
#define SOFTGPU_DRAW_DEPTH 0x00000002u       /* compares with `depth` */
#define SOFTGPU_DRAW_DEPTH_WRITE 0x00000004u /* with DEPTH: writes what passed */
#define SOFTGPU_DRAW_TEXTURE 0x00000008u     /* samples `texture`; vertices have texture coordinates, else (0, 0) */
#define SOFTGPU_DRAW_INDEXED 0x00000010u     /* vertices come in the order of `indices` */
#define SOFTGPU_DRAW_BLEND 0x00000020u
#define SOFTGPU_DRAW_ALPHA_TEST 0x00000040u
#define SOFTGPU_DRAW_LIGHTING 0x00000080u  /* colours are computed from normals; a vertex without one is lit by none */
#define SOFTGPU_DRAW_NORMALIZE 0x00000100u /* normals are made one long after the transform */
#define SOFTGPU_DRAW_DIFFUSE_FROM_VERTEX 0x00000200u /* LIGHTING: the vertices' colour for material_diffuse */
#define SOFTGPU_DRAW_AMBIENT_FROM_VERTEX 0x00000400u /* LIGHTING: the vertices' colour for material_ambient */
#define SOFTGPU_DRAW_FLAT 0x00000800u                /* the colour of a primitive's first vertex for all of it */
#define SOFTGPU_DRAW_BILINEAR 0x00001000u            /* TEXTURE: filtered, instead of the nearest texel */
/* Pixels have their centres at whole coordinates, as in Direct3D 9, instead of at halves, as in Direct3D 10 and later.
 * Counts for SOFTGPU_POSITION_SCREEN and for what the viewport makes of the others. */
#define SOFTGPU_DRAW_WHOLE_CENTERS 0x00002000u
#define SOFTGPU_DRAW_NO_DEPTH_CLIP 0x00004000u /* any z is drawn: depth is held in min_z to max_z */
#define SOFTGPU_DRAW_FLAGS 0x00007FFFu

/* Primitives. The first vertex of one is that of its shade; triangle i of a strip is (i, i+1, i+2), or (i, i+2, i+1)
 * where i is odd; of a fan (i+1, i+2, 0). Vertices that are left over are ignored. */
#define SOFTGPU_TOPOLOGY_POINTS 1u /* squares of point_size around the vertex */
/* A line has one pixel for each step of its longer direction (of both alike: x) whose centre lies from its first end up
 * to its last, without that: the one nearest to the line. */
#define SOFTGPU_TOPOLOGY_LINES 2u
#define SOFTGPU_TOPOLOGY_LINE_STRIP 3u
#define SOFTGPU_TOPOLOGY_TRIANGLES 4u
#define SOFTGPU_TOPOLOGY_TRIANGLE_STRIP 5u
#define SOFTGPU_TOPOLOGY_TRIANGLE_FAN 6u

/* A position in a vertex. All but SCREEN are row vectors that are multiplied by `transform`. */
#define SOFTGPU_POSITION_FLOAT2 0u /* z is 0, w is 1 */
#define SOFTGPU_POSITION_FLOAT3 1u /* w is 1 */
#define SOFTGPU_POSITION_FLOAT4 2u
/* x, y, z, 1/w on the target: pixels and depth, untouched by the viewport but cut by it. Depth is held in 0 to 1. A 1/w
 * that is no positive number counts as 1. */
#define SOFTGPU_POSITION_SCREEN 3u

#define SOFTGPU_COLOR_ARGB 0u   /* four bytes, as SOFTGPU_FORMAT_A8R8G8B8 */
#define SOFTGPU_COLOR_ABGR 1u   /* four bytes, as SOFTGPU_FORMAT_A8B8G8R8 */
#define SOFTGPU_COLOR_FLOAT4 2u /* red, green, blue, alpha; 0 to 1 */

#define SOFTGPU_ABSENT 0xFFFFu /* the offset of what vertices do not have */

/* As it is seen on the target. */
#define SOFTGPU_CULL_NONE 1u
#define SOFTGPU_CULL_CW 2u /* those are not drawn whose vertices go clockwise */
#define SOFTGPU_CULL_CCW 3u

#define SOFTGPU_FILL_WIREFRAME 2u /* of triangles their edges, as lines */
#define SOFTGPU_FILL_SOLID 3u

#define SOFTGPU_COMPARE_NEVER 1u
#define SOFTGPU_COMPARE_LESS 2u
#define SOFTGPU_COMPARE_EQUAL 3u
#define SOFTGPU_COMPARE_LESS_EQUAL 4u
#define SOFTGPU_COMPARE_GREATER 5u
#define SOFTGPU_COMPARE_NOT_EQUAL 6u
#define SOFTGPU_COMPARE_GREATER_EQUAL 7u
#define SOFTGPU_COMPARE_ALWAYS 8u

#define SOFTGPU_BLEND_ZERO 1u
#define SOFTGPU_BLEND_ONE 2u
#define SOFTGPU_BLEND_SRC_COLOR 3u
#define SOFTGPU_BLEND_INV_SRC_COLOR 4u
#define SOFTGPU_BLEND_SRC_ALPHA 5u
#define SOFTGPU_BLEND_INV_SRC_ALPHA 6u
#define SOFTGPU_BLEND_DEST_ALPHA 7u
#define SOFTGPU_BLEND_INV_DEST_ALPHA 8u
#define SOFTGPU_BLEND_DEST_COLOR 9u
#define SOFTGPU_BLEND_INV_DEST_COLOR 10u
#define SOFTGPU_BLEND_SRC_ALPHA_SAT 11u
#define SOFTGPU_BLEND_FACTOR 14u
#define SOFTGPU_BLEND_INV_FACTOR 15u

#define SOFTGPU_BLEND_OP_ADD 1u
#define SOFTGPU_BLEND_OP_SUBTRACT 2u
#define SOFTGPU_BLEND_OP_REV_SUBTRACT 3u
#define SOFTGPU_BLEND_OP_MIN 4u
#define SOFTGPU_BLEND_OP_MAX 5u

#define SOFTGPU_WRITE_RED 0x1u
#define SOFTGPU_WRITE_GREEN 0x2u
#define SOFTGPU_WRITE_BLUE 0x4u
#define SOFTGPU_WRITE_ALPHA 0x8u
#define SOFTGPU_WRITE_ALL 0xFu

#define SOFTGPU_ADDRESS_WRAP 1u
#define SOFTGPU_ADDRESS_MIRROR 2u
#define SOFTGPU_ADDRESS_CLAMP 3u

/* How a texel and the vertices' colour become one, for the colours and for alpha each. */
#define SOFTGPU_COMBINE_DIFFUSE 0u /* the vertices' alone */
#define SOFTGPU_COMBINE_TEXTURE 1u /* the texel alone */
#define SOFTGPU_COMBINE_MODULATE 2u
#define SOFTGPU_COMBINE_ADD 3u

#define SOFTGPU_LIGHTS 4u

typedef struct SOFTGPU_LIGHT {
  float direction[3]; /* in which it shines, one long, in the space that normal_transform leads to */
  float diffuse[3];   /* red, green, blue */
} SOFTGPU_LIGHT;

typedef struct SOFTGPU_VIEWPORT {
  float x;
  float y;
  float width;
  float height;
  float min_z;
  float max_z;
} SOFTGPU_VIEWPORT;

/* `target` and `texture` have a surface of that name below. `depth` has a float in 0 to 1 for each pixel of the target;
 * without TARGET only width and height of the target's surface count. To draw to what the draw reads is undefined.
 *
 * A pixel is written if its centre is covered (the top-left rule) and lies inside of the target, of the scissor
 * rectangle and of the viewport. Order: texture, alpha test, depth test, blend, write mask. Depth is linear on the
 * target; colours and texture coordinates are correct in perspective. Positions on the target are rounded to 1/256
 * pixel, so that what two triangles share is drawn once.
 *
 *   clip = (x y z w) * transform          then clipped to 0 <= z <= w, and to w > 0
 *   target x = viewport.x + (1 + clip.x / clip.w) * viewport.width / 2
 *   target y = viewport.y + (1 - clip.y / clip.w) * viewport.height / 2
 *   depth    = viewport.min_z + clip.z / clip.w * (viewport.max_z - viewport.min_z)
 *
 * The vertices' colour is their diffuse one, or `color` where they have none. With LIGHTING it is
 *   emissive + ambient * material_ambient + the sum over lights of max(0, -direction . normal) * diffuse *
 *   material_diffuse
 * with material_diffuse's alpha. */
typedef struct SOFTGPU_DRAW {
  SOFTGPU_HEADER header; /* argument: SOFTGPU_DRAW_… */
  uint64_t target;       /* with TARGET */
  uint64_t depth;        /* with DEPTH; a multiple of 4 */
  uint64_t texture;      /* with TEXTURE */
  uint64_t vertices;     /* always; of vertex 0 */
  uint64_t indices;      /* with INDEXED; of index 0 */

  SOFTGPU_SURFACE target_surface;
  SOFTGPU_SURFACE texture_surface; /* one level, whichever was chosen */
  uint32_t depth_pitch;

  uint32_t vertex_count;    /* in the buffer; what an index names beyond is not drawn */
  uint32_t first;           /* vertex, or index with INDEXED */
  uint32_t count;           /* vertices, or indices with INDEXED; at most SOFTGPU_DRAW_MAX_COUNT */
  int32_t base_vertex;      /* INDEXED: added to each index */
  uint16_t stride;          /* bytes from one vertex to the next, at most SOFTGPU_STRIDE_MAX */
  uint16_t position_offset; /* in the vertex; never absent */
  uint16_t normal_offset;   /* three floats, or SOFTGPU_ABSENT, as those below */
  uint16_t diffuse_offset;
  uint16_t texcoord_offset; /* two floats */
  uint8_t index_bytes;      /* INDEXED: 2 or 4 */
  uint8_t topology;         /* SOFTGPU_TOPOLOGY_… */
  uint8_t position_kind;    /* SOFTGPU_POSITION_… */
  uint8_t diffuse_kind;     /* SOFTGPU_COLOR_… */
  uint8_t cull;             /* SOFTGPU_CULL_…, of triangles */
  uint8_t fill;             /* SOFTGPU_FILL_…, of triangles */

  uint8_t write_mask;     /* SOFTGPU_WRITE_… */
  uint8_t depth_function; /* DEPTH: SOFTGPU_COMPARE_…: new, function, old */
  uint8_t alpha_function; /* ALPHA_TEST: SOFTGPU_COMPARE_…: alpha, function, reference */
  uint8_t alpha_reference;
  uint8_t address_u; /* TEXTURE: SOFTGPU_ADDRESS_… */
  uint8_t address_v;
  uint8_t combine_color; /* TEXTURE: SOFTGPU_COMBINE_… */
  uint8_t combine_alpha;
  uint8_t blend_source; /* BLEND: SOFTGPU_BLEND_… of the new colour */
  uint8_t blend_destination;
  uint8_t blend_op;           /* SOFTGPU_BLEND_OP_…; MIN and MAX ignore the factors */
  uint8_t blend_source_alpha; /* the same for alpha alone */
  uint8_t blend_destination_alpha;
  uint8_t blend_op_alpha;
  uint8_t light_count; /* LIGHTING: at most SOFTGPU_LIGHTS */
  uint8_t reserved;
  uint32_t blend_factor; /* as SOFTGPU_FORMAT_A8R8G8B8 */

  SOFTGPU_RECT scissor; /* of the target; may be larger */
  SOFTGPU_VIEWPORT viewport;
  float point_size; /* pixels; at least 1 and at most SOFTGPU_POINT_MAX count */
  float color[4];   /* red, green, blue, alpha, as those below */
  float material_diffuse[4];
  float material_ambient[4];
  float material_emissive[4];
  float ambient[4];          /* light from everywhere */
  float transform[16];       /* object to clip space, row by row: the four of a row go to x, y, z and w of the sum */
  float normal_transform[9]; /* 3x3, row by row, for normals as row vectors */
  SOFTGPU_LIGHT lights[SOFTGPU_LIGHTS];
} SOFTGPU_DRAW;

#define SOFTGPU_DRAW_MAX_COUNT 0x100000u
#define SOFTGPU_STRIDE_MAX 2048u
#define SOFTGPU_POINT_MAX 256u
/* What one draw may do: a unit for each pixel that a primitive covers, hidden or not, and SOFTGPU_DRAW_ROW_WORK for
 * each row of pixels of each primitive. One that would do more is SOFTGPU_FAULT_COMMAND when it gets there. */
#define SOFTGPU_DRAW_MAX_WORK 0x8000000u
#define SOFTGPU_DRAW_ROW_WORK 16u

/* --- Rectangles --- */

/* Fills a rectangle. header.argument: the pixel, in its lowest bytes. */
typedef struct SOFTGPU_CLEAR_RECT {
  SOFTGPU_HEADER header;
  uint64_t destination; /* of the surface's first pixel */
  uint32_t x;           /* x + width is at most SOFTGPU_SURFACE_MAX, and so is y + height */
  uint32_t y;
  uint32_t width;
  uint32_t height;
  uint32_t pitch;
  uint32_t pixel_bytes; /* 1, 2 or 4 */
} SOFTGPU_CLEAR_RECT;

/* Copies a rectangle. Where the two overlap the result is undefined. */
typedef struct SOFTGPU_COPY_RECT {
  SOFTGPU_HEADER header;
  uint64_t source; /* of the surfaces' first pixels */
  uint64_t destination;
  uint32_t source_x;
  uint32_t source_y;
  uint32_t source_pitch;
  uint32_t destination_x;
  uint32_t destination_y;
  uint32_t destination_pitch;
  uint32_t width;
  uint32_t height;
  uint32_t pixel_bytes; /* 1, 2 or 4, of both */
  uint32_t reserved;
} SOFTGPU_COPY_RECT;

/* Copies a rectangle to one of another size: of each pixel the one that its centre falls on. Both are A8R8G8B8 or
 * X8R8G8B8; what has no alpha gives 1. Where the two overlap the result is undefined. */
typedef struct SOFTGPU_STRETCH_RECT {
  SOFTGPU_HEADER header;
  uint64_t source;
  uint64_t destination;
  uint32_t source_x;
  uint32_t source_y;
  uint32_t source_width; /* not 0 unless the destination is empty */
  uint32_t source_height;
  uint32_t source_pitch;
  uint32_t source_format;
  uint32_t destination_x;
  uint32_t destination_y;
  uint32_t destination_width;
  uint32_t destination_height;
  uint32_t destination_pitch;
  uint32_t destination_format;
} SOFTGPU_STRETCH_RECT;

#endif
