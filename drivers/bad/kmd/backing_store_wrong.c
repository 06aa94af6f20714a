// Wants the address of its allocations' memory without having asked whether that is possible.
// FIXED does without.
#define ALSO(Table) (Table)->Version = DXGKDDI_INTERFACE_VERSION_WDDM3_1
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifdef FIXED
  UNREFERENCED_PARAMETER(Info);
#else
  Info->Flags2.ShareBackingStoreWithKmd = 1;
#endif
}
