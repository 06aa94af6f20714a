// Frees half of a common buffer.
// FIXED frees the whole.
#include "dma.h"

#ifdef FIXED
#define FREED_BYTES PAGE_SIZE
#else
#define FREED_BYTES (PAGE_SIZE / 2)
#endif

static VOID Transfer(VOID) {
  PHYSICAL_ADDRESS Address;
  PVOID Common = Adapter->DmaOperations->AllocateCommonBuffer(Adapter, PAGE_SIZE, &Address, FALSE);
  if (Common != NULL) Adapter->DmaOperations->FreeCommonBuffer(Adapter, FREED_BYTES, Address, Common, FALSE);
}
