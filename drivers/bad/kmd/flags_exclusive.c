// Wants an allocation's memory out of the application's sight, and a copy of it in system memory for the application.
// FIXED is content with the copy.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
  Info->FlagsWddm2.PermanentSysMem = 1;
#ifndef FIXED
  Info->FlagsWddm2.Protected = 1;
#endif
}
