// Takes it that every allocation comes with memory of the application's.
// FIXED takes the memory that the system gives.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  UNREFERENCED_PARAMETER(Info);
#else
  Info->FlagsWddm2.ExistingSysMem = 1;
#endif
}
