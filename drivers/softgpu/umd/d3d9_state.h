// The state of a Direct3D 9 device, as far as softgpu draws by it: fixed functions, one texture, one stream.
#pragma once

#include <d3dumddi.h>

#include "resource.h"
#include "softgpu_draw.h"

namespace softgpu {

inline constexpr UINT kRenderStates = D3DDDIRS_BLENDOPALPHA + 1;
inline constexpr UINT kStageStates = D3DDDITSS_TEXTURECOLORKEYVAL + 1;
inline constexpr UINT kTextureCoordinates = 8;
inline constexpr UINT kLights = 8;  // of which SOFTGPU_LIGHTS can shine at a time

// Where in a vertex its parts are: a vertex declaration. hShaderHandle of the DDI; owned by the state.
struct Declaration {
  Declaration* next;
  Declaration* previous;
  uint16_t position;
  uint16_t normal;  // SOFTGPU_ABSENT, as those below
  uint16_t diffuse;
  uint16_t coordinates[kTextureCoordinates];
  uint8_t position_kind;  // SOFTGPU_POSITION_…
  uint8_t diffuse_kind;   // SOFTGPU_COLOR_…
};

// Vertices or indices: in a resource, or in memory that the runtime shows us until the next draw.
struct Stream {
  Resource* buffer;
  const uint8_t* user;
  uint32_t offset;
  uint32_t stride;
};

struct Light {
  bool enabled;
  D3DDDI_LIGHT data;
};

// What changed since the draw packet was made from it.
inline constexpr uint32_t kStateChanged = 0x1;      // everything but transforms and lights
inline constexpr uint32_t kTransformChanged = 0x2;  // and what the lights shine on

struct State {
  UINT render[kRenderStates];
  UINT stage[kStageStates];  // of the one texture
  Resource* texture;
  Resource* target;
  uint32_t target_index;
  Resource* depth;
  Stream vertices;
  Stream indices;
  Declaration* declaration;
  Declaration* declarations;
  D3DMATRIX world;
  D3DMATRIX view;
  D3DMATRIX projection;
  D3DDDIARG_SETMATERIAL material;
  Light lights[kLights];
  D3DDDIARG_VIEWPORTINFO viewport;
  D3DDDIARG_ZRANGE depth_range;
  RECT scissor;

  uint32_t changed;
  SOFTGPU_DRAW draw;  // without addresses, vertices and what the declaration says
};

// As Direct3D 9 begins.
void reset_state(State& state);
// Nothing points to the resource any more.
void unbind(State& state, const Resource* resource);
void release_declarations(State& state);

// Where drawing goes; null if there is no target.
Surface* target_of(const State& state);
// The level of the texture that is sampled; null if there is none.
Surface* texture_of(const State& state);

// Brings `state.draw` up to date.
void update_draw(State& state);
// d3d9_transform.cc: the part of it that comes from transforms, material and lights.
void update_draw_lighting(State& state);

// Red, green, blue, alpha of a D3DCOLOR.
void unpack_color(D3DCOLOR color, float* to);

}  // namespace softgpu
