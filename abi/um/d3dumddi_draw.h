// Drawing: primitives, patches, clearing.
#pragma once
#pragma GCC system_header

#include "../shared/d3dukmdt.h"
#include "d3d9types.h"

// Beside the clears that clients know: clip the rectangles against the viewport, or clear all of it.
#define D3DCLEAR_COMPUTERECTS 0x00000008

typedef struct _D3DDDIARG_DRAWPRIMITIVE {
  D3DPRIMITIVETYPE PrimitiveType;
  UINT VStart;
  UINT PrimitiveCount;
} D3DDDIARG_DRAWPRIMITIVE;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWPRIMITIVE)(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE* pData,
                                                   const UINT* pFlagBuffer);

typedef struct _D3DDDIARG_DRAWINDEXEDPRIMITIVE {
  D3DPRIMITIVETYPE PrimitiveType;
  INT BaseVertexIndex;
  UINT MinIndex;
  UINT NumVertices;
  UINT StartIndex;
  UINT PrimitiveCount;
} D3DDDIARG_DRAWINDEXEDPRIMITIVE;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWINDEXEDPRIMITIVE)(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE* pData);

typedef struct _D3DDDIARG_DRAWPRIMITIVE2 {
  D3DPRIMITIVETYPE PrimitiveType;
  UINT FirstVertexOffset;
  UINT PrimitiveCount;
} D3DDDIARG_DRAWPRIMITIVE2;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWPRIMITIVE2)(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE2* pData);

typedef struct _D3DDDIARG_DRAWINDEXEDPRIMITIVE2 {
  D3DPRIMITIVETYPE PrimitiveType;
  INT BaseVertexOffset;
  UINT MinIndex;
  UINT NumVertices;
  UINT StartIndexOffset;
  UINT PrimitiveCount;
} D3DDDIARG_DRAWINDEXEDPRIMITIVE2;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWINDEXEDPRIMITIVE2)(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE2* pData,
                                                           UINT dwIndicesSize, const VOID* pIndexBuffer,
                                                           const UINT* pFlagBuffer);

typedef enum _D3DDDIBASISTYPE {
  D3DDDIBASIS_BEZIER = 0,
  D3DDDIBASIS_BSPLINE = 1,
  D3DDDIBASIS_CATMULL_ROM = 2,
  D3DDDIBASIS_FORCE_UINT = 0x7fffffff,
} D3DDDIBASISTYPE;

typedef enum _D3DDDIDEGREETYPE {
  D3DDDIDEGREE_LINEAR = 1,
  D3DDDIDEGREE_QUADRATIC = 2,
  D3DDDIDEGREE_CUBIC = 3,
  D3DDDIDEGREE_QUINTIC = 5,
  D3DDDIDEGREE_FORCE_UINT = 0x7fffffff,
} D3DDDIDEGREETYPE;

typedef struct _D3DDDIRECTPATCH_INFO {
  UINT StartVertexOffsetWidth;
  UINT StartVertexOffsetHeight;
  UINT Width;
  UINT Height;
  UINT Stride;
  D3DDDIBASISTYPE Basis;
  D3DDDIDEGREETYPE Degree;
} D3DDDIRECTPATCH_INFO;

typedef struct _D3DDDIARG_DRAWRECTPATCH {
  UINT Handle;
} D3DDDIARG_DRAWRECTPATCH;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWRECTPATCH)(HANDLE hDevice, const D3DDDIARG_DRAWRECTPATCH* pData,
                                                   const D3DDDIRECTPATCH_INFO* pInfo, const FLOAT* pPatch);

typedef struct _D3DDDITRIPATCH_INFO {
  UINT StartVertexOffset;
  UINT NumVertices;
  D3DDDIBASISTYPE Basis;
  D3DDDIDEGREETYPE Degree;
} D3DDDITRIPATCH_INFO;

typedef struct _D3DDDIARG_DRAWTRIPATCH {
  UINT Handle;
} D3DDDIARG_DRAWTRIPATCH;

typedef HRESULT(APIENTRY* PFND3DDDI_DRAWTRIPATCH)(HANDLE hDevice, const D3DDDIARG_DRAWTRIPATCH* pData,
                                                  const D3DDDITRIPATCH_INFO* pInfo, const FLOAT* pPatch);

typedef struct _D3DDDIARG_CLEAR {
  UINT Flags;
  UINT FillColor;
  FLOAT FillDepth;
  UINT FillStencil;
} D3DDDIARG_CLEAR;

typedef HRESULT(APIENTRY* PFND3DDDI_CLEAR)(HANDLE hDevice, const D3DDDIARG_CLEAR* pData, UINT NumRect,
                                           const RECT* pRect);
