// Takes the status of its own routine for a truth value, and so a success for a failure.
// FIXED asks NT_SUCCESS.
#include "skeleton.h"

static NTSTATUS PrepareFormat(PKSPIN Pin) {
  return Pin->ConnectionFormat->FormatSize >= sizeof(KSDATAFORMAT) ? STATUS_SUCCESS : STATUS_NO_MATCH;
}

static NTSTATUS SetFormat(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM OldAttributes,
                          const KSDATARANGE* Format, const KSATTRIBUTE_LIST* Attributes) {
  UNREFERENCED_PARAMETER(OldAttributes);
  UNREFERENCED_PARAMETER(Format);
  UNREFERENCED_PARAMETER(Attributes);
  if (OldFormat == NULL) return STATUS_SUCCESS;
#ifdef FIXED
  return PrepareFormat(Pin);
#else
  return PrepareFormat(Pin) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
#endif
}

static VOID Replace(VOID) { Capture.SetDataFormat = SetFormat; }
