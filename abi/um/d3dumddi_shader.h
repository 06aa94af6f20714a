// Shaders, vertex declarations, vertex and index streams.
#pragma once
#pragma GCC system_header

#include "../shared/d3dukmdt.h"

typedef struct _D3DDDIARG_CREATEPIXELSHADER {
  UINT CodeSize;
  HANDLE ShaderHandle;
} D3DDDIARG_CREATEPIXELSHADER;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEPIXELSHADER)(HANDLE hDevice, D3DDDIARG_CREATEPIXELSHADER* pData,
                                                       const UINT* pCode);

typedef HRESULT(APIENTRY* PFND3DDDI_DELETEPIXELSHADER)(HANDLE hDevice, HANDLE hShaderHandle);

typedef HRESULT(APIENTRY* PFND3DDDI_SETPIXELSHADER)(HANDLE hDevice, HANDLE hShaderHandle);

typedef struct _D3DDDIARG_SETPIXELSHADERconst {
  UINT Register;
  UINT Count;
} D3DDDIARG_SETPIXELSHADERCONST;

typedef HRESULT(APIENTRY* PFND3DDDI_SETPIXELSHADERCONST)(HANDLE hDevice, const D3DDDIARG_SETPIXELSHADERCONST* pData,
                                                         const FLOAT* pRegisters);

typedef HRESULT(APIENTRY* PFND3DDDI_SETPIXELSHADERCONSTI)(HANDLE hDevice, const D3DDDIARG_SETPIXELSHADERCONST* pData,
                                                          const INT* pRegisters);

typedef HRESULT(APIENTRY* PFND3DDDI_SETPIXELSHADERCONSTB)(HANDLE hDevice, const D3DDDIARG_SETPIXELSHADERCONST* pData,
                                                          const BOOL* pRegisters);

typedef struct _D3DDDIARG_CREATEVERTEXSHADERFUNC {
  UINT Size;
  HANDLE ShaderHandle;
} D3DDDIARG_CREATEVERTEXSHADERFUNC;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEVERTEXSHADERFUNC)(HANDLE hDevice, D3DDDIARG_CREATEVERTEXSHADERFUNC* pData,
                                                            const UINT* pCode);

typedef HRESULT(APIENTRY* PFND3DDDI_DELETEVERTEXSHADERFUNC)(HANDLE hDevice, HANDLE hShaderHandle);

typedef HRESULT(APIENTRY* PFND3DDDI_SETVERTEXSHADERFUNC)(HANDLE hDevice, HANDLE hShaderHandle);

typedef struct _D3DDDIARG_SETVERTEXSHADERconst {
  UINT Register;
  UINT Count;
} D3DDDIARG_SETVERTEXSHADERCONST;

typedef HRESULT(APIENTRY* PFND3DDDI_SETVERTEXSHADERCONST)(HANDLE hDevice, const D3DDDIARG_SETVERTEXSHADERCONST* pData,
                                                          const VOID* pRegisters);

typedef HRESULT(APIENTRY* PFND3DDDI_SETVERTEXSHADERCONSTI)(HANDLE hDevice, const D3DDDIARG_SETVERTEXSHADERCONST* pData,
                                                           const INT* pRegisters);

typedef HRESULT(APIENTRY* PFND3DDDI_SETVERTEXSHADERCONSTB)(HANDLE hDevice, const D3DDDIARG_SETVERTEXSHADERCONST* pData,
                                                           const BOOL* pRegisters);

typedef struct _D3DDDIVERTEXELEMENT {
  USHORT Stream;
  USHORT Offset;
  UCHAR Type;
  UCHAR Method;
  UCHAR Usage;
  UCHAR UsageIndex;
} D3DDDIVERTEXELEMENT;

typedef struct _D3DDDIARG_CREATEVERTEXSHADERDECL {
  UINT NumVertexElements;
  HANDLE ShaderHandle;
} D3DDDIARG_CREATEVERTEXSHADERDECL;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEVERTEXSHADERDECL)(HANDLE hDevice, D3DDDIARG_CREATEVERTEXSHADERDECL* pData,
                                                            const D3DDDIVERTEXELEMENT* pVertexElements);

typedef HRESULT(APIENTRY* PFND3DDDI_DELETEVERTEXSHADERDECL)(HANDLE hDevice, HANDLE hShaderHandle);

typedef HRESULT(APIENTRY* PFND3DDDI_SETVERTEXSHADERDECL)(HANDLE hDevice, HANDLE hShaderHandle);

typedef struct _D3DDDIARG_SETSTREAMSOURCE {
  UINT Stream;
  HANDLE hVertexBuffer;
  UINT Offset;
  UINT Stride;
} D3DDDIARG_SETSTREAMSOURCE;

typedef HRESULT(APIENTRY* PFND3DDDI_SETSTREAMSOURCE)(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCE* pData);

typedef struct _D3DDDIARG_SETSTREAMSOURCEUM {
  UINT Stream;
  UINT Stride;
} D3DDDIARG_SETSTREAMSOURCEUM;

typedef HRESULT(APIENTRY* PFND3DDDI_SETSTREAMSOURCEUM)(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCEUM* pData,
                                                       const VOID* pUMBuffer);

typedef struct _D3DDDIARG_SETSTREAMSOURCEFREQ {
  UINT Stream;
  UINT Divider;
} D3DDDIARG_SETSTREAMSOURCEFREQ;

typedef HRESULT(APIENTRY* PFND3DDDI_SETSTREAMSOURCEFREQ)(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCEFREQ* pData);

typedef struct _D3DDDIARG_SETINDICES {
  HANDLE hIndexBuffer;
  UINT Stride;
} D3DDDIARG_SETINDICES;

typedef HRESULT(APIENTRY* PFND3DDDI_SETINDICES)(HANDLE hDevice, const D3DDDIARG_SETINDICES* pData);

typedef HRESULT(APIENTRY* PFND3DDDI_SETINDICESUM)(HANDLE hDevice, UINT IndexSize, const VOID* pUMBuffer);
