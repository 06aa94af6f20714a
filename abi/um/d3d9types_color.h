// Colours, vectors and matrices of Direct3D 9, and the palette entry that GDI defines.
#pragma once
#pragma GCC system_header

#include "../shared/windef.h"

typedef DWORD D3DCOLOR;

typedef struct _D3DCOLORVALUE {
  FLOAT r;
  FLOAT g;
  FLOAT b;
  FLOAT a;
} D3DCOLORVALUE;

typedef struct _D3DVECTOR {
  FLOAT x;
  FLOAT y;
  FLOAT z;
} D3DVECTOR;

typedef struct _D3DMATRIX {
  union {
    struct {
      FLOAT _11, _12, _13, _14;
      FLOAT _21, _22, _23, _24;
      FLOAT _31, _32, _33, _34;
      FLOAT _41, _42, _43, _44;
    };
    FLOAT m[4][4];
  };
} D3DMATRIX;

typedef struct tagPALETTEENTRY {
  BYTE peRed;
  BYTE peGreen;
  BYTE peBlue;
  BYTE peFlags;
} PALETTEENTRY, *PPALETTEENTRY, *LPPALETTEENTRY;
