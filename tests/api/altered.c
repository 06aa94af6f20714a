// The skeleton of examples/ with one function changed, which one says the build: what a host makes of drivers that are
// refused, leave something behind, or crash.
#include <dispmprt.h>
#include <ntddk.h>

static NTSTATUS Alter(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, DRIVER_INITIALIZATION_DATA* Table);

#define DxgkInitialize Alter
#include "../../examples/kmd/skeleton.c"
#undef DxgkInitialize

#if ALTERED_LEAKS
static NTSTATUS Altered(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) { return STATUS_SUCCESS; }
#define ALTERED DxgkDdiDestroyAllocation
#elif ALTERED_CRASHES
static NTSTATUS Altered(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  return *(volatile NTSTATUS*)0x10;
}
#define ALTERED DxgkDdiCreateAllocation
#elif ALTERED_IS_REFUSED
static NTSTATUS Altered(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) ((DXGK_DRIVERCAPS*)Query->pOutputData)->WDDMVersion = 0;
  return Status;
}
#define ALTERED DxgkDdiQueryAdapterInfo
#endif

static NTSTATUS Alter(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, DRIVER_INITIALIZATION_DATA* Table) {
  Table->ALTERED = Altered;
  return DxgkInitialize(DriverObject, RegistryPath, Table);
}
