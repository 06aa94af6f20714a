// Gates, which decide when a pin or filter may process. An AND gate counts one minus its inputs that are off, an OR
// gate its inputs that are on; either is open while its count is above zero.
#pragma once
#pragma GCC system_header

#include "ks_types.h"

struct _KSGATE {
  LONG Count;
  PKSGATE NextGate;
};

EXTERN_C_START
FORCEINLINE BOOLEAN KsGateGetStateUnsafe(PKSGATE Gate) { return (BOOLEAN)(Gate->Count > 0); }

// A gate that opens turns on an input of the next one, and so on down the chain.
FORCEINLINE void KsGateTurnInputOn(PKSGATE Gate) {
  while (Gate && InterlockedIncrement(&Gate->Count) == 1) Gate = Gate->NextGate;
}

FORCEINLINE void KsGateTurnInputOff(PKSGATE Gate) {
  while (Gate && InterlockedDecrement(&Gate->Count) == 0) Gate = Gate->NextGate;
}

// An AND gate is open at exactly one, so whoever takes it from one to zero has it alone.
FORCEINLINE BOOLEAN KsGateCaptureThreshold(PKSGATE Gate) {
  if (InterlockedCompareExchange(&Gate->Count, 0, 1) != 1) return FALSE;
  KsGateTurnInputOff(Gate->NextGate);
  return TRUE;
}

// StateToPropagate is the state of an input that the next gate counts: on for an OR gate, off for an AND gate.
FORCEINLINE void KsGateInitialize(PKSGATE Gate, LONG InitialCount, PKSGATE NextGate, BOOLEAN StateToPropagate) {
  Gate->Count = InitialCount;
  Gate->NextGate = NextGate;
  if (InitialCount > 0) {
    if (StateToPropagate) KsGateTurnInputOn(NextGate);
  } else {
    if (!StateToPropagate) KsGateTurnInputOff(NextGate);
  }
}

FORCEINLINE void KsGateInitializeAnd(PKSGATE AndGate, PKSGATE NextOrGate) {
  KsGateInitialize(AndGate, 1, NextOrGate, TRUE);
}
FORCEINLINE void KsGateInitializeOr(PKSGATE OrGate, PKSGATE NextAndGate) {
  KsGateInitialize(OrGate, 0, NextAndGate, FALSE);
}

// Inputs that a gate does not count come and go without an effect.
FORCEINLINE void KsGateAddOnInputToAnd(PKSGATE AndGate) { (void)AndGate; }
FORCEINLINE void KsGateAddOffInputToAnd(PKSGATE AndGate) { KsGateTurnInputOff(AndGate); }
FORCEINLINE void KsGateRemoveOnInputFromAnd(PKSGATE AndGate) { (void)AndGate; }
FORCEINLINE void KsGateRemoveOffInputFromAnd(PKSGATE AndGate) { KsGateTurnInputOn(AndGate); }
FORCEINLINE void KsGateAddOnInputToOr(PKSGATE OrGate) { KsGateTurnInputOn(OrGate); }
FORCEINLINE void KsGateAddOffInputToOr(PKSGATE OrGate) { (void)OrGate; }
FORCEINLINE void KsGateRemoveOnInputFromOr(PKSGATE OrGate) { KsGateTurnInputOff(OrGate); }
FORCEINLINE void KsGateRemoveOffInputFromOr(PKSGATE OrGate) { (void)OrGate; }

FORCEINLINE void KsGateTerminateAnd(PKSGATE AndGate) {
  if (KsGateGetStateUnsafe(AndGate))
    KsGateRemoveOnInputFromOr(AndGate->NextGate);
  else
    KsGateRemoveOffInputFromOr(AndGate->NextGate);
}
FORCEINLINE void KsGateTerminateOr(PKSGATE OrGate) {
  if (KsGateGetStateUnsafe(OrGate))
    KsGateRemoveOnInputFromAnd(OrGate->NextGate);
  else
    KsGateRemoveOffInputFromAnd(OrGate->NextGate);
}
EXTERN_C_END
