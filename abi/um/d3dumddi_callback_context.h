// The runtime's services for contexts: creating them, submitting work, synchronising it.
#pragma once
#pragma GCC system_header

#include "../shared/d3dukmdt.h"

typedef struct _D3DDDICB_CREATECONTEXT {
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  VOID* pCommandBuffer;
  UINT CommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
} D3DDDICB_CREATECONTEXT;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATECONTEXTCB)(HANDLE hDevice, D3DDDICB_CREATECONTEXT* pData);

typedef struct _D3DDDICB_CREATECONTEXTVIRTUAL {
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
} D3DDDICB_CREATECONTEXTVIRTUAL;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATECONTEXTVIRTUALCB)(HANDLE hDevice, D3DDDICB_CREATECONTEXTVIRTUAL* pData);

typedef struct _D3DDDICB_DESTROYCONTEXT {
  HANDLE hContext;
} D3DDDICB_DESTROYCONTEXT;

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYCONTEXTCB)(HANDLE hDevice, const D3DDDICB_DESTROYCONTEXT* pData);

typedef enum D3DDDI_MARKERLOGTYPE {
  D3DDDIMLT_NONE = 0,
  D3DDDIMLT_PROFILE = 1,
  D3DDDIMLT_FT_PROFILE = 2,
  D3DDDIMLT_BATCHED = 3,
} D3DDDI_MARKERLOGTYPE;

typedef struct _D3DDDI_BATCHEDMARKERDATA {
  HANDLE hRTCommandListHandle;
  UINT FirstAPISequenceNumberHigh;
  UINT CompletedAPISequenceNumberLowSize;
  const UINT* pCompletedAPISequenceNumberLow;
} D3DDDI_BATCHEDMARKERDATA;

typedef struct D3DDDICB_LOGUMDMARKER {
  HANDLE hContext;
  UINT64 APISequenceNumber;
  INT Index;
  INT StringIndex;
  LPCWSTR Info;
} D3DDDICB_LOGUMDMARKER;

typedef HRESULT(APIENTRY* PFND3DDDI_LOGUMDMARKERCB)(HANDLE hDevice, const D3DDDICB_LOGUMDMARKER* pLogUMDMarker);

typedef struct _D3DDDICB_RENDERFLAGS {
  union {
    struct {
      UINT ResizeCommandBuffer : 1;
      UINT ResizeAllocationList : 1;
      UINT ResizePatchLocationList : 1;
      UINT NullRendering : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DDDICB_RENDERFLAGS;

typedef struct _D3DDDICB_RENDER {
  UINT CommandLength;
  UINT CommandOffset;
  UINT NumAllocations;
  UINT NumPatchLocations;
  VOID* pNewCommandBuffer;
  UINT NewCommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pNewAllocationList;
  UINT NewAllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pNewPatchLocationList;
  UINT NewPatchLocationListSize;
  D3DDDICB_RENDERFLAGS Flags;
  HANDLE hContext;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  ULONG QueuedBufferCount;
  D3DGPU_VIRTUAL_ADDRESS NewCommandBuffer;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_MARKERLOGTYPE MarkerLogType;
  UINT RenderCBSequence;
  union {
    struct {
      UINT FirstAPISequenceNumberHigh;
      UINT CompletedAPISequenceNumberLow0Size;
      UINT CompletedAPISequenceNumberLow1Size;
      UINT BegunAPISequenceNumberLow0Size;
      UINT BegunAPISequenceNumberLow1Size;
    };
    UINT BatchedMarkerDataCount;
  };
  union {
    struct {
      const UINT* pCompletedAPISequenceNumberLow0;
      const UINT* pCompletedAPISequenceNumberLow1;
      const UINT* pBegunAPISequenceNumberLow0;
      const UINT* pBegunAPISequenceNumberLow1;
    };
    const D3DDDI_BATCHEDMARKERDATA* pBatchedMarkerData;
  };
} D3DDDICB_RENDER;

typedef HRESULT(APIENTRY* PFND3DDDI_RENDERCB)(HANDLE hDevice, D3DDDICB_RENDER* pData);

typedef struct _D3DDDICB_SUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT NullRendering : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDICB_SUBMITCOMMANDFLAGS;

typedef struct _D3DDDICB_SUBMITCOMMAND {
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;
  D3DDDICB_SUBMITCOMMANDFLAGS Flags;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumPrimaries;
  D3DKMT_HANDLE WrittenPrimaries[D3DDDI_MAX_WRITTEN_PRIMARIES];
  D3DDDI_MARKERLOGTYPE MarkerLogType;
  UINT RenderCBSequence;
  union {
    struct {
      UINT FirstAPISequenceNumberHigh;
      UINT CompletedAPISequenceNumberLow0Size;
      UINT CompletedAPISequenceNumberLow1Size;
      UINT BegunAPISequenceNumberLow0Size;
      UINT BegunAPISequenceNumberLow1Size;
    };
    UINT BatchedMarkerDataCount;
  };
  union {
    struct {
      const UINT* pCompletedAPISequenceNumberLow0;
      const UINT* pCompletedAPISequenceNumberLow1;
      const UINT* pBegunAPISequenceNumberLow0;
      const UINT* pBegunAPISequenceNumberLow1;
    };
    const D3DDDI_BATCHEDMARKERDATA* pBatchedMarkerData;
  };
  UINT Reserved;
  UINT NumHistoryBuffers;
  D3DKMT_HANDLE* HistoryBufferArray;
  HANDLE hSyncToken;
  VOID* pReserved;
} D3DDDICB_SUBMITCOMMAND;

typedef HRESULT(APIENTRY* PFND3DDDI_SUBMITCOMMANDCB)(HANDLE hDevice, const D3DDDICB_SUBMITCOMMAND* pData);

typedef struct _D3DDDICB_CREATEHWCONTEXT {
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATEHWCONTEXTFLAGS Flags;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
  HANDLE hHwContext;
} D3DDDICB_CREATEHWCONTEXT;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEHWCONTEXTCB)(HANDLE hDevice, D3DDDICB_CREATEHWCONTEXT* pData);

typedef struct _D3DDDICB_DESTROYHWCONTEXT {
  HANDLE hHwContext;
} D3DDDICB_DESTROYHWCONTEXT;

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYHWCONTEXTCB)(HANDLE hDevice, const D3DDDICB_DESTROYHWCONTEXT* pData);

typedef struct _D3DDDICB_CREATEHWQUEUE {
  HANDLE hHwContext;
  D3DDDI_CREATEHWQUEUEFLAGS Flags;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
  HANDLE hHwQueue;
  D3DKMT_HANDLE hHwQueueProgressFence;
  VOID* HwQueueProgressFenceCPUVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS HwQueueProgressFenceGPUVirtualAddress;
} D3DDDICB_CREATEHWQUEUE;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATEHWQUEUECB)(HANDLE hDevice, D3DDDICB_CREATEHWQUEUE* pData);

typedef struct _D3DDDICB_DESTROYHWQUEUE {
  HANDLE hHwQueue;
} D3DDDICB_DESTROYHWQUEUE;

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYHWQUEUECB)(HANDLE hDevice, const D3DDDICB_DESTROYHWQUEUE* pData);

typedef struct _D3DDDICB_SUBMITCOMMANDTOHWQUEUEFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} D3DDDICB_SUBMITCOMMANDTOHWQUEUEFLAGS;

typedef struct _D3DDDICB_SUBMITCOMMANDTOHWQUEUE {
  HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;
  D3DDDICB_SUBMITCOMMANDTOHWQUEUEFLAGS Flags;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
  UINT NumPrimaries;
  const D3DKMT_HANDLE* WrittenPrimaries;
} D3DDDICB_SUBMITCOMMANDTOHWQUEUE;

typedef HRESULT(APIENTRY* PFND3DDDI_SUBMITCOMMANDTOHWQUEUECB)(HANDLE hDevice,
                                                              const D3DDDICB_SUBMITCOMMANDTOHWQUEUE* pData);

typedef struct _D3DDDICB_SUBMITHISTORYSEQUENCE {
  HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  UINT NumHistoryBuffers;
  const VOID** HistoryBufferAddresses;
  const UINT* HistoryBufferSizes;
  UINT PrecisionBits;
  D3DDDI_MARKERLOGTYPE MarkerLogType;
  UINT RenderCBSequence;
  union {
    struct {
      UINT FirstAPISequenceNumberHigh;
      UINT CompletedAPISequenceNumberLow0Size;
      UINT CompletedAPISequenceNumberLow1Size;
      UINT BegunAPISequenceNumberLow0Size;
      UINT BegunAPISequenceNumberLow1Size;
    };
    UINT BatchedMarkerDataCount;
  };
  union {
    struct {
      const UINT* pCompletedAPISequenceNumberLow0;
      const UINT* pCompletedAPISequenceNumberLow1;
      const UINT* pBegunAPISequenceNumberLow0;
      const UINT* pBegunAPISequenceNumberLow1;
    };
    const D3DDDI_BATCHEDMARKERDATA* pBatchedMarkerData;
  };
  UINT TimestampArrayStride;
  D3DKMT_HANDLE HistorySequenceCompletionSyncObject;
  UINT64 HistorySequenceCompletionFenceValue;
} D3DDDICB_SUBMITHISTORYSEQUENCE;

typedef HRESULT(APIENTRY* PFND3DDDI_SUBMITHISTORYSEQUENCECB)(HANDLE hDevice, D3DDDICB_SUBMITHISTORYSEQUENCE* pData);

typedef struct _D3DDDICB_CREATESYNCHRONIZATIONOBJECT {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO Info;
  D3DKMT_HANDLE hSyncObject;
} D3DDDICB_CREATESYNCHRONIZATIONOBJECT;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATESYNCHRONIZATIONOBJECTCB)(HANDLE hDevice,
                                                                   D3DDDICB_CREATESYNCHRONIZATIONOBJECT* pData);

typedef struct _D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 Info;
  D3DKMT_HANDLE hSyncObject;
} D3DDDICB_CREATESYNCHRONIZATIONOBJECT2;

typedef HRESULT(APIENTRY* PFND3DDDI_CREATESYNCHRONIZATIONOBJECT2CB)(HANDLE hDevice,
                                                                    D3DDDICB_CREATESYNCHRONIZATIONOBJECT2* pData);

typedef struct _D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT {
  D3DKMT_HANDLE hSyncObject;
} D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT;

typedef HRESULT(APIENTRY* PFND3DDDI_DESTROYSYNCHRONIZATIONOBJECTCB)(HANDLE hDevice,
                                                                    const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT* pData);

typedef struct _D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT {
  HANDLE hContext;
  UINT ObjectCount;
  D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_WAITED_ON];
} D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT;

typedef HRESULT(APIENTRY* PFND3DDDI_WAITFORSYNCHRONIZATIONOBJECTCB)(HANDLE hDevice,
                                                                    const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT* pData);

typedef struct _D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT2 {
  HANDLE hContext;
  UINT ObjectCount;
  D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_WAITED_ON];
  UINT64 FenceValue;
} D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT2;

typedef HRESULT(APIENTRY* PFND3DDDI_WAITFORSYNCHRONIZATIONOBJECT2CB)(
    HANDLE hDevice, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT2* pData);

typedef struct D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU {
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
  HANDLE hAsyncEvent;
  D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS Flags;
} D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU;

typedef HRESULT(APIENTRY* PFND3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPUCB)(
    HANDLE hDevice, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* pData);

typedef struct D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU {
  HANDLE hContext;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  union {
    const UINT64* MonitoredFenceValueArray;
    UINT64 FenceValue;
    UINT64 Reserved[8];
  };
} D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU;

typedef HRESULT(APIENTRY* PFND3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMGPUCB)(
    HANDLE hDevice, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* pData);

typedef struct _D3DDDICB_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE {
  HANDLE hHwQueue;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
} D3DDDICB_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE;

typedef HRESULT(APIENTRY* PFND3DDDI_SUBMITWAITFORSYNCOBJECTSTOHWQUEUECB)(
    HANDLE hDevice, const D3DDDICB_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE* pData);

typedef struct _D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT {
  HANDLE hContext;
  UINT ObjectCount;
  D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_SIGNALED];
  D3DDDICB_SIGNALFLAGS Flags;
} D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT;

typedef HRESULT(APIENTRY* PFND3DDDI_SIGNALSYNCHRONIZATIONOBJECTCB)(HANDLE hDevice,
                                                                   const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT* pData);

typedef struct _D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2 {
  HANDLE hContext;
  UINT ObjectCount;
  D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_SIGNALED];
  D3DDDICB_SIGNALFLAGS Flags;
  ULONG BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  union {
    UINT64 FenceValue;
    HANDLE CpuEventHandle;
  };
} D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2;

typedef HRESULT(APIENTRY* PFND3DDDI_SIGNALSYNCHRONIZATIONOBJECT2CB)(HANDLE hDevice,
                                                                    const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2* pData);

typedef struct D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMCPU {
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
} D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMCPU;

typedef HRESULT(APIENTRY* PFND3DDDI_SIGNALSYNCHRONIZATIONOBJECTFROMCPUCB)(
    HANDLE hDevice, D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* pData);

typedef struct D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU {
  HANDLE hContext;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  union {
    const UINT64* MonitoredFenceValueArray;
    UINT64 Reserved[8];
  };
} D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU;

typedef HRESULT(APIENTRY* PFND3DDDI_SIGNALSYNCHRONIZATIONOBJECTFROMGPUCB)(
    HANDLE hDevice, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* pData);

typedef struct D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 {
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  D3DDDICB_SIGNALFLAGS Flags;
  ULONG BroadcastContextCount;
  const HANDLE* BroadcastContextArray;
  union {
    UINT64 FenceValue;
    HANDLE CpuEventHandle;
    const UINT64* MonitoredFenceValueArray;
    UINT64 Reserved[8];
  };
} D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2;

typedef HRESULT(APIENTRY* PFND3DDDI_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2CB)(
    HANDLE hDevice, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* pData);

typedef struct _D3DDDICB_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE {
  D3DDDICB_SIGNALFLAGS Flags;
  ULONG BroadcastHwQueueCount;
  const HANDLE* BroadcastHwQueueArray;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
} D3DDDICB_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE;

typedef HRESULT(APIENTRY* PFND3DDDI_SUBMITSIGNALSYNCOBJECTSTOHWQUEUECB)(
    HANDLE hDevice, const D3DDDICB_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE* pData);

typedef struct _D3DDDICB_SYNCTOKEN {
  HANDLE hSyncToken;
  UINT BroadcastContextCount;
  const HANDLE* BroadcastContextArray;
} D3DDDICB_SYNCTOKEN;

typedef HRESULT(APIENTRY* PFND3DDDI_SYNCTOKENCB)(HANDLE hDevice, const D3DDDICB_SYNCTOKEN* pData);
