// Maps a buffer for the device to read and lets it write.
// FIXED maps it for writing.
#include "dma.h"

#ifdef FIXED
#define WRITE_TO_DEVICE FALSE
#else
#define WRITE_TO_DEVICE TRUE
#endif

static VOID Transfer(VOID) {
  if (!GetList(WRITE_TO_DEVICE)) return;
  DeviceWrites(List->Elements[0].Address, List->Elements[0].Length);
  PutList(WRITE_TO_DEVICE);
}
