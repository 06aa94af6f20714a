// Lets the device write when the buffer is not mapped any more.
// FIXED lets it write before.
#include "dma.h"

static VOID Transfer(VOID) {
  PHYSICAL_ADDRESS Address;

  if (!GetList(FALSE)) return;
  Address = List->Elements[0].Address;
#ifdef FIXED
  DeviceWrites(Address, 64);
#endif
  PutList(FALSE);
#ifndef FIXED
  DeviceWrites(Address, 64);
#endif
}
