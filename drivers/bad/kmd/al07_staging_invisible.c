// Makes a surface that the CPU is to draw in invisible to the CPU.
// FIXED makes it visible.
#include "described.h"

static VOID Describe(DXGK_ALLOCATIONINFO* Info) {
#ifndef FIXED
  Info->FlagsWddm2.CpuVisible = 0;
#endif
}
