// Sends an IRP of its own and is not there when it comes back.
// FIXED takes it back in a completion routine.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
  return Answer(Irp, STATUS_SUCCESS);
}

static VOID Ask(VOID) {
#ifdef FIXED
  Send(Device->StackSize);
#else
  PIRP Irp = IoAllocateIrp(Device->StackSize, FALSE);

  if (Irp == NULL) return;
  IoGetNextIrpStackLocation(Irp)->MajorFunction = IRP_MJ_INTERNAL_DEVICE_CONTROL;
  IoCallDriver(Device, Irp);
  IoFreeIrp(Irp);
#endif
}
