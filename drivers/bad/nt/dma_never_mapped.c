// Tells the device a physical address.
// FIXED tells it one of its own.
#include "dma.h"

static VOID Transfer(VOID) {
  if (!GetList(FALSE)) return;
#ifdef FIXED
  DeviceWrites(List->Elements[0].Address, List->Elements[0].Length);
#else
  DeviceWrites(MmGetPhysicalAddress(Buffer), BUFFER_BYTES);
#endif
  PutList(FALSE);
}
