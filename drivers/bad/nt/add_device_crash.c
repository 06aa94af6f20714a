// Writes to a setting in AddDevice that it never allocated.
// FIXED has the setting in its image.
#ifdef FIXED
static int Setting;
static int* Where = &Setting;
#else
static int* Where;
#endif
#define ADDING *(volatile int*)Where = 1
#include "wdm.h"

static NTSTATUS Serve(PDEVICE_OBJECT Device, PIRP Irp) {
  UCHAR Major = IoGetCurrentIrpStackLocation(Irp)->MajorFunction;
  UNREFERENCED_PARAMETER(Device);
  return Answer(Irp,
                Major == IRP_MJ_READ || Major == IRP_MJ_CREATE || Major == IRP_MJ_CLEANUP || Major == IRP_MJ_CLOSE
                    ? STATUS_SUCCESS
                    : STATUS_INVALID_DEVICE_REQUEST,
                0);
}
