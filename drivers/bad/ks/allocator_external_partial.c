// Tries whether the file that is opened is an allocator, with routines that cannot free a frame.
// FIXED has all four.
#include "skeleton.h"

static NTSTATUS InitializeExternal(PVOID Pin, PKSALLOCATOR_FRAMING Framing, PVOID* Context) {
  return InitializeAllocator(Pin, Framing, Context);
}

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
#ifdef FIXED
  PFNKSDEFAULTFREE Free = FreeFrame;
#else
  PFNKSDEFAULTFREE Free = NULL;
#endif
  NTSTATUS Status = KsCreateDefaultAllocatorEx(Irp, Pin, AllocateFrame, Free, InitializeExternal, DeleteAllocator);

  return NT_SUCCESS(Status) ? Status : CreateCapture(Pin, Irp);
}

static VOID Replace(VOID) { Capture.Create = Create; }
