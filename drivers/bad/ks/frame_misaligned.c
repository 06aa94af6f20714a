// Puts a mark of two bytes in front of each frame, so that the frame is not aligned any more.
// FIXED puts it behind.
#include "skeleton.h"

#ifdef FIXED
#define FRONT 0
#else
#define FRONT 2
#endif

static PVOID Allocate(PVOID Context) {
  PUCHAR Block = ExAllocatePool2(PoolOf(Context), BytesOf(Context) + sizeof(USHORT), BAD_TAG);
  return Block != NULL ? Block + FRONT : NULL;
}

static VOID Free(PVOID Context, PVOID Frame) { FreeFrame(Context, (PUCHAR)Frame - FRONT); }

static VOID Replace(VOID) {
  Allocator.Allocate = Allocate;
  Allocator.Free = Free;
}
