// Cannot make its first allocator, and keeps what it had made of it.
// FIXED frees that, and makes another.
#include "skeleton.h"

static volatile LONG Times;

static NTSTATUS Initialize(PKSPIN Pin, PKSALLOCATOR_FRAMING Framing, PVOID* Context) {
  NTSTATUS Status = InitializeAllocator(Pin, Framing, Context);

  if (!NT_SUCCESS(Status) || InterlockedIncrement(&Times) != 1) return Status;
#ifdef FIXED
  DeleteAllocator(*Context);
  return InitializeAllocator(Pin, Framing, Context);
#else
  return STATUS_INSUFFICIENT_RESOURCES;
#endif
}

static VOID Replace(VOID) { Allocator.InitializeAllocator = Initialize; }
