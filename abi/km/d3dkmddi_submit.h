// Work on its way to the GPU: rendering into DMA buffers, patching, submission, preemption and cancelling.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_allocation.h"
#include "d3dkmddi_types.h"

typedef struct _DXGKARG_RENDER {
  const VOID* pCommand;
  UINT CommandLength;
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListIn;
  UINT PatchLocationListInSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;
typedef DXGKARG_RENDER* INOUT_PDXGKARG_RENDER;

typedef struct _DXGKARG_RENDERGDI {
  const VOID* pCommand;
  UINT CommandLength;
  VOID* pDmaBuffer;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  UINT MultipassOffset;
} DXGKARG_RENDERGDI;
typedef DXGKARG_RENDERGDI* INOUT_PDXGKARG_RENDERGDI;

typedef struct _DXGK_PATCHFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGK_PATCHFLAGS;

typedef struct _DXGKARG_PATCH {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  UINT SubmissionFenceId;
  DXGK_PATCHFLAGS Flags;
  UINT EngineOrdinal;
} DXGKARG_PATCH;
typedef const DXGKARG_PATCH* IN_CONST_PDXGKARG_PATCH;

typedef struct _DXGK_SUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT ContextSwitch : 1;
      UINT Resubmission : 1;
      UINT VirtualMachineData : 1;
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_SUBMITCOMMANDFLAGS;

typedef struct _DXGKARG_SUBMITCOMMAND {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMAND;
typedef const DXGKARG_SUBMITCOMMAND* IN_CONST_PDXGKARG_SUBMITCOMMAND;

typedef struct _DXGKARG_SUBMITCOMMANDVIRTUAL {
  HANDLE hContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferUmdPrivateDataSize;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;
typedef const DXGKARG_SUBMITCOMMANDVIRTUAL* IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL;

typedef struct _DXGKARG_SUBMITCOMMANDTOHWQUEUE {
  HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;
  UINT DmaBufferPrivateDataSize;
  VOID* pDmaBufferPrivateData;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS HwQueueProgressFenceGpuVa;
  PVOID HwQueueProgressFenceCpuVa;
} DXGKARG_SUBMITCOMMANDTOHWQUEUE;
typedef const DXGKARG_SUBMITCOMMANDTOHWQUEUE* IN_CONST_PDXGKARG_SUBMITCOMMANDTOHWQUEUE;

typedef struct _DXGK_VALIDATESUBMITCOMMANDFLAGS {
  UINT HardwareQueueSubmission : 1;
  UINT Reserved : 31;
} DXGK_VALIDATESUBMITCOMMANDFLAGS;

typedef struct _DXGKARG_VALIDATESUBMITCOMMAND {
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;
  DXGK_VALIDATESUBMITCOMMANDFLAGS Flags;
  UINT ContextCount;
  HANDLE Context[D3DDDI_MAX_BROADCAST_CONTEXT];
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT UmdPrivateDataSize;
  UINT64 HwQueueProgressFenceId;
} DXGKARG_VALIDATESUBMITCOMMAND;
typedef DXGKARG_VALIDATESUBMITCOMMAND* INOUT_PDXGKARG_VALIDATESUBMITCOMMAND;

typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGK_PREEMPTCOMMANDFLAGS;

typedef struct _DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;
typedef const DXGKARG_PREEMPTCOMMAND* IN_CONST_PDXGKARG_PREEMPTCOMMAND;

typedef struct _DXGKARG_CANCELCOMMAND {
  HANDLE hContext;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferUmdPrivateDataSize;
} DXGKARG_CANCELCOMMAND;
typedef const DXGKARG_CANCELCOMMAND* IN_CONST_PDXGKARG_CANCELCOMMAND;

typedef struct _DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;
typedef DXGKARG_QUERYCURRENTFENCE* INOUT_PDXGKARG_QUERYCURRENTFENCE;

typedef enum _DXGK_KERNEL_SUBMISSION_TYPE {
  DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER,
  DXGK_KERNEL_SUBMISSION_RENDERGDI,
  DXGK_KERNEL_SUBMISSION_PRESENTBLT
} DXGK_KERNEL_SUBMISSION_TYPE;

typedef struct _DXGKARG_SIGNALMONITOREDFENCE {
  DXGK_KERNEL_SUBMISSION_TYPE KernelSubmissionType;
  VOID* pDmaBuffer;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT MultipassOffset;
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
  PVOID MonitoredFenceCpuVa;
  HANDLE hHwQueue;
} DXGKARG_SIGNALMONITOREDFENCE;
typedef DXGKARG_SIGNALMONITOREDFENCE* INOUT_PDXGKARG_SIGNALMONITOREDFENCE;

typedef NTSTATUS APIENTRY DXGKDDI_RENDER(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER pRender);
typedef DXGKDDI_RENDER* PDXGKDDI_RENDER;
typedef NTSTATUS APIENTRY DXGKDDI_RENDERKM(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER pRenderKmArgs);
typedef DXGKDDI_RENDERKM* PDXGKDDI_RENDERKM;
typedef NTSTATUS APIENTRY DXGKDDI_RENDERGDI(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDERGDI pRenderGdi);
typedef DXGKDDI_RENDERGDI* PDXGKDDI_RENDERGDI;
typedef NTSTATUS APIENTRY DXGKDDI_PATCH(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PATCH pPatch);
typedef DXGKDDI_PATCH* PDXGKDDI_PATCH;
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMAND(IN_CONST_HANDLE hAdapter,
                                                IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMAND* PDXGKDDI_SUBMITCOMMAND;
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMANDVIRTUAL(IN_CONST_HANDLE hAdapter,
                                                       IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMANDVIRTUAL* PDXGKDDI_SUBMITCOMMANDVIRTUAL;
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMANDTOHWQUEUE(
    IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDTOHWQUEUE pSubmitCommandToHwQueue);
typedef DXGKDDI_SUBMITCOMMANDTOHWQUEUE* PDXGKDDI_SUBMITCOMMANDTOHWQUEUE;
typedef NTSTATUS APIENTRY DXGKDDI_VALIDATESUBMITCOMMAND(IN_CONST_HANDLE hContext,
                                                        INOUT_PDXGKARG_VALIDATESUBMITCOMMAND pArgs);
typedef DXGKDDI_VALIDATESUBMITCOMMAND* PDXGKDDI_VALIDATESUBMITCOMMAND;
typedef NTSTATUS APIENTRY DXGKDDI_PREEMPTCOMMAND(IN_CONST_HANDLE hAdapter,
                                                 IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand);
typedef DXGKDDI_PREEMPTCOMMAND* PDXGKDDI_PREEMPTCOMMAND;
typedef NTSTATUS APIENTRY DXGKDDI_CANCELCOMMAND(IN_CONST_HANDLE hAdapter,
                                                IN_CONST_PDXGKARG_CANCELCOMMAND pCancelCommand);
typedef DXGKDDI_CANCELCOMMAND* PDXGKDDI_CANCELCOMMAND;
typedef NTSTATUS APIENTRY DXGKDDI_QUERYCURRENTFENCE(IN_CONST_HANDLE hAdapter,
                                                    INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence);
typedef DXGKDDI_QUERYCURRENTFENCE* PDXGKDDI_QUERYCURRENTFENCE;
typedef NTSTATUS APIENTRY DXGKDDI_SIGNALMONITOREDFENCE(IN_CONST_HANDLE hContext,
                                                       INOUT_PDXGKARG_SIGNALMONITOREDFENCE pSignalMonitoredFence);
typedef DXGKDDI_SIGNALMONITOREDFENCE* PDXGKDDI_SIGNALMONITOREDFENCE;
