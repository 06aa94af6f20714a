// Command submission.
#pragma once
#pragma GCC system_header

#include "d3dukmdt.h"

typedef struct _D3DKMT_HISTORY_BUFFER_STATUS {
  BOOLEAN Enabled;
  UINT Reserved;
} D3DKMT_HISTORY_BUFFER_STATUS;

typedef struct _D3DKMT_RENDERFLAGS {
  UINT ResizeCommandBuffer : 1;
  UINT ResizeAllocationList : 1;
  UINT ResizePatchLocationList : 1;
  UINT NullRendering : 1;
  UINT PresentRedirected : 1;
  UINT RenderKm : 1;
  UINT RenderKmReadback : 1;
  UINT Reserved : 25;
} D3DKMT_RENDERFLAGS;

typedef struct _D3DKMT_RENDER {
  union {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hContext;
  };
  UINT CommandOffset;
  UINT CommandLength;
  UINT AllocationCount;
  UINT PatchLocationCount;
  void* pNewCommandBuffer;
  UINT NewCommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pNewAllocationList;
  UINT NewAllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pNewPatchLocationList;
  UINT NewPatchLocationListSize;
  D3DKMT_RENDERFLAGS Flags;
  UINT64 PresentHistoryToken;
  UINT BroadcastContextCount;
  D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  UINT QueuedBufferCount;
  D3DGPU_VIRTUAL_ADDRESS NewCommandBuffer;
  void* pPrivateDriverData;
  UINT PrivateDriverDataSize;
} D3DKMT_RENDER;

typedef struct _D3DKMT_SUBMITCOMMANDFLAGS {
  UINT NullRendering : 1;
  UINT PresentRedirected : 1;
  UINT NoKmdAccess : 1;
  UINT Reserved : 29;
} D3DKMT_SUBMITCOMMANDFLAGS;

typedef struct _D3DKMT_SUBMITCOMMAND {
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;
  D3DKMT_SUBMITCOMMANDFLAGS Flags;
  UINT64 PresentHistoryToken;
  UINT BroadcastContextCount;
  D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  void* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumPrimaries;
  D3DKMT_HANDLE WrittenPrimaries[D3DDDI_MAX_WRITTEN_PRIMARIES];
  UINT NumHistoryBuffers;
  D3DKMT_HANDLE* HistoryBufferArray;
} D3DKMT_SUBMITCOMMAND;

typedef struct _D3DKMT_SUBMITCOMMANDTOHWQUEUE {
  D3DKMT_HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
  UINT CommandLength;
  UINT PrivateDriverDataSize;
  void* pPrivateDriverData;
  UINT NumPrimaries;
  const D3DKMT_HANDLE* WrittenPrimaries;
} D3DKMT_SUBMITCOMMANDTOHWQUEUE;

EXTERN_C NTSTATUS APIENTRY D3DKMTRender(D3DKMT_RENDER*);
EXTERN_C NTSTATUS APIENTRY D3DKMTSubmitCommand(const D3DKMT_SUBMITCOMMAND*);
EXTERN_C NTSTATUS APIENTRY D3DKMTSubmitCommandToHwQueue(const D3DKMT_SUBMITCOMMANDTOHWQUEUE*);

typedef NTSTATUS(APIENTRY* PFND3DKMT_RENDER)(D3DKMT_RENDER*);
typedef NTSTATUS(APIENTRY* PFND3DKMT_SUBMITCOMMAND)(const D3DKMT_SUBMITCOMMAND*);
typedef NTSTATUS(APIENTRY* PFND3DKMT_SUBMITCOMMANDTOHWQUEUE)(const D3DKMT_SUBMITCOMMANDTOHWQUEUE*);
