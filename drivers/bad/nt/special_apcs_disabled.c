// Opens a file in a guarded region.
// FIXED opens it outside.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  UNICODE_STRING Name = RTL_CONSTANT_STRING(L"\\SystemRoot\\bad.ini");
  OBJECT_ATTRIBUTES Attributes;
  IO_STATUS_BLOCK Result;
  HANDLE File;
  NTSTATUS Status;

  InitializeObjectAttributes(&Attributes, &Name, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL, NULL);
#ifndef FIXED
  KeEnterGuardedRegion();
#endif
  Status = ZwOpenFile(&File, GENERIC_READ, &Attributes, &Result, FILE_SHARE_READ, FILE_SYNCHRONOUS_IO_NONALERT);
#ifndef FIXED
  KeLeaveGuardedRegion();
#endif
  if (NT_SUCCESS(Status)) ZwClose(File);
  return STATUS_SUCCESS;  // it does without
}

static VOID Stop(VOID) {}
