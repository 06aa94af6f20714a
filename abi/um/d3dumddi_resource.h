// Resources: creating, opening, locking, offering and destroying them.
#pragma once
#pragma GCC system_header

#include "../shared/d3dukmdt.h"

typedef HRESULT(APIENTRY* PFND3DDDI_CREATERESOURCE)(HANDLE hDevice, D3DDDIARG_CREATERESOURCE* pResource);

typedef HRESULT(APIENTRY* PFND3DDDI_CREATERESOURCE2)(HANDLE hDevice, D3DDDIARG_CREATERESOURCE2* pResource2);

typedef struct _D3DDDI_OPENRESOURCEFLAGS {
  union {
    struct {
      UINT Fullscreen : 1;
      UINT AlphaOverride : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_OPENRESOURCEFLAGS;

typedef struct _D3DDDIARG_OPENRESOURCE {
  UINT NumAllocations;
  union {
    D3DDDI_OPENALLOCATIONINFO* pOpenAllocationInfo;
    D3DDDI_OPENALLOCATIONINFO2* pOpenAllocationInfo2;
  };
  D3DKMT_HANDLE hKMResource;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hResource;
  D3DDDI_ROTATION Rotation;
  D3DDDI_OPENRESOURCEFLAGS Flags;
} D3DDDIARG_OPENRESOURCE;

typedef HRESULT(APIENTRY* PFND3DDDI_OPENRESOURCE)(HANDLE hDevice, D3DDDIARG_OPENRESOURCE* pResource);

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYRESOURCE)(HANDLE hDevice, HANDLE hResource);

typedef struct _D3DDDIARG_RESOLVESHAREDRESOURCE {
  HANDLE hResource;
} D3DDDIARG_RESOLVESHAREDRESOURCE;

typedef HRESULT(APIENTRY* PFND3DDDI_RESOLVESHAREDRESOURCE)(HANDLE hDevice,
                                                           const D3DDDIARG_RESOLVESHAREDRESOURCE* pData);

typedef struct _D3DDDIRANGE {
  UINT Offset;
  UINT Size;
} D3DDDIRANGE;

typedef struct _D3DDDIBOX {
  UINT Left;
  UINT Top;
  UINT Right;
  UINT Bottom;
  UINT Front;
  UINT Back;
} D3DDDIBOX;

typedef struct _D3DDDI_LOCKFLAGS {
  union {
    struct {
      UINT ReadOnly : 1;
      UINT WriteOnly : 1;
      UINT NoOverwrite : 1;
      UINT Discard : 1;
      UINT RangeValid : 1;
      UINT AreaValid : 1;
      UINT BoxValid : 1;
      UINT NotifyOnly : 1;
      UINT MightDrawFromLocked : 1;
      UINT DoNotWait : 1;
      UINT Reserved : 22;
    };
    UINT Value;
  };
} D3DDDI_LOCKFLAGS;

typedef struct _D3DDDIARG_LOCK {
  HANDLE hResource;
  UINT SubResourceIndex;
  union {
    D3DDDIRANGE Range;
    RECT Area;
    D3DDDIBOX Box;
  };
  VOID* pSurfData;
  UINT Pitch;
  UINT SlicePitch;
  D3DDDI_LOCKFLAGS Flags;
} D3DDDIARG_LOCK;

typedef HRESULT(APIENTRY* PFND3DDDI_LOCK)(HANDLE hDevice, D3DDDIARG_LOCK* pData);

typedef struct _D3DDDI_UNLOCKFLAGS {
  union {
    struct {
      UINT NotifyOnly : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_UNLOCKFLAGS;

typedef struct _D3DDDIARG_UNLOCK {
  HANDLE hResource;
  UINT SubResourceIndex;
  D3DDDI_UNLOCKFLAGS Flags;
} D3DDDIARG_UNLOCK;

typedef HRESULT(APIENTRY* PFND3DDDI_UNLOCK)(HANDLE hDevice, const D3DDDIARG_UNLOCK* pData);

typedef struct _D3DDDI_LOCKASYNCFLAGS {
  union {
    struct {
      UINT NoOverwrite : 1;
      UINT Discard : 1;
      UINT RangeValid : 1;
      UINT AreaValid : 1;
      UINT BoxValid : 1;
      UINT NoExistingReferences : 1;
      UINT NotifyOnly : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} D3DDDI_LOCKASYNCFLAGS;

typedef struct _D3DDDIARG_LOCKASYNC {
  HANDLE hResource;
  UINT SubResourceIndex;
  D3DDDI_LOCKASYNCFLAGS Flags;
  union {
    D3DDDIRANGE Range;
    RECT Area;
    D3DDDIBOX Box;
  };
  HANDLE hCookie;
  VOID* pSurfData;
  UINT Pitch;
  UINT SlicePitch;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
} D3DDDIARG_LOCKASYNC;

typedef HRESULT(APIENTRY* PFND3DDDI_LOCKASYNC)(HANDLE hDevice, D3DDDIARG_LOCKASYNC* pData);

typedef struct _D3DDDI_UNLOCKASYNCFLAGS {
  union {
    struct {
      UINT NotifyOnly : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_UNLOCKASYNCFLAGS;

typedef struct _D3DDDIARG_UNLOCKASYNC {
  HANDLE hResource;
  UINT SubResourceIndex;
  D3DDDI_UNLOCKASYNCFLAGS Flags;
} D3DDDIARG_UNLOCKASYNC;

typedef HRESULT(APIENTRY* PFND3DDDI_UNLOCKASYNC)(HANDLE hDevice, const D3DDDIARG_UNLOCKASYNC* pData);

typedef struct _D3DDDIARG_RENAME {
  HANDLE hResource;
  UINT SubResourceIndex;
  HANDLE hCookie;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
} D3DDDIARG_RENAME;

typedef HRESULT(APIENTRY* PFND3DDDI_RENAME)(HANDLE hDevice, const D3DDDIARG_RENAME* pData);

typedef struct _D3DDDIARG_SETPRIORITY {
  HANDLE hResource;
  UINT Priority;
} D3DDDIARG_SETPRIORITY;

typedef HRESULT(APIENTRY* PFND3DDDI_SETPRIORITY)(HANDLE hDevice, const D3DDDIARG_SETPRIORITY* pData);

typedef struct _D3DDDIARG_QUERYRESOURCERESIDENCY {
  const HANDLE* pHandleList;
  UINT NumResources;
} D3DDDIARG_QUERYRESOURCERESIDENCY;

typedef HRESULT(APIENTRY* PFND3DDDI_QUERYRESOURCERESIDENCY)(HANDLE hDevice,
                                                            const D3DDDIARG_QUERYRESOURCERESIDENCY* pData);

typedef struct _D3DDDIARG_OFFERRESOURCES {
  const HANDLE* pResources;
  UINT Resources;
  D3DDDI_OFFER_PRIORITY Priority;
} D3DDDIARG_OFFERRESOURCES;

typedef HRESULT(APIENTRY* PFND3DDDI_OFFERRESOURCES)(HANDLE hDevice, const D3DDDIARG_OFFERRESOURCES* pData);

typedef struct _D3DDDIARG_RECLAIMRESOURCES {
  HANDLE* pResources;
  BOOL* pDiscarded;
  UINT Resources;
} D3DDDIARG_RECLAIMRESOURCES;

typedef HRESULT(APIENTRY* PFND3DDDI_RECLAIMRESOURCES)(HANDLE hDevice, const D3DDDIARG_RECLAIMRESOURCES* pData);

typedef struct _D3DDDIARG_DISCARD {
  HANDLE hResource;
  UINT FirstSubResource;
  UINT NumSubResources;
  const RECT* pRects;
  UINT NumRects;
} D3DDDIARG_DISCARD;

typedef HRESULT(APIENTRY* PFND3DDDI_DISCARD)(HANDLE hDevice, const D3DDDIARG_DISCARD* pData);

typedef struct _D3DDDIARG_SYNCTOKEN {
  HANDLE hResource;
  HANDLE hSyncToken;
} D3DDDIARG_SYNCTOKEN;

typedef VOID(APIENTRY* PFND3DDDI_SYNCTOKEN)(HANDLE hDevice, const D3DDDIARG_SYNCTOKEN* pData);

typedef struct _D3DDDIARG_GETCAPTUREALLOCATIONHANDLE {
  HANDLE hResource;
  D3DKMT_HANDLE hAllocation;
} D3DDDIARG_GETCAPTUREALLOCATIONHANDLE;

typedef HRESULT(APIENTRY* PFND3DDDI_GETCAPTUREALLOCATIONHANDLE)(HANDLE hDevice,
                                                                D3DDDIARG_GETCAPTUREALLOCATIONHANDLE* pData);

typedef struct _D3DDDIARG_CAPTURETOSYSMEM {
  HANDLE hSrcResource;
  RECT SrcRect;
  HANDLE hDstResource;
  UINT DstSubResourceIndex;
  RECT DstRect;
} D3DDDIARG_CAPTURETOSYSMEM;

typedef HRESULT(APIENTRY* PFND3DDDI_CAPTURETOSYSMEM)(HANDLE hDevice, const D3DDDIARG_CAPTURETOSYSMEM* pData);
