// Tells the device an address that is another device's.
// FIXED tells it its own.
#include "dma.h"

static VOID Transfer(VOID) {
  PDEVICE_OBJECT OtherDevice = MakeDevice();
  PDMA_ADAPTER Other;
  PHYSICAL_ADDRESS Address;
  PVOID Common;

  if (OtherDevice == NULL) return;
#ifdef FIXED
  Other = GetAdapter(Device, Describe());
#else
  Other = GetAdapter(OtherDevice, Describe());
#endif
  if (Other != NULL) {
    Common = Other->DmaOperations->AllocateCommonBuffer(Other, PAGE_SIZE, &Address, FALSE);
    if (Common != NULL) {
      DeviceWrites(Address, 64);
      Other->DmaOperations->FreeCommonBuffer(Other, PAGE_SIZE, Address, Common, FALSE);
    }
    Other->DmaOperations->PutDmaAdapter(Other);
  }
  IoDeleteDevice(OtherDevice);
}
