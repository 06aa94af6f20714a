// What the Direct3D 9 driver interface keeps of the older one: capabilities of Direct3D 3 to 7 and state blocks.
#pragma once
#pragma GCC system_header

#include "d3dcaps.h"

typedef FLOAT D3DVALUE;
typedef DWORD D3DCOLORMODEL;
typedef struct _DDSURFACEDESC* LPDDSURFACEDESC;

// Operations of D3DDDIARG_STATESET. The pages name them without numbers; these are ours.
#define D3DHAL_STATESETBEGIN 0
#define D3DHAL_STATESETCAPTURE 1
#define D3DHAL_STATESETCREATE 2
#define D3DHAL_STATESETDELETE 3
#define D3DHAL_STATESETEND 4
#define D3DHAL_STATESETEXECUTE 5

typedef struct _D3DDeviceDesc_V1 {
  DWORD dwSize;
  DWORD dwFlags;
  D3DCOLORMODEL dcmColorModel;
  DWORD dwDevCaps;
  D3DTRANSFORMCAPS dtcTransformCaps;
  BOOL bClipping;
  D3DLIGHTINGCAPS dlcLightingCaps;
  D3DPRIMCAPS dpcLineCaps;
  D3DPRIMCAPS dpcTriCaps;
  DWORD dwDeviceRenderBitDepth;
  DWORD dwDeviceZBufferBitDepth;
  DWORD dwMaxBufferSize;
  DWORD dwMaxVertexCount;
} D3DDEVICEDESC_V1, *LPD3DDEVICEDESC_V1;

typedef struct _D3DHAL_GLOBALDRIVERDATA {
  DWORD dwSize;
  D3DDEVICEDESC_V1 hwCaps;
  DWORD dwNumVertices;
  DWORD dwNumClipVertices;
  DWORD dwNumTextureFormats;
  LPDDSURFACEDESC lpTextureFormats;
} D3DHAL_GLOBALDRIVERDATA, *LPD3DHAL_GLOBALDRIVERDATA;

typedef struct _D3DHAL_D3DEXTENDEDCAPS {
  DWORD dwSize;
  DWORD dwMinTextureWidth, dwMaxTextureWidth;
  DWORD dwMinTextureHeight, dwMaxTextureHeight;
  DWORD dwMinStippleWidth, dwMaxStippleWidth;
  DWORD dwMinStippleHeight, dwMaxStippleHeight;
  DWORD dwMaxTextureRepeat;
  DWORD dwMaxTextureAspectRatio;
  DWORD dwMaxAnisotropy;
  D3DVALUE dvGuardBandLeft;
  D3DVALUE dvGuardBandTop;
  D3DVALUE dvGuardBandRight;
  D3DVALUE dvGuardBandBottom;
  D3DVALUE dvExtentsAdjust;
  DWORD dwStencilCaps;
  DWORD dwFVFCaps;
  DWORD dwTextureOpCaps;
  WORD wMaxTextureBlendStages;
  WORD wMaxSimultaneousTextures;
  DWORD dwMaxActiveLights;
  D3DVALUE dvMaxVertexW;
  WORD wMaxUserClipPlanes;
  WORD wMaxVertexBlendMatrices;
  DWORD dwVertexProcessingCaps;
  DWORD dwReserved1;
  DWORD dwReserved2;
  DWORD dwReserved3;
  DWORD dwReserved4;
} D3DHAL_D3DEXTENDEDCAPS, *LPD3DHAL_D3DEXTENDEDCAPS;
