// Presenting to a source: blits, display-only presents, flips, scan line, palette, and the caps that say what works.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "d3dkmddi_flipqueue.h"
#include "d3dkmddi_gamma.h"
#include "d3dkmddi_multiplane.h"
#include "d3dkmddi_overlay.h"
#include "d3dkmddi_pointer.h"
#include "d3dkmddi_protection.h"

typedef struct _DXGK_ALLOCATIONLIST DXGK_ALLOCATIONLIST;

// Reserved for the system; drivers are told to ignore it.
typedef struct _DXGK_PRESENTALLOCATIONINFO {
  HANDLE hDeviceSpecificAllocation;
  D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
  PHYSICAL_ADDRESS PhysicalAddress;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGK_PRESENTALLOCATIONINFO;

typedef struct _DXGK_FLIPCAPS {
  union {
    struct {
      UINT FlipOnVSyncWithNoWait : 1;
      UINT FlipOnVSyncMmIo : 1;
      UINT FlipInterval : 1;
      UINT FlipImmediateMmIo : 1;
      UINT FlipIndependent : 1;
      UINT DdiPresentForIFlip : 1;
      UINT FlipImmediateOnHSync : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} DXGK_FLIPCAPS;

// The page counts every field as one bit, yet an AlignmentShift of 4 needs more: the widths are those of the
// declaration it used to carry.
typedef struct _DXGK_PRESENTATIONCAPS {
  union {
    struct {
      UINT NoScreenToScreenBlt : 1;
      UINT NoOverlapScreenBlt : 1;
      UINT SupportKernelModeCommandBuffer : 1;
      UINT NoSameBitmapAlphaBlend : 1;
      UINT NoSameBitmapStretchBlt : 1;
      UINT NoSameBitmapTransparentBlt : 1;
      UINT NoSameBitmapOverlappedAlphaBlend : 1;
      UINT NoSameBitmapOverlappedStretchBlt : 1;
      UINT DriverSupportsCddDwmInterop : 1;
      UINT Reserved0 : 1;
      UINT AlignmentShift : 4;
      UINT MaxTextureWidthShift : 3;
      UINT MaxTextureHeightShift : 3;
      UINT SupportAllBltRops : 1;
      UINT SupportMirrorStretchBlt : 1;
      UINT SupportMonoStretchBltModes : 1;
      UINT StagingRectStartPitchAligned : 1;
      UINT NoSameBitmapBitBlt : 1;
      UINT NoSameBitmapOverlappedBitBlt : 1;
      UINT Reserved1 : 1;
      UINT NoTempSurfaceForClearTypeBlend : 1;
      UINT SupportSoftwareDeviceBitmaps : 1;
      UINT NoCacheCoherentApertureMemory : 1;
      UINT SupportLinearHeap : 1;
      UINT Reserved : 1;
    };
    UINT Value;
  };
} DXGK_PRESENTATIONCAPS;

// Where DXGKARG_PRESENT's allocation list holds its two ends; element 0 is always empty.
#define DXGK_PRESENT_SOURCE_INDEX 1
#define DXGK_PRESENT_DESTINATION_INDEX 2

typedef struct _DXGK_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;
      UINT ColorFill : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT SrcColorKey : 1;
      UINT DstColorKey : 1;
      UINT LinearToSrgb : 1;
      UINT Rotate : 1;
      UINT FlipStereo : 1;
      UINT FlipStereoTemporaryMono : 1;
      UINT FlipStereoPreferRight : 1;
      UINT BltStereoUseRight : 1;
      UINT FlipWithMultiPlaneOverlay : 1;
      UINT RedirectedFlip : 1;
      UINT Reserved : 18;
    };
    UINT Value;
  };
} DXGK_PRESENTFLAGS;

typedef struct _DXGKARG_PRESENT {
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  union {
    DXGK_ALLOCATIONLIST* pAllocationList;
    DXGK_PRESENTALLOCATIONINFO* pAllocationInfo;
    DXGK_PRESENTMULTIPLANEOVERLAYINFO* pPresentMultiPlaneOverlayInfo;
  };
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT Color;
  RECT DstRect;
  RECT SrcRect;
  UINT SubRectCnt;
  const RECT* pDstSubRects;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_PRESENTFLAGS Flags;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT Reserved;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT NumSrcAllocations;
  UINT NumDstAllocations;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
} DXGKARG_PRESENT, *INOUT_PDXGKARG_PRESENT;

typedef NTSTATUS APIENTRY DXGKDDI_PRESENT(const HANDLE hContext, INOUT_PDXGKARG_PRESENT pPresent);
typedef DXGKDDI_PRESENT* PDXGKDDI_PRESENT;

typedef NTSTATUS APIENTRY DXGKDDI_PRESENTTOHWQUEUE(const HANDLE hHwQueue, INOUT_PDXGKARG_PRESENT pPresent);
typedef DXGKDDI_PRESENTTOHWQUEUE* PDXGKDDI_PRESENTTOHWQUEUE;

typedef NTSTATUS APIENTRY DXGKDDI_NOTIFYFOCUSPRESENT(const HANDLE hAdapter);
typedef DXGKDDI_NOTIFYFOCUSPRESENT* PDXGKDDI_NOTIFYFOCUSPRESENT;

typedef enum _DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID {
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE = 0,
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED = 1
} DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID;

typedef struct _DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID ProgressId;
} DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;

// Always null: the documentation reserves the pointer and gives no signature, so this one is ours.
typedef VOID(APIENTRY* DXGKCB_PRESENT_DISPLAYONLY_PROGRESS)(const HANDLE hAdapter,
                                                            const DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS* pProgress);

typedef struct _D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS {
  union {
    struct {
      UINT Rotate : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS;

typedef struct _DXGKARG_PRESENT_DISPLAYONLY {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  VOID* pSource;
  ULONG BytesPerPixel;
  LONG Pitch;
  D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS Flags;
  ULONG NumMoves;
  D3DKMT_MOVE_RECT* pMoves;
  ULONG NumDirtyRects;
  RECT* pDirtyRect;
  DXGKCB_PRESENT_DISPLAYONLY_PROGRESS pfnPresentDisplayOnlyProgress;
} DXGKARG_PRESENT_DISPLAYONLY;
typedef const DXGKARG_PRESENT_DISPLAYONLY* IN_CONST_PDXGKARG_PRESENT_DISPLAYONLY;

typedef NTSTATUS APIENTRY DXGKDDI_PRESENTDISPLAYONLY(const HANDLE hAdapter,
                                                     IN_CONST_PDXGKARG_PRESENT_DISPLAYONLY pPresentDisplayOnly);
typedef DXGKDDI_PRESENTDISPLAYONLY* PDXGKDDI_PRESENTDISPLAYONLY;

typedef struct _DXGKARG_SETVIDPNSOURCEADDRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PrimarySegment;
  PHYSICAL_ADDRESS PrimaryAddress;
  HANDLE hAllocation;
  UINT ContextCount;
  HANDLE Context[1 + D3DDDI_MAX_BROADCAST_CONTEXT];
  DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
  UINT Duration;
  DXGK_PRIMARYDATA PrimaryData[D3DDDI_MAX_BROADCAST_CONTEXT];
  UINT DriverPrivateDataSize;
  PVOID pDriverPrivateData;
} DXGKARG_SETVIDPNSOURCEADDRESS;
typedef const DXGKARG_SETVIDPNSOURCEADDRESS* IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESS;

typedef NTSTATUS APIENTRY DXGKDDI_SETVIDPNSOURCEADDRESS(const HANDLE hAdapter,
                                                        IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESS pSetVidPnSourceAddress);
typedef DXGKDDI_SETVIDPNSOURCEADDRESS* PDXGKDDI_SETVIDPNSOURCEADDRESS;

typedef struct _DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  HANDLE PrimaryAllocation;
  UINT PrivateDriverFormatAttribute;
} DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT;
typedef const DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT* IN_CONST_PDXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT;

typedef NTSTATUS APIENTRY DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT(
    const HANDLE hAdapter, IN_CONST_PDXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT pSetDisplayPrivateDriverFormat);
typedef DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT* PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT;

typedef const DXGKARG_SETPALETTE* IN_CONST_PDXGKARG_SETPALETTE;

typedef NTSTATUS APIENTRY DXGKDDI_SETPALETTE(const HANDLE hAdapter, IN_CONST_PDXGKARG_SETPALETTE pSetPalette);
typedef DXGKDDI_SETPALETTE* PDXGKDDI_SETPALETTE;

typedef struct _DXGKARG_GETSCANLINE {
  D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
  BOOLEAN InVerticalBlank;
  UINT ScanLine;
} DXGKARG_GETSCANLINE, *INOUT_PDXGKARG_GETSCANLINE;

typedef NTSTATUS APIENTRY DXGKDDI_GETSCANLINE(const HANDLE hAdapter, INOUT_PDXGKARG_GETSCANLINE pGetScanLine);
typedef DXGKDDI_GETSCANLINE* PDXGKDDI_GETSCANLINE;

typedef struct _DXGKARG_CREATEPERIODICFRAMENOTIFICATION {
  HANDLE hAdapter;
  D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
  UINT64 Time;
  UINT NotificationID;
  HANDLE hNotification;
} DXGKARG_CREATEPERIODICFRAMENOTIFICATION, *PDXGKARG_CREATEPERIODICFRAMENOTIFICATION,
    *INOUT_PDXGKARG_CREATEPERIODICFRAMENOTIFICATION;

typedef NTSTATUS APIENTRY DXGKDDI_CREATEPERIODICFRAMENOTIFICATION(
    INOUT_PDXGKARG_CREATEPERIODICFRAMENOTIFICATION pCreatePeriodicFrameNotification);
typedef DXGKDDI_CREATEPERIODICFRAMENOTIFICATION* PDXGKDDI_CREATEPERIODICFRAMENOTIFICATION;

typedef struct _DXGKARG_DESTROYPERIODICFRAMENOTIFICATION {
  HANDLE hNotification;
  HANDLE hAdapter;
} DXGKARG_DESTROYPERIODICFRAMENOTIFICATION, *PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION;
typedef const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION* IN_CONST_PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION;

typedef NTSTATUS APIENTRY DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION(
    IN_CONST_PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION pDestroyPeriodicFrameNotification);
typedef DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION* PDXGKDDI_DESTROYPERIODICFRAMENOTIFICATION;
