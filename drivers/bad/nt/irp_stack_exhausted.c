// Passes a request on that has no stack location for it.
// FIXED has made it with two.
#include "irp.h"

#ifdef FIXED
#define STACK_SIZE 2
#else
#define STACK_SIZE 1
#endif

static BOOLEAN Passed;

// Once to itself.
static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  if (Passed) return Answer(Irp, STATUS_SUCCESS);
  Passed = TRUE;
#ifdef FIXED
  IoCopyCurrentIrpStackLocationToNext(Irp);
  return IoCallDriver(To, Irp);
#else
  IoCallDriver(To, Irp);
  return Answer(Irp, STATUS_INVALID_DEVICE_REQUEST);
#endif
}

static VOID Ask(VOID) { Send(STACK_SIZE); }
