#include "host/render/scene_states9.h"

#include <cstring>

namespace host {
namespace {

D3DCOLORVALUE value_of(const LightColor& color) { return {color.red, color.green, color.blue, 1}; }

UINT address_of(Address address) {
  switch (address) {
    case Address::Wrap:
      return D3DTADDRESS_WRAP;
    case Address::Mirror:
      return D3DTADDRESS_MIRROR;
    case Address::Clamp:
      break;
  }
  return D3DTADDRESS_CLAMP;
}

}  // namespace

void SceneStates9::render(D3DDDIRENDERSTATETYPE state, UINT value) {
  calls_.check("SetRenderState", device_.set_render_state(state, value));
}

void SceneStates9::environment(UINT environment, D3DDDITEXTURESTAGESTATETYPE state, UINT value) {
  calls_.check("SetTextureStageState", device_.set_texture_stage_state(environment, state, value));
}

void SceneStates9::transform(D3DTRANSFORMSTATETYPE which, const Matrix& matrix) {
  D3DMATRIX given;
  static_assert(sizeof(given.m) == sizeof(matrix.m));
  memcpy(given.m, matrix.m, sizeof(given.m));
  calls_.check("SetTransform", device_.set_transform(which, given));
}

void SceneStates9::set_up(uint32_t width, uint32_t height) {
  calls_.check("SetViewport", device_.set_viewport(0, 0, width, height));
  calls_.check("SetZRange", device_.set_z_range(0, 1));
  render(D3DDDIRS_FILLMODE, D3DFILL_SOLID);
  render(D3DDDIRS_ZFUNC, D3DCMP_LESSEQUAL);
  render(D3DDDIRS_ALPHATESTENABLE, FALSE);
  render(D3DDDIRS_FOGENABLE, FALSE);
  render(D3DDDIRS_SPECULARENABLE, FALSE);
  render(D3DDDIRS_STENCILENABLE, FALSE);
  render(D3DDDIRS_SCISSORTESTENABLE, FALSE);
  render(D3DDDIRS_SEPARATEALPHABLENDENABLE, FALSE);
  render(D3DDDIRS_BLENDOP, D3DBLENDOP_ADD);
  render(D3DDDIRS_CLIPPING, TRUE);
  render(D3DDDIRS_COLORWRITEENABLE,
         D3DCOLORWRITEENABLE_RED | D3DCOLORWRITEENABLE_GREEN | D3DCOLORWRITEENABLE_BLUE | D3DCOLORWRITEENABLE_ALPHA);
  render(D3DDDIRS_NORMALIZENORMALS, TRUE);
  render(D3DDDIRS_COLORVERTEX, TRUE);
  render(D3DDDIRS_AMBIENTMATERIALSOURCE, D3DMCS_MATERIAL);
  render(D3DDDIRS_EMISSIVEMATERIALSOURCE, D3DMCS_MATERIAL);
  render(D3DDDIRS_SPECULARMATERIALSOURCE, D3DMCS_MATERIAL);
  environment(0, D3DDDITSS_COLORARG1, D3DTA_TEXTURE);
  environment(0, D3DDDITSS_COLORARG2, D3DTA_DIFFUSE);
  environment(0, D3DDDITSS_ALPHAARG1, D3DTA_TEXTURE);
  environment(0, D3DDDITSS_ALPHAARG2, D3DTA_DIFFUSE);
  environment(0, D3DDDITSS_TEXCOORDINDEX, 0);
  environment(0, D3DDDITSS_TEXTURETRANSFORMFLAGS, D3DTTFF_DISABLE);
  environment(0, D3DDDITSS_MIPFILTER, D3DDDITEXF_NONE);
  environment(1, D3DDDITSS_COLOROP, D3DTOP_DISABLE);
  environment(1, D3DDDITSS_ALPHAOP, D3DTOP_DISABLE);
}

void SceneStates9::light(const std::vector<Light>& lights) {
  for (; lights_ < lights.size(); ++lights_) calls_.check("CreateLight", device_.create_light(lights_));
  while (lights_ > lights.size()) calls_.check("DestroyLight", device_.destroy_light(--lights_));
  for (UINT i = 0; i < lights_; ++i) {
    D3DDDI_LIGHT given{};
    given.Type = D3DLIGHT_DIRECTIONAL;
    given.Diffuse = value_of(lights[i].color);
    given.Direction = {lights[i].direction.x, lights[i].direction.y, lights[i].direction.z};
    calls_.check("SetLight", device_.set_light(i, given));
  }
}

void SceneStates9::begin(const Frame& frame) {
  transform(D3DTS_VIEW, frame.view);
  transform(D3DTS_PROJECTION, frame.projection);
  render(D3DDDIRS_AMBIENT, frame.ambient);
  light(frame.lights);
}

void SceneStates9::blend(Blend blend) {
  render(D3DDDIRS_ALPHABLENDENABLE, blend != Blend::None);
  if (blend == Blend::None) return;
  render(D3DDDIRS_SRCBLEND, D3DBLEND_SRCALPHA);
  render(D3DDDIRS_DESTBLEND, blend == Blend::Alpha ? D3DBLEND_INVSRCALPHA : D3DBLEND_ONE);
}

void SceneStates9::texture(const Draw& draw) {
  const D3DTEXTUREOP textured = draw.combine == Combine::Modulate ? D3DTOP_MODULATE : D3DTOP_SELECTARG1;
  const D3DTEXTUREOP operation = draw.texture ? textured : D3DTOP_SELECTARG2;
  environment(0, D3DDDITSS_COLOROP, operation);
  environment(0, D3DDDITSS_ALPHAOP, operation);
  if (!draw.texture) return;
  const UINT filter = draw.filter == Filter::Linear ? D3DDDITEXF_LINEAR : D3DDDITEXF_POINT;
  environment(0, D3DDDITSS_MAGFILTER, filter);
  environment(0, D3DDDITSS_MINFILTER, filter);
  environment(0, D3DDDITSS_ADDRESSU, address_of(draw.address));
  environment(0, D3DDDITSS_ADDRESSV, address_of(draw.address));
}

void SceneStates9::lighting(const Draw& draw) {
  render(D3DDDIRS_LIGHTING, draw.lighting);
  if (!draw.lighting) return;
  render(D3DDDIRS_DIFFUSEMATERIALSOURCE, draw.diffuse_of_mesh ? D3DMCS_COLOR1 : D3DMCS_MATERIAL);
  D3DDDIARG_SETMATERIAL material{};
  material.Diffuse = value_of(draw.material.diffuse);
  material.Ambient = value_of(draw.material.ambient);
  material.Emissive = value_of(draw.material.emissive);
  calls_.check("SetMaterial", device_.set_material(material));
}

void SceneStates9::apply(const Draw& draw) {
  transform(static_cast<D3DTRANSFORMSTATETYPE>(D3DTS_WORLD), draw.world);
  render(D3DDDIRS_ZENABLE, draw.depth_test ? D3DZB_TRUE : D3DZB_FALSE);
  render(D3DDDIRS_ZWRITEENABLE, draw.depth_write);
  render(D3DDDIRS_CULLMODE, draw.cull == Cull::Back ? D3DCULL_CCW : D3DCULL_NONE);
  render(D3DDDIRS_SHADEMODE, draw.shade == Shade::Flat ? D3DSHADE_FLAT : D3DSHADE_GOURAUD);
  blend(draw.blend);
  texture(draw);
  lighting(draw);
}

void SceneStates9::tear_down() { light({}); }

}  // namespace host
