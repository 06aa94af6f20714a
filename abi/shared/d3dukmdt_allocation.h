// Allocations and resources as clients and drivers describe them, and the flags of using them.
#pragma once
#pragma GCC system_header

#include "d3dukmdt_base.h"
#include "d3dukmdt_format.h"

#define D3DDDI_ALLOCATIONPRIORITY_MINIMUM 0x28000000
#define D3DDDI_ALLOCATIONPRIORITY_LOW 0x50000000
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL 0x78000000
#define D3DDDI_ALLOCATIONPRIORITY_HIGH 0xa0000000u
#define D3DDDI_ALLOCATIONPRIORITY_MAXIMUM 0xc8000000u

typedef struct _D3DDDI_ALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pSystemMem;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  union {
    struct {
      UINT Primary : 1;
      UINT Stereo : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  } Flags;
} D3DDDI_ALLOCATIONINFO;

typedef struct _D3DDDI_ALLOCATIONINFO2 {
  D3DKMT_HANDLE hAllocation;
  union {
    HANDLE hSection;
    CONST VOID* pSystemMem;
  };
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  union {
    struct {
      UINT Primary : 1;
      UINT Stereo : 1;
      UINT OverridePriority : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  } Flags;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
  union {
    UINT Priority;
    SIZE_T Unused;
  };
  SIZE_T Reserved[5];
} D3DDDI_ALLOCATIONINFO2;

typedef struct _D3DDDI_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

typedef struct _D3DDDI_OPENALLOCATIONINFO2 {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
  SIZE_T Reserved[6];
} D3DDDI_OPENALLOCATIONINFO2;

typedef struct _D3DDDI_ALLOCATIONLIST {
  D3DKMT_HANDLE hAllocation;
  union {
    struct {
      UINT WriteOperation : 1;
      UINT DoNotRetireInstance : 1;
      UINT OfferPriority : 3;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} D3DDDI_ALLOCATIONLIST;

typedef struct _D3DDDI_PATCHLOCATIONLIST {
  UINT AllocationIndex;
  union {
    struct {
      UINT SlotId : 24;
      UINT Reserved : 8;
    };
    UINT Value;
  };
  UINT DriverId;
  UINT AllocationOffset;
  UINT PatchOffset;
  UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

typedef struct _D3DDDI_SEGMENTPREFERENCE {
  union {
    struct {
      UINT SegmentId0 : 5;
      UINT Direction0 : 1;
      UINT SegmentId1 : 5;
      UINT Direction1 : 1;
      UINT SegmentId2 : 5;
      UINT Direction2 : 1;
      UINT SegmentId3 : 5;
      UINT Direction3 : 1;
      UINT SegmentId4 : 5;
      UINT Direction4 : 1;
      UINT Reserved : 2;
    };
    UINT Value;
  };
} D3DDDI_SEGMENTPREFERENCE;

typedef struct _D3DDDICB_LOCKFLAGS {
  union {
    struct {
      UINT ReadOnly : 1;
      UINT WriteOnly : 1;
      UINT DonotWait : 1;
      UINT IgnoreSync : 1;
      UINT LockEntire : 1;
      UINT DonotEvict : 1;
      UINT AcquireAperture : 1;
      UINT Discard : 1;
      UINT NoExistingReference : 1;
      UINT UseAlternateVA : 1;
      UINT IgnoreReadSync : 1;
      UINT Reserved : 21;
    };
    UINT Value;
  };
} D3DDDICB_LOCKFLAGS;

typedef struct _D3DDDICB_LOCK2FLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} D3DDDICB_LOCK2FLAGS;

typedef struct _D3DDDICB_DESTROYALLOCATION2FLAGS {
  union {
    struct {
      UINT AssumeNotInUse : 1;
      UINT SynchronousDestroy : 1;
      UINT Reserved : 29;
      UINT SystemUseOnly : 1;
    };
    UINT Value;
  };
} D3DDDICB_DESTROYALLOCATION2FLAGS;

typedef enum _D3DDDI_OFFER_PRIORITY {
  D3DDDI_OFFER_PRIORITY_NONE = 0,
  D3DDDI_OFFER_PRIORITY_LOW = 1,
  D3DDDI_OFFER_PRIORITY_NORMAL = 2,
  D3DDDI_OFFER_PRIORITY_HIGH = 3,
  D3DDDI_OFFER_PRIORITY_AUTO = 4,
} D3DDDI_OFFER_PRIORITY;

typedef struct D3DDDI_OFFER_FLAGS {
  union {
    struct {
      UINT AllowDecommit : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_OFFER_FLAGS;

typedef enum _D3DDDI_RECLAIM_RESULT {
  D3DDDI_RECLAIM_RESULT_OK = 0,
  D3DDDI_RECLAIM_RESULT_DISCARDED = 1,
  D3DDDI_RECLAIM_RESULT_NOT_COMMITTED = 2,
} D3DDDI_RECLAIM_RESULT;

typedef struct _D3DDDI_SURFACEINFO {
  UINT Width;
  UINT Height;
  UINT Depth;
  CONST VOID* pSysMem;
  UINT SysMemPitch;
  UINT SysMemSlicePitch;
} D3DDDI_SURFACEINFO;

typedef struct _D3DDDI_RESOURCEFLAGS {
  union {
    struct {
      UINT RenderTarget : 1;
      UINT ZBuffer : 1;
      UINT Dynamic : 1;
      UINT HintStatic : 1;
      UINT AutogenMipmap : 1;
      UINT DMap : 1;
      UINT WriteOnly : 1;
      UINT NotLockable : 1;
      UINT Points : 1;
      UINT RtPatches : 1;
      UINT NPatches : 1;
      UINT SharedResource : 1;
      UINT DiscardRenderTarget : 1;
      UINT Video : 1;
      UINT CaptureBuffer : 1;
      UINT Primary : 1;
      UINT Texture : 1;
      UINT CubeMap : 1;
      UINT Volume : 1;
      UINT VertexBuffer : 1;
      UINT IndexBuffer : 1;
      UINT DecodeRenderTarget : 1;
      UINT DecodeCompressedBuffer : 1;
      UINT VideoProcessRenderTarget : 1;
      UINT CpuOptimized : 1;
      UINT MightDrawFromLocked : 1;
      UINT Overlay : 1;
      UINT MatchGdiPrimary : 1;
      UINT InterlacedRefresh : 1;
      UINT TextApi : 1;
      UINT RestrictedContent : 1;
      UINT RestrictSharedAccess : 1;
    };
    UINT Value;
  };
} D3DDDI_RESOURCEFLAGS;

typedef struct _D3DDDI_RESOURCEFLAGS2 {
  union {
    struct {
      UINT VideoEncoder : 1;
      UINT UserMemory : 1;
      UINT CrossAdapter : 1;
      UINT IsDisplayable : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DDDI_RESOURCEFLAGS2;

typedef struct _D3DDDIARG_CREATERESOURCE {
  D3DDDIFORMAT Format;
  D3DDDI_POOL Pool;
  D3DDDIMULTISAMPLE_TYPE MultisampleType;
  UINT MultisampleQuality;
  CONST D3DDDI_SURFACEINFO* pSurfList;
  UINT SurfCount;
  UINT MipLevels;
  UINT Fvf;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_RATIONAL RefreshRate;
  HANDLE hResource;
  D3DDDI_RESOURCEFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} D3DDDIARG_CREATERESOURCE;

typedef struct _D3DDDIARG_CREATERESOURCE2 {
  D3DDDIFORMAT Format;
  D3DDDI_POOL Pool;
  D3DDDIMULTISAMPLE_TYPE MultisampleType;
  UINT MultisampleQuality;
  CONST D3DDDI_SURFACEINFO* pSurfList;
  UINT SurfCount;
  UINT MipLevels;
  UINT Fvf;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_RATIONAL RefreshRate;
  HANDLE hResource;
  D3DDDI_RESOURCEFLAGS Flags;
  D3DDDI_ROTATION Rotation;
  D3DDDI_RESOURCEFLAGS2 Flags2;
} D3DDDIARG_CREATERESOURCE2;

typedef struct _D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA {
  D3DKMT_HANDLE hResource;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
} D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA;
