// Transforms, material and lights: what the vertices' places and colours are computed from.
#include <math.h>
#include <string.h>

#include "d3d9_entry.h"

namespace softgpu {
namespace {

// Points are rows: first a, then b.
D3DMATRIX multiply(const D3DMATRIX& a, const D3DMATRIX& b) {
  D3DMATRIX product = {};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      float sum = 0;
      for (int i = 0; i < 4; ++i) sum += a.m[row][i] * b.m[i][column];
      product.m[row][column] = sum;
    }
  }
  return product;
}

// Null for transforms that softgpu does not have.
D3DMATRIX* find_transform(State& state, UINT type) {
  switch (type) {
    case D3DTS_WORLD:
      return &state.world;
    case D3DTS_VIEW:
      return &state.view;
    case D3DTS_PROJECTION:
      return &state.projection;
    default:
      return nullptr;
  }
}

// The transpose of the inverse of the upper left 3x3: what keeps normals at right angles to surfaces. Its scale is free
// where the inverse does not exist, and then normals mean nothing.
void normal_transform(const D3DMATRIX& matrix, float* to) {
  const auto& m = matrix.m;
  float determinant = 0;
  for (int row = 0; row < 3; ++row) {
    int r1 = (row + 1) % 3;
    int r2 = (row + 2) % 3;
    for (int column = 0; column < 3; ++column) {
      int c1 = (column + 1) % 3;
      int c2 = (column + 2) % 3;
      to[3 * row + column] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
    }
    if (row == 0) determinant = m[0][0] * to[0] + m[0][1] * to[1] + m[0][2] * to[2];
  }
  if (determinant == 0) return;
  for (int i = 0; i < 9; ++i) to[i] /= determinant;
}

void copy_color(const D3DCOLORVALUE& color, float* to) {
  to[0] = color.r;
  to[1] = color.g;
  to[2] = color.b;
  to[3] = color.a;
}

void add_light(const D3DDDI_LIGHT& light, SOFTGPU_DRAW& draw) {
  const D3DVECTOR& direction = light.Direction;
  float length = sqrtf(direction.x * direction.x + direction.y * direction.y + direction.z * direction.z);
  if (!(length > 0)) return;
  SOFTGPU_LIGHT& to = draw.lights[draw.light_count++];
  to.direction[0] = direction.x / length;
  to.direction[1] = direction.y / length;
  to.direction[2] = direction.z / length;
  to.diffuse[0] = light.Diffuse.r;
  to.diffuse[1] = light.Diffuse.g;
  to.diffuse[2] = light.Diffuse.b;
  draw.ambient[0] += light.Ambient.r;
  draw.ambient[1] += light.Ambient.g;
  draw.ambient[2] += light.Ambient.b;
}

Light* find_light(HANDLE hDevice, UINT index) {
  return index < kLights ? &device_of(hDevice).state.lights[index] : nullptr;
}

}  // namespace

// Lights shine in the world, so normals are turned into it.
void update_draw_lighting(State& state) {
  SOFTGPU_DRAW& draw = state.draw;
  D3DMATRIX transform = multiply(multiply(state.world, state.view), state.projection);
  memcpy(draw.transform, transform.m, sizeof(draw.transform));
  normal_transform(state.world, draw.normal_transform);
  copy_color(state.material.Diffuse, draw.material_diffuse);
  copy_color(state.material.Ambient, draw.material_ambient);
  copy_color(state.material.Emissive, draw.material_emissive);
  unpack_color(state.render[D3DDDIRS_AMBIENT], draw.ambient);
  draw.light_count = 0;
  for (const Light& light : state.lights) {
    if (light.enabled && draw.light_count < SOFTGPU_LIGHTS) add_light(light.data, draw);
  }
}

// --- The runtime's calls ---

HRESULT APIENTRY set_transform(HANDLE hDevice, const D3DDDIARG_SETTRANSFORM* pData) {
  State& state = device_of(hDevice).state;
  D3DMATRIX* transform = find_transform(state, static_cast<UINT>(pData->TransformType));
  if (!transform) return S_OK;
  *transform = pData->Matrix;
  state.changed |= kTransformChanged;
  return S_OK;
}

HRESULT APIENTRY multiply_transform(HANDLE hDevice, const D3DDDIARG_MULTIPLYTRANSFORM* pData) {
  State& state = device_of(hDevice).state;
  D3DMATRIX* transform = find_transform(state, static_cast<UINT>(pData->TransformType));
  if (!transform) return S_OK;
  *transform = multiply(pData->Matrix, *transform);
  state.changed |= kTransformChanged;
  return S_OK;
}

HRESULT APIENTRY set_material(HANDLE hDevice, const D3DDDIARG_SETMATERIAL* pData) {
  State& state = device_of(hDevice).state;
  state.material = *pData;
  state.changed |= kTransformChanged;
  return S_OK;
}

HRESULT APIENTRY create_light(HANDLE hDevice, const D3DDDIARG_CREATELIGHT* pData) {
  Light* light = find_light(hDevice, pData->Index);
  if (!light) return E_OUTOFMEMORY;
  *light = {};
  return S_OK;
}

HRESULT APIENTRY set_light(HANDLE hDevice, const D3DDDIARG_SETLIGHT* pData, const D3DDDI_LIGHT* pLightProperties) {
  Light* light = find_light(hDevice, pData->Index);
  if (!light) return E_INVALIDARG;
  switch (pData->DataType) {
    case D3DDDI_SETLIGHT_ENABLE:
      light->enabled = true;
      break;
    case D3DDDI_SETLIGHT_DISABLE:
      light->enabled = false;
      break;
    case D3DDDI_SETLIGHT_DATA:
      if (!pLightProperties || pLightProperties->Type != D3DLIGHT_DIRECTIONAL) return D3DERR_NOTAVAILABLE;
      light->data = *pLightProperties;
      break;
    default:
      return E_INVALIDARG;
  }
  device_of(hDevice).state.changed |= kTransformChanged;
  return S_OK;
}

HRESULT APIENTRY destroy_light(HANDLE hDevice, const D3DDDIARG_DESTROYLIGHT* pData) {
  Light* light = find_light(hDevice, pData->Index);
  if (!light) return E_INVALIDARG;
  *light = {};
  device_of(hDevice).state.changed |= kTransformChanged;
  return S_OK;
}

}  // namespace softgpu
