// What a driver says of its gamma ramps and colour transforms.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"

typedef struct _DXGK_GAMMARAMPCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_GAMMARAMPCAPS;

typedef struct _DXGK_COLORTRANSFORMCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Gamma_Dxgi1 : 1;
      UINT Transform_3x4Matrix : 1;
      UINT Transform_3x4Matrix_WideColor : 1;
      UINT Transform_3x4Matrix_HighColor : 1;
      UINT Transform_Matrix_V2 : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_COLORTRANSFORMCAPS, *PDXGK_COLORTRANSFORMCAPS;

typedef enum _DXGK_GAMMA_DATA_TYPE {
  DXGK_GAMMA_DATA_TYPE_FIXED_POINT = 0,
  DXGK_GAMMA_DATA_TYPE_FLOAT = 1
} DXGK_GAMMA_DATA_TYPE;

// The odd first letters are documented.
typedef struct _DKGK_GAMMA_DATA_CAP {
  DXGK_GAMMA_DATA_TYPE DataType;
  union {
    struct {
      UINT BitCountOfInteger : 6;
      UINT BitCountOfFraction : 6;
    };
    struct {
      UINT BitCountOfExponent : 6;
      UINT BitCountOfMantissa : 6;
    };
    UINT Value;
  };
  float NumericRangeMin;
  float NumericRangeMax;
} DKGK_GAMMA_DATA_CAP;

typedef struct _DXGK_GAMMA_1DLUT_CAP {
  UINT NumberOfLUTEntries;
  DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_1DLUT_CAP, *PDXGK_GAMMA_1DLUT_CAP;

typedef struct _DXGK_GAMMA_MATRIX_CAP {
  union {
    struct {
      UINT MatrixSizeX : 10;
      UINT MatrixSizeY : 10;
    };
    UINT Value;
  };
  DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_MATRIX_CAP, *PDXGK_GAMMA_MATRIX_CAP;

typedef enum _DXGK_TARGET_GAMMA_CAPS_VERSION {
  DXGK_TARGET_GAMMA_CAPS_VERSION_DEFALUT = 0,
  DXGK_TARGET_GAMMA_CAPS_VERSION_1 = 1,
  DXGK_TARGET_GAMMA_CAPS_VERSION_NOT_SUPPORTED = 2
} DXGK_TARGET_GAMMA_CAPS_VERSION;

typedef struct _DXGK_TARGET_GAMMA_CAPS {
  DXGK_TARGET_GAMMA_CAPS_VERSION Version;
  DXGK_GAMMA_1DLUT_CAP LookupTable1DDegammaCap;
  DXGK_GAMMA_MATRIX_CAP ColorMatrix3x3Cap;
  DXGK_GAMMA_1DLUT_CAP LookupTable1DRegammaCap;
} DXGK_TARGET_GAMMA_CAPS, *PDXGK_TARGET_GAMMA_CAPS;
