// Expects its own context when the format is set, which is before the pin's create routine has made it.
// FIXED sees from the old format, which there is none of, that it is too early.
#include "skeleton.h"

static NTSTATUS SetFormat(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM OldAttributes,
                          const KSDATARANGE* Format, const KSATTRIBUTE_LIST* Attributes) {
  UNREFERENCED_PARAMETER(OldFormat);
  UNREFERENCED_PARAMETER(OldAttributes);
  UNREFERENCED_PARAMETER(Format);
  UNREFERENCED_PARAMETER(Attributes);
#ifdef FIXED
  if (OldFormat == NULL) return STATUS_SUCCESS;
#endif
  StreamOf(Pin)->Discontinuity = TRUE;
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) { Capture.SetDataFormat = SetFormat; }
