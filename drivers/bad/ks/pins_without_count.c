// Processes for the whole filter, and takes for granted that there is a capture pin.
// FIXED looks at the count.
#include "skeleton.h"

static VOID UseAll(PKSPROCESSPIN Pin) {
  if (Pin->Pin->DataFlow == KSPIN_DATAFLOW_OUT) RtlZeroMemory(Pin->Data, Pin->BytesAvailable);
  Pin->BytesUsed = Pin->BytesAvailable;
}

static NTSTATUS ProcessFilter(PKSFILTER KsFilter, PKSPROCESSPIN_INDEXENTRY Index) {
  ULONG Id, i;

  UNREFERENCED_PARAMETER(KsFilter);
#ifndef FIXED
  UseAll(Index[0].Pins[0]);
#endif
  for (Id = 0; Id < SIZEOF_ARRAY(Pins); ++Id) {
    for (i = 0; i < Index[Id].Count; ++i) UseAll(Index[Id].Pins[i]);
  }
  return STATUS_SUCCESS;
}

// No picture is taken by a timer.
static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(ToState);
  UNREFERENCED_PARAMETER(FromState);
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) {
  FilterDispatch.Process = ProcessFilter;
  Capture.Process = Render.Process = NULL;
  Capture.SetDeviceState = SetState;
  Pins[0].Flags = 0;
}
