// Wants to see an allocation while it is mapped to the aperture, and has not said that it can map so.
// FIXED does not look.
#define ALSO(Table) (Table)->Version = DXGKDDI_INTERFACE_VERSION_WDDM2_9
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  UNREFERENCED_PARAMETER(Info);
#else
  Info->FlagsWddm2.MapApertureCpuVisible = 1;
#endif
}
