// Writes the eleven words of a fence command into an array of eight.
// FIXED has room for all of them.
#include "on_softgpu.h"

#define FENCE_WORDS 11
#ifdef FIXED
#define ROOM FENCE_WORDS
#else
#define ROOM 8
#endif

static ULONG* FenceWords;

static NTSTATUS AddWithRoom(const PDEVICE_OBJECT Device, PVOID* Adapter) {
  FenceWords = ExAllocatePool2(POOL_FLAG_NON_PAGED, ROOM * sizeof(ULONG), 'cneF');
  return FenceWords != NULL ? Good.DxgkDdiAddDevice(Device, Adapter) : STATUS_NO_MEMORY;
}

static NTSTATUS RemoveRoom(const PVOID Adapter) {
  ExFreePoolWithTag(FenceWords, 'cneF');
  return Good.DxgkDdiRemoveDevice(Adapter);
}

static NTSTATUS SubmitWithWords(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  for (ULONG i = 0; i < FENCE_WORDS; ++i) ((volatile ULONG*)FenceWords)[i] = Args->SubmissionFenceId + i;
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiAddDevice = AddWithRoom;
  Table->DxgkDdiRemoveDevice = RemoveRoom;
  Table->DxgkDdiSubmitCommandVirtual = SubmitWithWords;
}
