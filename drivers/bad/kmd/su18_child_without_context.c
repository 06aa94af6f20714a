// Looks for the state of its output before it has made it, with the first device.
// FIXED makes it when the adapter is started.
#include "display.h"

typedef struct {
  BOOLEAN Connected;
} OUTPUT;

static OUTPUT Output;
static OUTPUT* Outputs[OUTPUT_UID + 1];

static NTSTATUS CreateWithOutput(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  Outputs[OUTPUT_UID] = &Output;
  return CreateDevice(Adapter, Args);
}

static NTSTATUS StartOutput(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                            PULONG Children) {
  Output.Connected = TRUE;
#ifdef FIXED
  Outputs[OUTPUT_UID] = &Output;
#endif
  return StartWithOutput(Adapter, Info, Kernel, Sources, Children);
}

static NTSTATUS QueryOutput(const PVOID Adapter, PDXGK_CHILD_STATUS Status, BOOLEAN Safe) {
  Status->HotPlug.Connected = Outputs[Status->ChildUid]->Connected;
  return STATUS_SUCCESS;
}

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartOutput;
  Table->DxgkDdiQueryChildStatus = QueryOutput;
  Table->DxgkDdiCreateDevice = CreateWithOutput;
}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {}
