// Wakes up and writes to a register before it has mapped its registers again.
// FIXED maps them first.
#include "on_softgpu_callbacks.h"

static PHYSICAL_ADDRESS Where;
static PULONG Page;

static VOID MapPage(VOID) {
  PVOID Mapping = NULL;
  Dxgk.DxgkCbMapMemory(Dxgk.DeviceHandle, Where, PAGE_SIZE, FALSE, FALSE, MmNonCached, &Mapping);
  Page = Mapping;
}

static VOID UnmapPage(VOID) {
  if (Page != NULL) Dxgk.DxgkCbUnmapMemory(Dxgk.DeviceHandle, Page);
}

static NTSTATUS MapAndNote(HANDLE Adapter, PHYSICAL_ADDRESS Address, ULONG Length, BOOLEAN IoSpace, BOOLEAN User,
                           MEMORY_CACHING_TYPE Caching, PVOID* Mapping) {
  NTSTATUS Status = Dxgk.DxgkCbMapMemory(Adapter, Address, Length, IoSpace, User, Caching, Mapping);
  Where = Address;
  if (NT_SUCCESS(Status)) MapPage();
  return Status;
}

static NTSTATUS UnmapBoth(HANDLE Adapter, PVOID Mapping) {
  UnmapPage();
  Page = NULL;
  return Dxgk.DxgkCbUnmapMemory(Adapter, Mapping);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbMapMemory = MapAndNote;
  Kernel->DxgkCbUnmapMemory = UnmapBoth;
}

static VOID Blank(VOID) {
  if (Page != NULL) READ_REGISTER_ULONG(Page);
}

static NTSTATUS SleepOrWake(const PVOID Adapter, ULONG Uid, DEVICE_POWER_STATE State, POWER_ACTION Action) {
  if (State == PowerDeviceD0) {
#ifdef FIXED
    MapPage();
    Blank();
#else
    Blank();
    MapPage();
#endif
  } else {
    UnmapPage();
#ifdef FIXED
    Page = NULL;
#endif
  }
  return Good.DxgkDdiSetPowerState(Adapter, Uid, State, Action);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSetPowerState = SleepOrWake;
}
