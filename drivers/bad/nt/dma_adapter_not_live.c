// Asks an adapter for its alignment that it has put back.
// FIXED asks before.
#include "dma.h"

static VOID Transfer(VOID) {
  PDMA_OPERATIONS Operations = Adapter->DmaOperations;
  PDMA_ADAPTER Put = Adapter;
#ifdef FIXED
  Operations->GetDmaAlignment(Put);
#endif
  PutAdapter();
#ifndef FIXED
  Operations->GetDmaAlignment(Put);
#endif
}
