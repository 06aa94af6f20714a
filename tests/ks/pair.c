// A filter with two pins that need each other: what goes into pin 1 comes out of pin 0, and AVStream lets neither leave
// KSSTATE_STOP while there is no instance of the other. With PAIR_REFUSES_INPUT pin 1 cannot be opened, with
// PAIR_INPUT_IS_SOURCE a program cannot use it: then pin 0 can do nothing either.
#include "skeleton.h"

static NTSTATUS CopyFrames(PKSFILTER KsFilter, PKSPROCESSPIN_INDEXENTRY Index) {
  PKSPROCESSPIN Out = Index[0].Pins[0], In = Index[1].Pins[0];
  ULONG Bytes = In->BytesAvailable < Out->BytesAvailable ? In->BytesAvailable : Out->BytesAvailable;

  UNREFERENCED_PARAMETER(KsFilter);
  RtlCopyMemory(Out->Data, In->Data, Bytes);
  In->BytesUsed = In->BytesAvailable;
  Out->BytesUsed = Bytes;
  Out->Terminate = TRUE;
  return STATUS_SUCCESS;
}

#ifdef PAIR_REFUSES_INPUT
static NTSTATUS CreateInput(PKSPIN Pin, PIRP Irp) {
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(Irp);
  return STATUS_DEVICE_BUSY;
}
#endif

static VOID Replace(VOID) {
  ULONG Id;

  FilterDispatch.Process = CopyFrames;
  Capture = (KSPIN_DISPATCH){0};
  Render = (KSPIN_DISPATCH){0};
  Pins[0].Flags = 0;
  for (Id = 0; Id < SIZEOF_ARRAY(Pins); ++Id) Pins[Id].InstancesPossible = Pins[Id].InstancesNecessary = 1;
#ifdef PAIR_REFUSES_INPUT
  Render.Create = CreateInput;
#endif
#ifdef PAIR_INPUT_IS_SOURCE
  Pins[1].PinDescriptor.Communication = KSPIN_COMMUNICATION_SOURCE;
#endif
}
