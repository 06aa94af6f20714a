// Plug and Play drivers with which a program can do little or nothing, each in its own way: -DNT_…. What they do is
// allowed.
#include <ntddk.h>

#define UNDO_AND_RETURN(Status)       \
  do {                                \
    IoDetachDevice(Extension->Below); \
    IoDeleteDevice(Device);           \
    return Status;                    \
  } while (0)

#if defined(NT_ADD_FAILS)
#define ADDING UNDO_AND_RETURN(STATUS_DEVICE_CONFIGURATION_ERROR)
#elif defined(NT_ATTACHES_NOTHING)
#define ADDING UNDO_AND_RETURN(STATUS_SUCCESS)
#elif defined(NT_START_FAILS)
static NTSTATUS PnpWithoutStart(PDEVICE_OBJECT Device, PIRP Irp);
#define ADDING DriverObject->MajorFunction[IRP_MJ_PNP] = PnpWithoutStart
#endif

#include "../../drivers/bad/nt/wdm.h"

#ifdef NT_START_FAILS
static NTSTATUS PnpWithoutStart(PDEVICE_OBJECT Device, PIRP Irp) {
  if (IoGetCurrentIrpStackLocation(Irp)->MinorFunction != IRP_MN_START_DEVICE) return Pnp(Device, Irp);
  return Answer(Irp, STATUS_DEVICE_CONFIGURATION_ERROR, 0);
}
#endif

static NTSTATUS Serve(PDEVICE_OBJECT Device, PIRP Irp) {
  UNREFERENCED_PARAMETER(Device);
  switch (IoGetCurrentIrpStackLocation(Irp)->MajorFunction) {
#ifndef NT_REFUSES_CREATE
    case IRP_MJ_CREATE:
    case IRP_MJ_CLEANUP:
    case IRP_MJ_CLOSE:
      return Answer(Irp, STATUS_SUCCESS, 0);
#endif
    default:
      return Answer(Irp, STATUS_ACCESS_DENIED, 0);
  }
}
