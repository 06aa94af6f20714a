// Does not look whether its thread, its interrupt, its key and its link were made.
// FIXED does.
#include "skeleton.h"

static PVOID Thread;
static PKINTERRUPT Interrupt;
static BOOLEAN Linked;
static UNICODE_STRING Link = RTL_CONSTANT_STRING(L"\\DosDevices\\Unchecked");

static VOID Work(PVOID Context) {
  UNREFERENCED_PARAMETER(Context);
  PsTerminateSystemThread(STATUS_SUCCESS);
}

static BOOLEAN NotOurs(PKINTERRUPT Own, PVOID Context) {
  UNREFERENCED_PARAMETER(Own);
  UNREFERENCED_PARAMETER(Context);
  return FALSE;
}

static VOID Stop(VOID) {
  if (Linked) IoDeleteSymbolicLink(&Link);
  if (Interrupt != NULL) IoDisconnectInterrupt(Interrupt);
  if (Thread != NULL) JoinThread(Thread);
}

// What the driver believes of every call.
static BOOLEAN Made(NTSTATUS Status) {
#ifdef FIXED
  return NT_SUCCESS(Status);
#else
  NT_ASSERT(NT_SUCCESS(Status));
  return TRUE;
#endif
}

static NTSTATUS MakeKey(VOID) {
  UNICODE_STRING Path = RTL_CONSTANT_STRING(L"\\Registry\\Machine\\Software\\Unchecked");
  UNICODE_STRING Name = RTL_CONSTANT_STRING(L"Count");
  OBJECT_ATTRIBUTES Attributes;
  ULONG Count = 1;
  HANDLE Key;
  BOOLEAN Kept;

  InitializeObjectAttributes(&Attributes, &Path, OBJ_KERNEL_HANDLE, NULL, NULL);
  if (!Made(ZwCreateKey(&Key, KEY_ALL_ACCESS, &Attributes, 0, NULL, REG_OPTION_VOLATILE, NULL))) {
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  Kept = Made(ZwSetValueKey(Key, &Name, 0, REG_DWORD, &Count, sizeof(Count)));
  ZwDeleteKey(Key);
  ZwClose(Key);
  return Kept ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static NTSTATUS Start(VOID) {
  UNICODE_STRING Device = RTL_CONSTANT_STRING(L"\\Device\\Unchecked");

  if (Made(StartThread(Work, NULL, &Thread)) &&
      Made(IoConnectInterrupt(&Interrupt, NotOurs, NULL, NULL, DEVICE_VECTOR, DEVICE_IRQL, DEVICE_IRQL, LevelSensitive,
                              TRUE, 1, FALSE)) &&
      Made(IoCreateSymbolicLink(&Link, &Device))) {
    Linked = TRUE;
    if (NT_SUCCESS(MakeKey())) return STATUS_SUCCESS;
  }
  Stop();
  return STATUS_INSUFFICIENT_RESOURCES;
}
