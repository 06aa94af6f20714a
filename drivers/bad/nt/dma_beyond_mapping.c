// Lets the device write one byte more than is mapped.
// FIXED keeps to the element.
#include "dma.h"

static VOID Transfer(VOID) {
  ULONG Bytes;

  if (!GetList(FALSE)) return;
  Bytes = List->Elements[0].Length;
#ifndef FIXED
  ++Bytes;
#endif
  DeviceWrites(List->Elements[0].Address, Bytes);
  PutList(FALSE);
}
