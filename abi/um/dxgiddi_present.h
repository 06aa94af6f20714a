// Presenting, copying to a surface, and what DXGI asks about resources.
#pragma once
#pragma GCC system_header

#include "dxgiddi_mode.h"

typedef enum DXGI_DDI_FLIP_INTERVAL_TYPE {
  DXGI_DDI_FLIP_INTERVAL_IMMEDIATE = 0,
  DXGI_DDI_FLIP_INTERVAL_ONE = 1,
  DXGI_DDI_FLIP_INTERVAL_TWO = 2,
  DXGI_DDI_FLIP_INTERVAL_THREE = 3,
  DXGI_DDI_FLIP_INTERVAL_FOUR = 4,
  DXGI_DDI_FLIP_INTERVAL_IMMEDIATE_ALLOW_TEARING = 5,
} DXGI_DDI_FLIP_INTERVAL_TYPE;

typedef struct DXGI_DDI_PRESENT_FLAGS {
  union {
    struct {
      UINT Blt : 1;
      UINT Flip : 1;
      UINT PreferRight : 1;
      UINT TemporaryMono : 1;
      UINT AllowTearing : 1;
      UINT AllowFlexibleRefresh : 1;
      UINT NoScanoutTransform : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} DXGI_DDI_PRESENT_FLAGS;

typedef struct DXGI_DDI_ARG_PRESENT {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hSurfaceToPresent;
  UINT SrcSubResourceIndex;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubResourceIndex;
  void* pDXGIContext;
  DXGI_DDI_PRESENT_FLAGS Flags;
  DXGI_DDI_FLIP_INTERVAL_TYPE FlipInterval;
} DXGI_DDI_ARG_PRESENT;

typedef struct DXGI_DDI_ARG_PRESENTSURFACE {
  DXGI_DDI_HRESOURCE hSurface;
  UINT SubResourceIndex;
} DXGI_DDI_ARG_PRESENTSURFACE;

typedef struct DXGI_DDI_ARG_PRESENT1 {
  DXGI_DDI_HDEVICE hDevice;
  const DXGI_DDI_ARG_PRESENTSURFACE* phSurfacesToPresent;
  UINT SurfacesToPresent;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubResourceIndex;
  void* pDXGIContext;
  DXGI_DDI_PRESENT_FLAGS Flags;
  DXGI_DDI_FLIP_INTERVAL_TYPE FlipInterval;
  UINT Reserved;
  const RECT* pDirtyRects;
  UINT DirtyRects;
  UINT BackBufferMultiplicity;
} DXGI_DDI_ARG_PRESENT1;

typedef struct _DXGI_DDI_ARG_CHECKPRESENTDURATIONSUPPORT {
  DXGI_DDI_HDEVICE hDevice;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT DesiredPresentDuration;
  UINT ClosestSmallerDuration;
  UINT ClosestLargerDuration;
} DXGI_DDI_ARG_CHECKPRESENTDURATIONSUPPORT;

typedef struct DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES {
  DXGI_DDI_HDEVICE hDevice;
  const DXGI_DDI_HRESOURCE* pResources;
  UINT Resources;
} DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES;

typedef struct DXGI_DDI_ARG_BLT_FLAGS {
  union {
    struct {
      UINT Resolve : 1;
      UINT Convert : 1;
      UINT Stretch : 1;
      UINT Present : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGI_DDI_ARG_BLT_FLAGS;

typedef struct DXGI_DDI_ARG_BLT {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubresource;
  UINT DstLeft;
  UINT DstTop;
  UINT DstRight;
  UINT DstBottom;
  DXGI_DDI_HRESOURCE hSrcResource;
  UINT SrcSubresource;
  DXGI_DDI_ARG_BLT_FLAGS Flags;
  DXGI_DDI_MODE_ROTATION Rotate;
} DXGI_DDI_ARG_BLT;

typedef struct DXGI_DDI_ARG_BLT1 {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubresource;
  UINT DstLeft;
  UINT DstTop;
  UINT DstRight;
  UINT DstBottom;
  DXGI_DDI_HRESOURCE hSrcResource;
  UINT SrcSubresource;
  UINT SrcLeft;
  UINT SrcTop;
  UINT SrcRight;
  UINT SrcBottom;
  DXGI_DDI_ARG_BLT_FLAGS Flags;
  DXGI_DDI_MODE_ROTATION Rotate;
} DXGI_DDI_ARG_BLT1;

typedef struct DXGI_DDI_ARG_RESOLVESHAREDRESOURCE {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
} DXGI_DDI_ARG_RESOLVESHAREDRESOURCE;

typedef struct DXGI_DDI_ARG_SETDISPLAYMODE {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
  UINT SubResourceIndex;
} DXGI_DDI_ARG_SETDISPLAYMODE;

typedef struct DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_GAMMA_CONTROL_CAPABILITIES* pGammaCapabilities;
} DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS;

typedef struct DXGI_DDI_ARG_SETRESOURCEPRIORITY {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
  UINT Priority;
} DXGI_DDI_ARG_SETRESOURCEPRIORITY;

typedef enum DXGI_DDI_RESIDENCY {
  DXGI_DDI_RESIDENCY_FULLY_RESIDENT = 1,
  DXGI_DDI_RESIDENCY_RESIDENT_IN_SHARED_MEMORY = 2,
  DXGI_DDI_RESIDENCY_EVICTED_TO_DISK = 3,
} DXGI_DDI_RESIDENCY;

typedef struct DXGI_DDI_ARG_QUERYRESOURCERESIDENCY {
  DXGI_DDI_HDEVICE hDevice;
  const DXGI_DDI_HRESOURCE* pResources;
  DXGI_DDI_RESIDENCY* pStatus;
  SIZE_T Resources;
} DXGI_DDI_ARG_QUERYRESOURCERESIDENCY;

typedef struct _DXGI_DDI_ARG_OFFERRESOURCES {
  DXGI_DDI_HDEVICE hDevice;
  const DXGI_DDI_HRESOURCE* pResources;
  UINT Resources;
  D3DDDI_OFFER_PRIORITY Priority;
} DXGI_DDI_ARG_OFFERRESOURCES;

typedef struct _DXGI_DDI_ARG_RECLAIMRESOURCES {
  DXGI_DDI_HDEVICE hDevice;
  const DXGI_DDI_HRESOURCE* pResources;
  BOOL* pDiscarded;
  UINT Resources;
} DXGI_DDI_ARG_RECLAIMRESOURCES;

typedef struct DXGIDDICB_PRESENT {
  D3DKMT_HANDLE hSrcAllocation;
  D3DKMT_HANDLE hDstAllocation;
  void* pDXGIContext;
  HANDLE hContext;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  D3DKMT_HANDLE* BroadcastSrcAllocation;
  D3DKMT_HANDLE* BroadcastDstAllocation;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
  BOOLEAN bOptimizeForComposition;
  BOOL SyncIntervalOverrideValid;
  DXGI_DDI_FLIP_INTERVAL_TYPE SyncIntervalOverride;
} DXGIDDICB_PRESENT;

typedef struct DXGIDDICB_SUBMITPRESENTBLTTOHWQUEUE {
  D3DKMT_HANDLE hSrcAllocation;
  D3DKMT_HANDLE hDstAllocation;
  void* pDXGIContext;
  HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
} DXGIDDICB_SUBMITPRESENTBLTTOHWQUEUE;

typedef struct DXGIDDICB_SUBMITPRESENTTOHWQUEUE {
  void* pDXGIContext;
  D3DKMT_HANDLE* BroadcastSrcAllocations;
  D3DKMT_HANDLE* BroadcastDstAllocations;
  HANDLE* hHwQueues;
  UINT BroadcastHwQueueCount;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
  BOOLEAN bOptimizeForComposition;
  BOOL SyncIntervalOverrideValid;
  DXGI_DDI_FLIP_INTERVAL_TYPE SyncIntervalOverride;
} DXGIDDICB_SUBMITPRESENTTOHWQUEUE;
