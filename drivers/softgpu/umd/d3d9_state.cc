#include "d3d9_state.h"

#include <string.h>

#include "d3d9_entry.h"
#include "softgpu_build.h"

namespace softgpu {
namespace {

struct Setting {
  UINT state;
  UINT value;
};

constexpr UINT kOne = 0x3F800000;  // 1.0f

constexpr Setting kRenderDefaults[] = {
    {D3DDDIRS_ZENABLE, D3DZB_TRUE},
    {D3DDDIRS_FILLMODE, D3DFILL_SOLID},
    {D3DDDIRS_SHADEMODE, D3DSHADE_GOURAUD},
    {D3DDDIRS_ZWRITEENABLE, TRUE},
    {D3DDDIRS_SRCBLEND, D3DBLEND_ONE},
    {D3DDDIRS_DESTBLEND, D3DBLEND_ZERO},
    {D3DDDIRS_CULLMODE, D3DCULL_CCW},
    {D3DDDIRS_ZFUNC, D3DCMP_LESSEQUAL},
    {D3DDDIRS_ALPHAFUNC, D3DCMP_ALWAYS},
    {D3DDDIRS_CLIPPING, TRUE},
    {D3DDDIRS_LIGHTING, TRUE},
    {D3DDDIRS_COLORVERTEX, TRUE},
    {D3DDDIRS_DIFFUSEMATERIALSOURCE, D3DMCS_COLOR1},
    {D3DDDIRS_POINTSIZE, kOne},
    {D3DDDIRS_COLORWRITEENABLE, SOFTGPU_WRITE_ALL},
    {D3DDDIRS_BLENDOP, D3DBLENDOP_ADD},
    {D3DDDIRS_BLENDFACTOR, 0xFFFFFFFF},
    {D3DDDIRS_SRCBLENDALPHA, D3DBLEND_ONE},
    {D3DDDIRS_DESTBLENDALPHA, D3DBLEND_ZERO},
    {D3DDDIRS_BLENDOPALPHA, D3DBLENDOP_ADD},
};

constexpr Setting kStageDefaults[] = {
    {D3DDDITSS_COLOROP, D3DTOP_MODULATE},   {D3DDDITSS_COLORARG1, D3DTA_TEXTURE},
    {D3DDDITSS_COLORARG2, D3DTA_CURRENT},   {D3DDDITSS_ALPHAOP, D3DTOP_SELECTARG1},
    {D3DDDITSS_ALPHAARG1, D3DTA_TEXTURE},   {D3DDDITSS_ALPHAARG2, D3DTA_CURRENT},
    {D3DDDITSS_ADDRESSU, D3DTADDRESS_WRAP}, {D3DDDITSS_ADDRESSV, D3DTADDRESS_WRAP},
    {D3DDDITSS_MAGFILTER, D3DTEXF_POINT},   {D3DDDITSS_MINFILTER, D3DTEXF_POINT},
};

bool is_texture(UINT argument) { return (argument & D3DTA_SELECTMASK) == D3DTA_TEXTURE; }

// Operations that softgpu does not have modulate.
uint8_t combine(UINT operation, UINT first, UINT second) {
  switch (operation) {
    case D3DTOP_DISABLE:
      return SOFTGPU_COMBINE_DIFFUSE;
    case D3DTOP_SELECTARG1:
      return is_texture(first) ? SOFTGPU_COMBINE_TEXTURE : SOFTGPU_COMBINE_DIFFUSE;
    case D3DTOP_SELECTARG2:
      return is_texture(second) ? SOFTGPU_COMBINE_TEXTURE : SOFTGPU_COMBINE_DIFFUSE;
    case D3DTOP_ADD:
      return SOFTGPU_COMBINE_ADD;
    default:
      return SOFTGPU_COMBINE_MODULATE;
  }
}

bool has_operation(UINT operation) {
  return operation == D3DTOP_DISABLE || operation == D3DTOP_SELECTARG1 || operation == D3DTOP_SELECTARG2 ||
         operation == D3DTOP_MODULATE || operation == D3DTOP_ADD;
}

// Direct3D's numbers are the hardware's; what is none of them would be a fault.
uint8_t in_range(UINT value, UINT first, UINT last, UINT otherwise) {
  return static_cast<uint8_t>(value >= first && value <= last ? value : otherwise);
}

uint8_t compare(UINT value) {
  return in_range(value, SOFTGPU_COMPARE_NEVER, SOFTGPU_COMPARE_ALWAYS, SOFTGPU_COMPARE_ALWAYS);
}

uint8_t blend_factor(UINT value, UINT otherwise) {
  if (value == SOFTGPU_BLEND_FACTOR || value == SOFTGPU_BLEND_INV_FACTOR) return static_cast<uint8_t>(value);
  return in_range(value, SOFTGPU_BLEND_ZERO, SOFTGPU_BLEND_SRC_ALPHA_SAT, otherwise);
}

uint8_t blend_op(UINT value) {
  return in_range(value, SOFTGPU_BLEND_OP_ADD, SOFTGPU_BLEND_OP_MAX, SOFTGPU_BLEND_OP_ADD);
}

uint8_t address(UINT value) {
  return in_range(value, SOFTGPU_ADDRESS_WRAP, SOFTGPU_ADDRESS_CLAMP, SOFTGPU_ADDRESS_CLAMP);
}

bool flag(const State& state, D3DDDIRENDERSTATETYPE which) { return state.render[which] != 0; }

SOFTGPU_SURFACE describe(const Surface& surface, uint32_t format) {
  return {surface.width, surface.height, surface.pitch, format};
}

// --- Parts of the packet ---

void update_target(State& state, uint32_t& flags) {
  SOFTGPU_DRAW& draw = state.draw;
  const Surface* target = target_of(state);
  if (target) {
    draw.target_surface = describe(*target, state.target->format.name);
    flags |= SOFTGPU_DRAW_TARGET;
  }
  if (state.depth && flag(state, D3DDDIRS_ZENABLE)) {
    const Surface& depth = state.depth->surfaces[0];
    if (!target) draw.target_surface = describe(depth, SOFTGPU_FORMAT_A8R8G8B8);
    draw.depth_pitch = depth.pitch;
    draw.depth_function = compare(state.render[D3DDDIRS_ZFUNC]);
    flags |= SOFTGPU_DRAW_DEPTH;
    if (flag(state, D3DDDIRS_ZWRITEENABLE)) flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  }
  draw.write_mask = static_cast<uint8_t>(state.render[D3DDDIRS_COLORWRITEENABLE] & SOFTGPU_WRITE_ALL);
}

void update_texture(State& state, uint32_t& flags) {
  const Surface* texture = texture_of(state);
  const UINT* stage = state.stage;
  if (!texture || stage[D3DDDITSS_COLOROP] == D3DTOP_DISABLE) return;
  SOFTGPU_DRAW& draw = state.draw;
  draw.texture_surface = describe(*texture, state.texture->format.name);
  draw.address_u = address(stage[D3DDDITSS_ADDRESSU]);
  draw.address_v = address(stage[D3DDDITSS_ADDRESSV]);
  draw.combine_color = combine(stage[D3DDDITSS_COLOROP], stage[D3DDDITSS_COLORARG1], stage[D3DDDITSS_COLORARG2]);
  draw.combine_alpha = combine(stage[D3DDDITSS_ALPHAOP], stage[D3DDDITSS_ALPHAARG1], stage[D3DDDITSS_ALPHAARG2]);
  flags |= SOFTGPU_DRAW_TEXTURE;
  if (stage[D3DDDITSS_MAGFILTER] >= D3DTEXF_LINEAR) flags |= SOFTGPU_DRAW_BILINEAR;
}

void update_blend(State& state, uint32_t& flags) {
  SOFTGPU_DRAW& draw = state.draw;
  const UINT* render = state.render;
  if (flag(state, D3DDDIRS_ALPHATESTENABLE)) {
    flags |= SOFTGPU_DRAW_ALPHA_TEST;
    draw.alpha_function = compare(render[D3DDDIRS_ALPHAFUNC]);
    draw.alpha_reference = static_cast<uint8_t>(render[D3DDDIRS_ALPHAREF]);
  }
  if (!flag(state, D3DDDIRS_ALPHABLENDENABLE)) return;
  flags |= SOFTGPU_DRAW_BLEND;
  draw.blend_source = blend_factor(render[D3DDDIRS_SRCBLEND], SOFTGPU_BLEND_ONE);
  draw.blend_destination = blend_factor(render[D3DDDIRS_DESTBLEND], SOFTGPU_BLEND_ZERO);
  draw.blend_op = blend_op(render[D3DDDIRS_BLENDOP]);
  bool separate = flag(state, D3DDDIRS_SEPARATEALPHABLENDENABLE);
  draw.blend_source_alpha =
      separate ? blend_factor(render[D3DDDIRS_SRCBLENDALPHA], SOFTGPU_BLEND_ONE) : draw.blend_source;
  draw.blend_destination_alpha =
      separate ? blend_factor(render[D3DDDIRS_DESTBLENDALPHA], SOFTGPU_BLEND_ZERO) : draw.blend_destination;
  draw.blend_op_alpha = separate ? blend_op(render[D3DDDIRS_BLENDOPALPHA]) : draw.blend_op;
  draw.blend_factor = render[D3DDDIRS_BLENDFACTOR];
}

void update_raster(State& state, uint32_t& flags) {
  SOFTGPU_DRAW& draw = state.draw;
  const UINT* render = state.render;
  draw.cull = in_range(render[D3DDDIRS_CULLMODE], SOFTGPU_CULL_NONE, SOFTGPU_CULL_CCW, SOFTGPU_CULL_NONE);
  draw.fill = in_range(render[D3DDDIRS_FILLMODE], SOFTGPU_FILL_WIREFRAME, SOFTGPU_FILL_SOLID, SOFTGPU_FILL_WIREFRAME);
  if (render[D3DDDIRS_SHADEMODE] == D3DSHADE_FLAT) flags |= SOFTGPU_DRAW_FLAT;
  memcpy(&draw.point_size, &render[D3DDDIRS_POINTSIZE], sizeof(draw.point_size));
  draw.scissor = {0, 0, SOFTGPU_SURFACE_MAX, SOFTGPU_SURFACE_MAX};
  if (flag(state, D3DDDIRS_SCISSORTESTENABLE)) {
    draw.scissor = {state.scissor.left, state.scissor.top, state.scissor.right, state.scissor.bottom};
  }
  draw.viewport.x = static_cast<float>(state.viewport.X);
  draw.viewport.y = static_cast<float>(state.viewport.Y);
  draw.viewport.width = static_cast<float>(state.viewport.Width);
  draw.viewport.height = static_cast<float>(state.viewport.Height);
  draw.viewport.min_z = state.depth_range.MinZ;
  draw.viewport.max_z = state.depth_range.MaxZ;
}

D3DMATRIX identity() {
  D3DMATRIX matrix = {};
  for (int i = 0; i < 4; ++i) matrix.m[i][i] = 1;
  return matrix;
}

}  // namespace

// --- The whole ---

void reset_state(State& state) {
  state = {};
  for (const Setting& setting : kRenderDefaults) state.render[setting.state] = setting.value;
  for (const Setting& setting : kStageDefaults) state.stage[setting.state] = setting.value;
  state.world = state.view = state.projection = identity();
  state.depth_range.MaxZ = 1;
  state.changed = kStateChanged | kTransformChanged;
  state.draw = softgpu_draw({});
}

void unbind(State& state, const Resource* resource) {
  if (state.texture == resource) state.texture = nullptr;
  if (state.target == resource) state.target = nullptr;
  if (state.depth == resource) state.depth = nullptr;
  if (state.vertices.buffer == resource) state.vertices.buffer = nullptr;
  if (state.indices.buffer == resource) state.indices.buffer = nullptr;
  state.changed |= kStateChanged;
}

Surface* target_of(const State& state) { return state.target ? state.target->surface(state.target_index) : nullptr; }

Surface* texture_of(const State& state) {
  if (!state.texture) return nullptr;
  UINT level = state.stage[D3DDDITSS_MAXMIPLEVEL];
  UINT last = state.texture->levels - 1;
  return state.texture->surface(level < last ? level : last);
}

void update_draw(State& state) {
  if (state.changed & kStateChanged) {
    uint32_t flags = SOFTGPU_DRAW_WHOLE_CENTERS;
    update_target(state, flags);
    update_texture(state, flags);
    update_blend(state, flags);
    update_raster(state, flags);
    if (flag(state, D3DDDIRS_LIGHTING)) flags |= SOFTGPU_DRAW_LIGHTING;
    if (flag(state, D3DDDIRS_NORMALIZENORMALS)) flags |= SOFTGPU_DRAW_NORMALIZE;
    state.draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(state.draw), flags);
  }
  if (state.changed & kTransformChanged) update_draw_lighting(state);
  state.changed = 0;
}

void unpack_color(D3DCOLOR color, float* to) {
  for (int i = 0; i < 4; ++i) {
    int shift = i == 3 ? 24 : 16 - 8 * i;
    to[i] = static_cast<float>(color >> shift & 0xFF) / 255.0f;
  }
}

// --- The runtime's calls ---

HRESULT APIENTRY set_render_state(HANDLE hDevice, const D3DDDIARG_RENDERSTATE* pData) {
  State& state = device_of(hDevice).state;
  if (static_cast<UINT>(pData->State) >= kRenderStates) return E_INVALIDARG;
  if (state.render[pData->State] == pData->Value) return S_OK;
  state.render[pData->State] = pData->Value;
  state.changed |= kStateChanged;
  if (pData->State == D3DDDIRS_AMBIENT) state.changed |= kTransformChanged;
  return S_OK;
}

// Stages behind the first one exist only to be disabled.
HRESULT APIENTRY set_texture_stage_state(HANDLE hDevice, const D3DDDIARG_TEXTURESTAGESTATE* pData) {
  State& state = device_of(hDevice).state;
  if (static_cast<UINT>(pData->State) >= kStageStates) return E_INVALIDARG;
  if (pData->Stage != 0) return S_OK;
  state.stage[pData->State] = pData->Value;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY set_texture(HANDLE hDevice, UINT Stage, HANDLE hTexture) {
  State& state = device_of(hDevice).state;
  Resource* texture = resource_of(hTexture);
  if (Stage != 0) return texture ? E_INVALIDARG : S_OK;
  if (texture) {
    bool sampled = texture->format.use == FormatUse::Target || texture->format.use == FormatUse::Texture;
    if (!sampled || texture->surfaces[0].system) return E_INVALIDARG;
  }
  state.texture = texture;
  state.changed |= kStateChanged;
  return S_OK;
}

// There is one target.
HRESULT APIENTRY set_render_target(HANDLE hDevice, const D3DDDIARG_SETRENDERTARGET* pData) {
  State& state = device_of(hDevice).state;
  Resource* target = resource_of(pData->hRenderTarget);
  if (pData->RenderTargetIndex != 0) return target ? E_INVALIDARG : S_OK;
  if (target) {
    const Surface* surface = target->surface(pData->SubResourceIndex);
    if (!surface || surface->system || target->format.use != FormatUse::Target) return E_INVALIDARG;
  }
  state.target = target;
  state.target_index = pData->SubResourceIndex;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY set_depth_stencil(HANDLE hDevice, const D3DDDIARG_SETDEPTHSTENCIL* pData) {
  State& state = device_of(hDevice).state;
  Resource* depth = resource_of(pData->hZBuffer);
  if (depth && (depth->format.use != FormatUse::Depth || depth->surfaces[0].system)) return E_INVALIDARG;
  state.depth = depth;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY set_viewport(HANDLE hDevice, const D3DDDIARG_VIEWPORTINFO* pData) {
  State& state = device_of(hDevice).state;
  state.viewport = *pData;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY set_z_range(HANDLE hDevice, const D3DDDIARG_ZRANGE* pData) {
  State& state = device_of(hDevice).state;
  state.depth_range = *pData;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY set_scissor_rect(HANDLE hDevice, const RECT* pRect) {
  State& state = device_of(hDevice).state;
  state.scissor = *pRect;
  state.changed |= kStateChanged;
  return S_OK;
}

HRESULT APIENTRY validate_device(HANDLE hDevice, D3DDDIARG_VALIDATETEXTURESTAGESTATE* pData) {
  const UINT* stage = device_of(hDevice).state.stage;
  if (!has_operation(stage[D3DDDITSS_COLOROP])) return D3DERR_UNSUPPORTEDCOLOROPERATION;
  if (!has_operation(stage[D3DDDITSS_ALPHAOP])) return D3DERR_UNSUPPORTEDALPHAOPERATION;
  pData->NumPasses = 1;
  return S_OK;
}

}  // namespace softgpu
