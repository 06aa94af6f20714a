// Says where an allocation may be read, and leaves it at that.
// FIXED says where it may live.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
  Info->SupportedReadSegmentSet = SET_OF(APERTURE_SEGMENT);
#ifndef FIXED
  Info->SupportedWriteSegmentSet = 0;
  Info->PreferredSegment.SegmentId0 = 0;
#endif
}
