// Wants to know when an allocation comes and goes, and does not say that it uses physical addresses.
// FIXED says so.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
  Info->FlagsWddm2.ExplicitResidencyNotification = 1;
#ifdef FIXED
  Info->FlagsWddm2.AccessedPhysically = 1;
#endif
}
