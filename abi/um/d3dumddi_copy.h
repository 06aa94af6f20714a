// Copies and fills between resources.
#pragma once
#pragma GCC system_header

#include "d3d9types.h"
#include "d3dumddi_resource.h"
#include "d3dumddi_state.h"

typedef struct _D3DDDI_BLTFLAGS {
  union {
    struct {
      UINT Point : 1;
      UINT Linear : 1;
      UINT SrcColorKey : 1;
      UINT DstColorKey : 1;
      UINT MirrorLeftRight : 1;
      UINT MirrorUpDown : 1;
      UINT LinearToSrgb : 1;
      UINT Rotate : 1;
      UINT BeginPresentToDwm : 1;
      UINT ContinuePresentToDwm : 1;
      UINT EndPresentToDwm : 1;
      UINT Discard : 1;
      UINT NoOverwrite : 1;
      UINT Tileable : 1;
      UINT Reserved : 18;
    };
    UINT Value;
  };
} D3DDDI_BLTFLAGS;

typedef struct _D3DDDIARG_BLT {
  HANDLE hSrcResource;
  UINT SrcSubResourceIndex;
  RECT SrcRect;
  HANDLE hDstResource;
  UINT DstSubResourceIndex;
  RECT DstRect;
  UINT ColorKey;
  D3DDDI_BLTFLAGS Flags;
} D3DDDIARG_BLT;

typedef HRESULT(APIENTRY* PFND3DDDI_BLT)(HANDLE hDevice, const D3DDDIARG_BLT* pData);

typedef struct _D3DDDI_COLORFILLFLAGS {
  union {
    struct {
      UINT PresentToDwm : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_COLORFILLFLAGS;

typedef struct _D3DDDIARG_COLORFILL {
  HANDLE hResource;
  UINT SubResourceIndex;
  RECT DstRect;
  D3DCOLOR Color;
  D3DDDI_COLORFILLFLAGS Flags;
} D3DDDIARG_COLORFILL;

typedef HRESULT(APIENTRY* PFND3DDDI_COLORFILL)(HANDLE hDevice, const D3DDDIARG_COLORFILL* pData);

typedef struct _D3DDDIARG_DEPTHFILL {
  HANDLE hResource;
  UINT SubResourceIndex;
  RECT DstRect;
  UINT Depth;
} D3DDDIARG_DEPTHFILL;

typedef HRESULT(APIENTRY* PFND3DDDI_DEPTHFILL)(HANDLE hDevice, const D3DDDIARG_DEPTHFILL* pData);

typedef enum D3DDDI_COPY_FLAGS {
  D3DDDI_COPY_NO_OVERWRITE = 0x00000001,
  D3DDDI_COPY_DISCARD = 0x00000002,
} D3DDDI_COPY_FLAGS;

typedef struct _D3DDDIARG_BUFFERBLT {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT Offset;
  D3DDDIRANGE SrcRange;
} D3DDDIARG_BUFFERBLT;

typedef HRESULT(APIENTRY* PFND3DDDI_BUFBLT)(HANDLE hDevice, const D3DDDIARG_BUFFERBLT* pData);

typedef struct _D3DDDIARG_BUFFERBLT1 {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT Offset;
  D3DDDIRANGE SrcRange;
  UINT CopyFlags;
} D3DDDIARG_BUFFERBLT1;

typedef HRESULT(APIENTRY* PFND3DDDI_BUFBLT1)(HANDLE hDevice, const D3DDDIARG_BUFFERBLT1* pData);

typedef struct _D3DDDIARG_TEXBLT {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT CubeMapFace;
  POINT DstPoint;
  RECT SrcRect;
} D3DDDIARG_TEXBLT;

typedef HRESULT(APIENTRY* PFND3DDDI_TEXBLT)(HANDLE hDevice, const D3DDDIARG_TEXBLT* pData);

typedef struct _D3DDDIARG_TEXBLT1 {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT CubeMapFace;
  POINT DstPoint;
  RECT SrcRect;
  UINT CopyFlags;
} D3DDDIARG_TEXBLT1;

typedef HRESULT(APIENTRY* PFND3DDDI_TEXBLT1)(HANDLE hDevice, const D3DDDIARG_TEXBLT1* pData);

typedef struct _D3DDDIARG_VOLUMEBLT {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT DstX;
  UINT DstY;
  UINT DstZ;
  D3DDDIBOX SrcBox;
} D3DDDIARG_VOLUMEBLT;

typedef HRESULT(APIENTRY* PFND3DDDI_VOLBLT)(HANDLE hDevice, const D3DDDIARG_VOLUMEBLT* pData);

typedef struct _D3DDDIARG_VOLUMEBLT1 {
  HANDLE hDstResource;
  HANDLE hSrcResource;
  UINT DstX;
  UINT DstY;
  UINT DstZ;
  D3DDDIBOX SrcBox;
  UINT CopyFlags;
} D3DDDIARG_VOLUMEBLT1;

typedef HRESULT(APIENTRY* PFND3DDDI_VOLBLT1)(HANDLE hDevice, const D3DDDIARG_VOLUMEBLT1* pData);

typedef struct D3DDDIARG_COPYFLAGS {
  union {
    struct {
      UINT NoOverwrite : 1;
      UINT Discard : 1;
      UINT Reserved1 : 22;
      UINT BoxValid : 1;
      UINT Reserved2 : 7;
    };
    UINT Value;
  };
} D3DDDIARG_COPYFLAGS;

typedef struct D3DDDIARG_UPDATESUBRESOURCEUP {
  HANDLE hResource;
  UINT SubResourceIndex;
  D3DDDIBOX DstBox;
  const VOID* pSysMemUP;
  UINT RowPitch;
  UINT DepthPitch;
  D3DDDIARG_COPYFLAGS Flags;
} D3DDDIARG_UPDATESUBRESOURCEUP;

typedef HRESULT(APIENTRY* PFND3DDDI_UPDATESUBRESOURCEUP)(HANDLE hDevice,
                                                         const D3DDDIARG_UPDATESUBRESOURCEUP* pCounterInfo);

typedef struct _D3DDDIARG_GENERATEMIPSUBLEVELS {
  HANDLE hResource;
  D3DDDITEXTUREFILTERTYPE Filter;
} D3DDDIARG_GENERATEMIPSUBLEVELS;

typedef HRESULT(APIENTRY* PFND3DDDI_GENERATEMIPSUBLEVELS)(HANDLE hDevice, const D3DDDIARG_GENERATEMIPSUBLEVELS* pData);

typedef struct _D3DDDIARG_SETCONVOLUTIONKERNELMONO {
  UINT Width;
  UINT Height;
  FLOAT* pKernelRow;
  FLOAT* pKernelCol;
} D3DDDIARG_SETCONVOLUTIONKERNELMONO;

typedef HRESULT(APIENTRY* PFND3DDDI_SETCONVOLUTIONKERNELMONO)(HANDLE hDevice,
                                                              const D3DDDIARG_SETCONVOLUTIONKERNELMONO* pData);

typedef enum _D3DDDI_COMPOSERECTSOP {
  D3DDDICOMPOSERECTS_COPY = 1,
  D3DDDICOMPOSERECTS_OR = 2,
  D3DDDICOMPOSERECTS_AND = 3,
  D3DDDICOMPOSERECTS_NEG = 4,
  D3DDDICOMPOSERECTS_FORCE_UINT = 0x7fffffff,
} D3DDDI_COMPOSERECTSOP;

typedef struct _D3DDDIARG_COMPOSERECTS {
  HANDLE hSrcResource;
  UINT SrcSubResourceIndex;
  HANDLE hDstResource;
  UINT DstSubResourceIndex;
  HANDLE hSrcRectDescsVB;
  UINT NumRects;
  HANDLE hDstRectDescsVB;
  D3DDDI_COMPOSERECTSOP Operation;
  INT XOffset;
  INT YOffset;
} D3DDDIARG_COMPOSERECTS;

typedef HRESULT(APIENTRY* PFND3DDDI_COMPOSERECTS)(HANDLE hDevice, const D3DDDIARG_COMPOSERECTS* pData);
