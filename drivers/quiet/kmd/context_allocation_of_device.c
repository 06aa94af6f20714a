// Keeps one context allocation for all contexts of a device (SharedAcrossContexts): made with the first context, given
// back with the device.
#include "on_softgpu_callbacks.h"

#define MOST 64

typedef struct {
  HANDLE Driver;      // what Good calls the device; NULL: free
  HANDLE Kernel;      // what the graphics kernel calls it
  HANDLE Allocation;  // NULL: not yet
} DEVICE;

static DEVICE Devices[MOST];
static KSPIN_LOCK Lock;

static DEVICE* Find(HANDLE Driver) {
  DEVICE* Found = NULL;
  KIRQL Irql;
  KeAcquireSpinLock(&Lock, &Irql);
  for (int i = 0; i < MOST && Found == NULL; ++i) {
    if (Devices[i].Driver == Driver) Found = &Devices[i];
  }
  KeReleaseSpinLock(&Lock, Irql);
  return Found;
}

static NTSTATUS CreateKnown(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  HANDLE Kernel = Args->hDevice;
  BOOLEAN OfSystem = Args->Flags.SystemDevice;
  NTSTATUS Status = Good.DxgkDdiCreateDevice(Adapter, Args);
  KIRQL Irql;
  if (!NT_SUCCESS(Status) || OfSystem) return Status;
  KeAcquireSpinLock(&Lock, &Irql);
  for (int i = 0; i < MOST; ++i) {
    if (Devices[i].Driver != NULL) continue;
    Devices[i].Driver = Args->hDevice;
    Devices[i].Kernel = Kernel;
    break;
  }
  KeReleaseSpinLock(&Lock, Irql);
  return Status;
}

// DxgkDdiCreateContext of one device comes one at a time.
static NTSTATUS CreateWithShared(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  DEVICE* Known = Find(Device);
  if (Known != NULL && Known->Allocation == NULL) {
    DXGKARGCB_CREATECONTEXTALLOCATION Memory = {0};
    Memory.ContextAllocationFlags.SharedAcrossContexts = 1;
    Memory.hAdapter = Dxgk.DeviceHandle;
    Memory.hDevice = Known->Kernel;
    Memory.Size = Memory.Alignment = PAGE_SIZE;
    Memory.SupportedSegmentSet = 1u << (SOFTGPU_SEGMENT_APERTURE - 1);
    Memory.PreferredSegment.SegmentId0 = SOFTGPU_SEGMENT_APERTURE;
    if (!NT_SUCCESS(Dxgk.DxgkCbCreateContextAllocation(&Memory))) return STATUS_NO_MEMORY;
    Known->Allocation = Memory.hAllocation;
  }
  return Good.DxgkDdiCreateContext(Device, Args);
}

static NTSTATUS DestroyWithShared(IN_CONST_HANDLE Device) {
  DEVICE* Known = Find(Device);
  KIRQL Irql;
  if (Known != NULL) {
    if (Known->Allocation != NULL) Dxgk.DxgkCbDestroyContextAllocation(Dxgk.DeviceHandle, Known->Allocation);
    Known->Allocation = NULL;
    KeAcquireSpinLock(&Lock, &Irql);
    Known->Driver = NULL;
    KeReleaseSpinLock(&Lock, Irql);
  }
  return Good.DxgkDdiDestroyDevice(Device);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { UNREFERENCED_PARAMETER(Kernel); }

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiCreateDevice = CreateKnown;
  Table->DxgkDdiCreateContext = CreateWithShared;
  Table->DxgkDdiDestroyDevice = DestroyWithShared;
}
