// Overlays of the first kind, one surface over the primary.
#pragma once
#pragma GCC system_header

#include "../shared/d3dukmdt.h"

typedef struct _D3DDDI_OVERLAYINFOFLAGS {
  union {
    struct {
      UINT DstColorKey : 1;
      UINT DstColorKeyRange : 1;
      UINT SrcColorKey : 1;
      UINT SrcColorKeyRange : 1;
      UINT Bob : 1;
      UINT Interleaved : 1;
      UINT MirrorLeftRight : 1;
      UINT MirrorUpDown : 1;
      UINT Deinterlace : 1;
      UINT LimitedRGB : 1;
      UINT YCbCrBT709 : 1;
      UINT YCbCrxvYCC : 1;
      UINT Reserved : 20;
    };
    UINT Value;
  };
} D3DDDI_OVERLAYINFOFLAGS;

typedef struct _D3DDDI_OVERLAYINFO {
  HANDLE hResource;
  UINT SubResourceIndex;
  RECT DstRect;
  RECT SrcRect;
  UINT DstColorKeyLow;
  UINT DstColorKeyHigh;
  UINT SrcColorKeyLow;
  UINT SrcColorKeyHigh;
  D3DDDI_OVERLAYINFOFLAGS Flags;
} D3DDDI_OVERLAYINFO;

typedef struct _D3DDDIARG_CREATEOVERLAY {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_OVERLAYINFO OverlayInfo;
  HANDLE hOverlay;
} D3DDDIARG_CREATEOVERLAY;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEOVERLAY)(HANDLE hDevice, D3DDDIARG_CREATEOVERLAY* pData);

typedef struct _D3DDDIARG_UPDATEOVERLAY {
  HANDLE hOverlay;
  D3DDDI_OVERLAYINFO OverlayInfo;
} D3DDDIARG_UPDATEOVERLAY;

typedef HRESULT(APIENTRY* PFND3DDDI_UPDATEOVERLAY)(HANDLE hDevice, const D3DDDIARG_UPDATEOVERLAY* pData);

typedef struct _D3DDDI_FLIPOVERLAYFLAGS {
  union {
    struct {
      UINT Even : 1;
      UINT Odd : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_FLIPOVERLAYFLAGS;

typedef struct _D3DDDIARG_FLIPOVERLAY {
  HANDLE hOverlay;
  HANDLE hSource;
  UINT SourceIndex;
  D3DDDI_FLIPOVERLAYFLAGS Flags;
} D3DDDIARG_FLIPOVERLAY;

typedef HRESULT(APIENTRY* PFND3DDDI_FLIPOVERLAY)(HANDLE hDevice, const D3DDDIARG_FLIPOVERLAY* pData);

typedef struct _D3DDDI_OVERLAYCOLORCONTROLSFLAGS {
  union {
    struct {
      UINT Brightness : 1;
      UINT Contrast : 1;
      UINT Hue : 1;
      UINT Saturation : 1;
      UINT Sharpness : 1;
      UINT Gamma : 1;
      UINT ColorEnable : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} D3DDDI_OVERLAYCOLORCONTROLSFLAGS;

typedef struct _D3DDDI_OVERLAYCOLORCONTROLS {
  INT BrightnessSetting;
  INT ContrastSetting;
  INT HueSetting;
  INT SaturationSetting;
  INT SharpnessSetting;
  INT GammaSetting;
  INT ColorEnableSetting;
  D3DDDI_OVERLAYCOLORCONTROLSFLAGS Flags;
} D3DDDI_OVERLAYCOLORCONTROLS;

typedef struct _D3DDDIARG_GETOVERLAYCOLORCONTROLS {
  HANDLE hOverlay;
  HANDLE hResource;
  D3DDDI_OVERLAYCOLORCONTROLS ColorControls;
} D3DDDIARG_GETOVERLAYCOLORCONTROLS;

typedef HRESULT(APIENTRY* PFND3DDDI_GETOVERLAYCOLORCONTROLS)(HANDLE hDevice, D3DDDIARG_GETOVERLAYCOLORCONTROLS* pData);

typedef struct _D3DDDIARG_SETOVERLAYCOLORCONTROLS {
  HANDLE hOverlay;
  HANDLE hResource;
  D3DDDI_OVERLAYCOLORCONTROLS ColorControls;
} D3DDDIARG_SETOVERLAYCOLORCONTROLS;

typedef HRESULT(APIENTRY* PFND3DDDI_SETOVERLAYCOLORCONTROLS)(HANDLE hDevice,
                                                             const D3DDDIARG_SETOVERLAYCOLORCONTROLS* pData);

typedef struct _D3DDDIARG_DESTROYOVERLAY {
  HANDLE hOverlay;
} D3DDDIARG_DESTROYOVERLAY;

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYOVERLAY)(HANDLE hDevice, const D3DDDIARG_DESTROYOVERLAY* pData);
