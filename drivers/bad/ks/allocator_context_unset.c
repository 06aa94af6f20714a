// Its allocator succeeds and leaves the context as it found it.
// FIXED sets it.
#include "skeleton.h"

static NTSTATUS Initialize(PKSPIN Pin, PKSALLOCATOR_FRAMING Framing, PVOID* Context) {
  PVOID Made;
  NTSTATUS Status = InitializeAllocator(Pin, Framing, &Made);

  if (!NT_SUCCESS(Status)) return Status;
#ifdef FIXED
  *Context = Made;
#else
  UNREFERENCED_PARAMETER(Context);
  DeleteAllocator(Made);
#endif
  return STATUS_SUCCESS;
}

static VOID Delete(PVOID Context) {
  if (Context != NULL) DeleteAllocator(Context);
}

static PVOID Allocate(PVOID Context) { return Context != NULL ? AllocateFrame(Context) : NULL; }

static VOID Replace(VOID) {
  Allocator.InitializeAllocator = Initialize;
  Allocator.DeleteAllocator = Delete;
  Allocator.Allocate = Allocate;
}
