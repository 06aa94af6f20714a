// Counts what is opened in the adapter, and takes the device for it, which is smaller.
// FIXED asks the device for its adapter.
#include "skeleton.h"

typedef struct {
  UINT64 State[4];
  UINT64 Opened;
} ADAPTER;

typedef struct {
  ADAPTER* Adapter;
} DEVICE;

static NTSTATUS AddLargeDevice(const PDEVICE_OBJECT Device, PVOID* Adapter) {
  return Made(*Adapter = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(ADAPTER), BAD_TAG));
}

static NTSTATUS CreateOnAdapter(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  NTSTATUS Status = CreateDevice(Adapter, Args);
  if (NT_SUCCESS(Status)) ((DEVICE*)Args->hDevice)->Adapter = (ADAPTER*)Adapter;
  return Status;
}

static NTSTATUS OpenAndCount(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
#ifdef FIXED
  ADAPTER* Adapter = ((DEVICE*)Device)->Adapter;
#else
  ADAPTER* Adapter = (ADAPTER*)Device;
#endif
  Adapter->Opened += Args->NumAllocations;
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiAddDevice = AddLargeDevice;
  Table->DxgkDdiCreateDevice = CreateOnAdapter;
  Table->DxgkDdiOpenAllocation = OpenAndCount;
}
