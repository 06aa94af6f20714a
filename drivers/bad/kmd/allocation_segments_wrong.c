// Prefers local memory for an allocation that it does not let live there.
// FIXED prefers the aperture.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  Info->PreferredSegment.SegmentId0 = APERTURE_SEGMENT;
#else
  Info->PreferredSegment.SegmentId0 = LOCAL_SEGMENT;
#endif
}
