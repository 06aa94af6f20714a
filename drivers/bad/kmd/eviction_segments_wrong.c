// Lets an allocation be evicted to local memory, which is no aperture.
// FIXED lets it be evicted to the aperture.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  Info->EvictionSegmentSet = SET_OF(APERTURE_SEGMENT);
#else
  Info->EvictionSegmentSet = SET_OF(LOCAL_SEGMENT);
#endif
}
