// Gives the registry and a list a pointer to memory that is not there, catches the exception, and goes on with the same
// key and the same list.
#include "skeleton.h"

#define NOT_THERE ((PVOID)0x30000)

static SLIST_HEADER List;
static SLIST_ENTRY Entry;

static NTSTATUS UseKey(VOID) {
  UNICODE_STRING Path = RTL_CONSTANT_STRING(L"\\Registry\\Machine\\Software\\Quiet");
  UNICODE_STRING Name = RTL_CONSTANT_STRING(L"Value");
  OBJECT_ATTRIBUTES Attributes;
  ULONG Number = 1;
  HANDLE Key;
  NTSTATUS Status;

  InitializeObjectAttributes(&Attributes, &Path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL, NULL);
  Status = ZwCreateKey(&Key, KEY_ALL_ACCESS, &Attributes, 0, NULL, 0, NULL);
  if (!NT_SUCCESS(Status)) return Status;
  __try {
    ZwSetValueKey(Key, &Name, 0, REG_BINARY, NOT_THERE, 16);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    Status = GetExceptionCode();
  }
  NT_ASSERT(Status == STATUS_ACCESS_VIOLATION);
  Status = ZwSetValueKey(Key, &Name, 0, REG_DWORD, &Number, sizeof(Number));
  ZwClose(Key);
  return Status;
}

static NTSTATUS Start(VOID) {
  InitializeSListHead(&List);
  __try {
    ExInterlockedPushEntrySList(&List, NOT_THERE, NULL);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
  }
  ExInterlockedPushEntrySList(&List, &Entry, NULL);
  NT_ASSERT(ExInterlockedPopEntrySList(&List, NULL) == &Entry);
  return UseKey();
}

static VOID Stop(VOID) {}
