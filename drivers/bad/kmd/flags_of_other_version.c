// Wants its allocations paged in synchronously, which a driver of WDDM 2.0 cannot.
// FIXED does without.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  Info->FlagsWddm2.FromEndOfSegment = 1;
#else
  Info->Flags.SynchronousPaging = 1;
#endif
}
