// Hands out a frame that is out.
// FIXED allocates another one.
#include "skeleton.h"

static PVOID volatile Latest;

static PVOID Allocate(PVOID Context) {
#ifndef FIXED
  if (Latest != NULL) return Latest;
#endif
  return Latest = AllocateFrame(Context);
}

static VOID Free(PVOID Context, PVOID Frame) {
  InterlockedCompareExchangePointer(&Latest, NULL, Frame);
  FreeFrame(Context, Frame);
}

static VOID Replace(VOID) {
  Allocator.Allocate = Allocate;
  Allocator.Free = Free;
}
