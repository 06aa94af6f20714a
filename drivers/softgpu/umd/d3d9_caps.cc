// GetCaps: what softgpu says about itself to Direct3D 9.
#include <d3d9caps.h>
#include <string.h>

#include "d3d9_entry.h"

namespace softgpu {
namespace {

// Operations of FORMATOP, from its page.
constexpr UINT kTexture = 0x00000001;
constexpr UINT kOffscreenTarget = 0x00000008;
constexpr UINT kDepth = 0x00000040;
constexpr UINT kDepthWithAnyColor = 0x00000080;
constexpr UINT kDisplayMode = 0x00000400;
constexpr UINT k3dAcceleration = 0x00000800;
constexpr UINT kConvertToArgb = 0x00002000;
constexpr UINT kOffscreenPlain = 0x00004000;
constexpr UINT kMemberOfArgb = 0x00080000;
constexpr UINT kAutoMipmap = 0x00400000;

constexpr D3DDDIQUERYTYPE kQueries[] = {D3DDDIQUERYTYPE_EVENT, D3DDDIQUERYTYPE_TIMESTAMP,
                                        D3DDDIQUERYTYPE_TIMESTAMPDISJOINT, D3DDDIQUERYTYPE_TIMESTAMPFREQ};

constexpr DWORD kAllComparisons = D3DPCMPCAPS_NEVER | D3DPCMPCAPS_LESS | D3DPCMPCAPS_EQUAL | D3DPCMPCAPS_LESSEQUAL |
                                  D3DPCMPCAPS_GREATER | D3DPCMPCAPS_NOTEQUAL | D3DPCMPCAPS_GREATEREQUAL |
                                  D3DPCMPCAPS_ALWAYS;
constexpr DWORD kAllBlends = D3DPBLENDCAPS_ZERO | D3DPBLENDCAPS_ONE | D3DPBLENDCAPS_SRCCOLOR |
                             D3DPBLENDCAPS_INVSRCCOLOR | D3DPBLENDCAPS_SRCALPHA | D3DPBLENDCAPS_INVSRCALPHA |
                             D3DPBLENDCAPS_DESTALPHA | D3DPBLENDCAPS_INVDESTALPHA | D3DPBLENDCAPS_DESTCOLOR |
                             D3DPBLENDCAPS_INVDESTCOLOR | D3DPBLENDCAPS_SRCALPHASAT | D3DPBLENDCAPS_BLENDFACTOR;

FORMATOP operations_of(const Format& format) {
  FORMATOP entry = {};
  entry.Format = static_cast<D3DDDIFORMAT>(format.name);
  switch (format.use) {
    case FormatUse::Target:
      entry.Operations = kTexture | kOffscreenTarget | kOffscreenPlain;
      break;
    case FormatUse::Texture:
      entry.Operations = kTexture | kOffscreenPlain;
      break;
    case FormatUse::Depth:
      entry.Operations = kDepth | kDepthWithAnyColor;
      break;
    default:
      break;
  }
  if (format.name == SOFTGPU_FORMAT_A8R8G8B8 || format.name == SOFTGPU_FORMAT_X8R8G8B8) {
    entry.Operations |= kConvertToArgb | kMemberOfArgb | kAutoMipmap;
  }
  if (format.name == SOFTGPU_FORMAT_X8R8G8B8) entry.Operations |= kDisplayMode | k3dAcceleration;
  return entry;
}

// Buffers have no operations and are not in the list.
UINT list_formats(FORMATOP* entries, UINT room) {
  UINT count = 0;
  for (const Format& format : kFormats) {
    if (format.use == FormatUse::Buffer) continue;
    if (count < room) entries[count] = operations_of(format);
    ++count;
  }
  return count;
}

void fill_raster_caps(D3DCAPS9& caps) {
  caps.PrimitiveMiscCaps = D3DPMISCCAPS_MASKZ | D3DPMISCCAPS_CULLNONE | D3DPMISCCAPS_CULLCW | D3DPMISCCAPS_CULLCCW |
                           D3DPMISCCAPS_COLORWRITEENABLE | D3DPMISCCAPS_CLIPTLVERTS | D3DPMISCCAPS_BLENDOP |
                           D3DPMISCCAPS_SEPARATEALPHABLEND;
  caps.RasterCaps = D3DPRASTERCAPS_ZTEST | D3DPRASTERCAPS_SCISSORTEST | D3DPRASTERCAPS_COLORPERSPECTIVE;
  caps.ZCmpCaps = caps.AlphaCmpCaps = kAllComparisons;
  caps.SrcBlendCaps = caps.DestBlendCaps = kAllBlends;
  caps.ShadeCaps = D3DPSHADECAPS_COLORGOURAUDRGB | D3DPSHADECAPS_ALPHAGOURAUDBLEND;
  caps.LineCaps = D3DLINECAPS_TEXTURE | D3DLINECAPS_ZTEST | D3DLINECAPS_BLEND | D3DLINECAPS_ALPHACMP;
  caps.MaxPointSize = static_cast<FLOAT>(SOFTGPU_POINT_MAX);
  caps.NumSimultaneousRTs = 1;
  caps.StretchRectFilterCaps = D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MAGFPOINT;
}

void fill_texture_caps(D3DCAPS9& caps) {
  caps.TextureCaps = D3DPTEXTURECAPS_PERSPECTIVE | D3DPTEXTURECAPS_ALPHA | D3DPTEXTURECAPS_MIPMAP;
  caps.TextureFilterCaps = D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MINFLINEAR | D3DPTFILTERCAPS_MAGFPOINT |
                           D3DPTFILTERCAPS_MAGFLINEAR | D3DPTFILTERCAPS_MIPFPOINT;
  caps.TextureAddressCaps =
      D3DPTADDRESSCAPS_WRAP | D3DPTADDRESSCAPS_MIRROR | D3DPTADDRESSCAPS_CLAMP | D3DPTADDRESSCAPS_INDEPENDENTUV;
  caps.MaxTextureWidth = caps.MaxTextureHeight = SOFTGPU_SURFACE_MAX;
  caps.MaxTextureRepeat = 8192;
  caps.MaxTextureAspectRatio = SOFTGPU_SURFACE_MAX;
  caps.MaxAnisotropy = 1;
  caps.TextureOpCaps = D3DTEXOPCAPS_DISABLE | D3DTEXOPCAPS_SELECTARG1 | D3DTEXOPCAPS_SELECTARG2 |
                       D3DTEXOPCAPS_MODULATE | D3DTEXOPCAPS_ADD;
  caps.MaxTextureBlendStages = caps.MaxSimultaneousTextures = 1;
}

void fill_vertex_caps(D3DCAPS9& caps) {
  caps.FVFCaps = 1;  // sets of texture coordinates
  caps.VertexProcessingCaps = D3DVTXPCAPS_DIRECTIONALLIGHTS | D3DVTXPCAPS_MATERIALSOURCE7;
  caps.MaxActiveLights = SOFTGPU_LIGHTS;
  caps.MaxVertexBlendMatrices = 1;
  caps.MaxVertexW = 1e10f;
  caps.GuardBandLeft = caps.GuardBandTop = -32768.0f;
  caps.GuardBandRight = caps.GuardBandBottom = 32767.0f;
  caps.MaxPrimitiveCount = SOFTGPU_DRAW_MAX_COUNT / 3;
  caps.MaxVertexIndex = 0xFFFFFF;
  caps.MaxStreams = 1;
  caps.MaxStreamStride = 255;
  caps.DeclTypes = D3DDTCAPS_UBYTE4N;
}

D3DCAPS9 d3d9_caps() {
  D3DCAPS9 caps = {};
  caps.DeviceType = D3DDEVTYPE_HAL;
  caps.Caps2 = D3DCAPS2_DYNAMICTEXTURES | D3DCAPS2_CANSHARERESOURCE | D3DCAPS2_CANAUTOGENMIPMAP;
  caps.Caps3 = D3DCAPS3_COPY_TO_VIDMEM | D3DCAPS3_COPY_TO_SYSTEMMEM;
  caps.PresentationIntervals = D3DPRESENT_INTERVAL_IMMEDIATE;
  caps.DevCaps = D3DDEVCAPS_EXECUTESYSTEMMEMORY | D3DDEVCAPS_EXECUTEVIDEOMEMORY | D3DDEVCAPS_TLVERTEXSYSTEMMEMORY |
                 D3DDEVCAPS_TLVERTEXVIDEOMEMORY | D3DDEVCAPS_TEXTUREVIDEOMEMORY | D3DDEVCAPS_DRAWPRIMTLVERTEX |
                 D3DDEVCAPS_CANRENDERAFTERFLIP | D3DDEVCAPS_DRAWPRIMITIVES2 | D3DDEVCAPS_DRAWPRIMITIVES2EX |
                 D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_HWRASTERIZATION;
  caps.DevCaps2 = D3DDEVCAPS2_STREAMOFFSET | D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES;
  caps.NumberOfAdaptersInGroup = 1;
  fill_raster_caps(caps);
  fill_texture_caps(caps);
  fill_vertex_caps(caps);
  return caps;
}

// --- Answers ---

template <typename T>
HRESULT answer(const D3DDDIARG_GETCAPS& args, const T& value) {
  if (!args.pData || args.DataSize < sizeof(value)) return E_INVALIDARG;
  memcpy(args.pData, &value, sizeof(value));
  return S_OK;
}

// Softgpu has none of what is asked for: zeros, whatever the structure.
HRESULT answer_nothing(const D3DDDIARG_GETCAPS& args) {
  if (args.pData) memset(args.pData, 0, args.DataSize);
  return S_OK;
}

HRESULT answer_formats(const D3DDDIARG_GETCAPS& args) {
  if (!args.pData) return E_INVALIDARG;
  list_formats(static_cast<FORMATOP*>(args.pData), args.DataSize / sizeof(FORMATOP));
  return S_OK;
}

HRESULT answer_queries(const D3DDDIARG_GETCAPS& args) {
  if (!args.pData) return E_INVALIDARG;
  memcpy(args.pData, kQueries, args.DataSize < sizeof(kQueries) ? args.DataSize : sizeof(kQueries));
  return S_OK;
}

// One sample for each pixel, of one quality.
HRESULT answer_samples(const D3DDDIARG_GETCAPS& args) {
  if (!args.pData || args.DataSize < sizeof(DDIMULTISAMPLEQUALITYLEVELSDATA)) return E_INVALIDARG;
  auto& levels = *static_cast<DDIMULTISAMPLEQUALITYLEVELSDATA*>(args.pData);
  levels.QualityLevels = levels.MsType == D3DDDIMULTISAMPLE_NONE ? 1 : 0;
  return S_OK;
}

}  // namespace

HRESULT APIENTRY get_caps(HANDLE, const D3DDDIARG_GETCAPS* pData) {
  const D3DDDIARG_GETCAPS& args = *pData;
  switch (args.Type) {
    case D3DDDICAPS_GETD3D9CAPS:
      return answer(args, d3d9_caps());
    case D3DDDICAPS_GETFORMATCOUNT:
      return answer(args, list_formats(nullptr, 0));
    case D3DDDICAPS_GETFORMATDATA:
      return answer_formats(args);
    case D3DDDICAPS_GETD3DQUERYCOUNT:
      return answer(args, static_cast<UINT>(sizeof(kQueries) / sizeof(kQueries[0])));
    case D3DDDICAPS_GETD3DQUERYDATA:
      return answer_queries(args);
    case D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS:
      return answer_samples(args);
    case D3DDDICAPS_GETD3D3CAPS:
    case D3DDDICAPS_GETD3D5CAPS:
    case D3DDDICAPS_GETD3D6CAPS:
    case D3DDDICAPS_GETD3D7CAPS:
    case D3DDDICAPS_GETD3D8CAPS:
      return D3DERR_NOTAVAILABLE;
    default:
      return answer_nothing(args);
  }
}

}  // namespace softgpu
