// Creates a file that must not be there yet, as a driver does that starts for the first time. Each run of a check
// begins with the folder as it was given, whatever the run before has left in it.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  UNICODE_STRING Path = RTL_CONSTANT_STRING(L"\\??\\C:\\state.bin");
  OBJECT_ATTRIBUTES Attributes;
  IO_STATUS_BLOCK Io;
  HANDLE File;
  InitializeObjectAttributes(&Attributes, &Path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL, NULL);
  NTSTATUS Status = ZwCreateFile(&File, GENERIC_WRITE | SYNCHRONIZE, &Attributes, &Io, NULL, 0, 0, FILE_CREATE,
                                 FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0);
  NT_ASSERT(Status != STATUS_OBJECT_NAME_COLLISION);
  if (NT_SUCCESS(Status)) ZwClose(File);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
