// Puts something of a pin's into the device's bag, with the filter control mutex held and not the device mutex.
// FIXED puts it into the pin's.
#include "skeleton.h"

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  PVOID Item = ExAllocatePool2(POOL_FLAG_NON_PAGED, PAGE_SIZE, BAD_TAG);
#ifdef FIXED
  KSOBJECT_BAG Bag = Pin->Bag;
#else
  KSOBJECT_BAG Bag = KsPinGetDevice(Pin)->Bag;
#endif
  NTSTATUS Status;

  if (Item == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = KsAddItemToObjectBag(Bag, Item, NULL);
  if (NT_SUCCESS(Status)) return CreateCapture(Pin, Irp);
  ExFreePoolWithTag(Item, BAD_TAG);
  return Status;
}

static VOID Replace(VOID) { Capture.Create = Create; }
