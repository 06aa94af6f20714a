// Counts the filter's open pins while it processes, when others may come and go.
// FIXED counts them in a change of state, which has the filter control mutex.
#include "skeleton.h"

static volatile LONG Open;

static VOID CountPins(PKSPIN Pin) {
  LONG Count = 0;
  for (PKSPIN At = KsFilterGetFirstChildPin(KsPinGetParentFilter(Pin), Pin->Id); At; At = KsPinGetNextSiblingPin(At)) {
    ++Count;
  }
  Open = Count;
}

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  UNREFERENCED_PARAMETER(ToState);
  UNREFERENCED_PARAMETER(FromState);
#ifdef FIXED
  CountPins(Pin);
#else
  UNREFERENCED_PARAMETER(Pin);
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS Process(PKSPIN Pin) {
#ifndef FIXED
  CountPins(Pin);
#endif
  return ProcessRender(Pin);
}

static VOID Replace(VOID) {
  Render.Process = Process;
  Render.SetDeviceState = SetState;
}
