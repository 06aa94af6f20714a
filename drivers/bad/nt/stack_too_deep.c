// Calls itself forty times with a kilobyte of locals each.
// FIXED does the same with a loop.
#include "skeleton.h"

#define LEVELS 40
#define LEVEL_BYTES 1024

static ULONG Visit(ULONG Level) {
  volatile UCHAR Scratch[LEVEL_BYTES];
  ULONG i;

  for (i = 0; i < LEVEL_BYTES; i++) Scratch[i] = (UCHAR)Level;
#ifndef FIXED
  if (Level > 1) return Visit(Level - 1) + Scratch[Level];
#endif
  return Scratch[Level];
}

static NTSTATUS Start(VOID) {
  ULONG Sum = 0;

#ifdef FIXED
  ULONG Level;
  for (Level = LEVELS; Level > 0; Level--) Sum += Visit(Level);
#else
  Sum = Visit(LEVELS);
#endif
  DbgPrint("sum %u\n", Sum);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
