// Asks a pin that was closed for its device when the filter is closed.
// FIXED forgets the pin.
#include "skeleton.h"

static PVOID volatile Latest;

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  Latest = Pin;
  return CreateCapture(Pin, Irp);
}

static NTSTATUS Close(PKSPIN Pin, PIRP Irp) {
#ifdef FIXED
  InterlockedCompareExchangePointer(&Latest, NULL, Pin);
#endif
  return CloseCapture(Pin, Irp);
}

static NTSTATUS CloseFilter(PKSFILTER Filter, PIRP Irp) {
  PKSPIN Pin = Latest;

  UNREFERENCED_PARAMETER(Filter);
  UNREFERENCED_PARAMETER(Irp);
  if (Pin != NULL && KsGetDevice(Pin) == NULL) return STATUS_UNSUCCESSFUL;
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) {
  Capture.Create = Create;
  Capture.Close = Close;
  FilterDispatch.Close = CloseFilter;
}
