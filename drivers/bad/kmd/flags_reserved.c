// Writes its flags as a number, and has miscounted its bits.
// FIXED names the flag.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  Info->FlagsWddm2.CpuVisibleOnDemand = 1;
#else
  Info->FlagsWddm2.Value |= 0x00080000;
#endif
}
