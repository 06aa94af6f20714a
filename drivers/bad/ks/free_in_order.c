// Takes back only the frame that it handed out last, and forgets the others.
// FIXED takes frames back in any order.
#include "skeleton.h"

static PVOID Last;

static PVOID AllocateLast(PVOID Context) {
  Last = AllocateFrame(Context);
  return Last;
}

static VOID FreeLast(PVOID Context, PVOID Frame) {
#ifndef FIXED
  if (Frame != Last) return;
#endif
  FreeFrame(Context, Frame);
}

static VOID Replace(VOID) {
  Allocator.Allocate = AllocateLast;
  Allocator.Free = FreeLast;
}
