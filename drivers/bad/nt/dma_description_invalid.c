// Describes its device with rubbish in a reserved member.
// FIXED has zeros there.
#include "dma.h"

static VOID Transfer(VOID) {
  DEVICE_DESCRIPTION Description = Describe();
  PDMA_ADAPTER Other;
#ifndef FIXED
  Description.Reserved1 = TRUE;
#endif
  Other = GetAdapter(Device, Description);
  if (Other != NULL) Other->DmaOperations->PutDmaAdapter(Other);
}
