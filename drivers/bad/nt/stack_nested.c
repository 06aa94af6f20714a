// Sends a request from within the handling of another, four deep, with eight kilobytes of locals each.
// FIXED sends one after the other.
#include "irp.h"

#define REQUESTS 4
#define SCRATCH_BYTES 8192

static ULONG Sent;

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  volatile UCHAR Scratch[SCRATCH_BYTES];
  ULONG i;

  UNREFERENCED_PARAMETER(To);
  for (i = 0; i < SCRATCH_BYTES; i++) Scratch[i] = (UCHAR)Sent;
#ifndef FIXED
  if (++Sent < REQUESTS) SendControl();
#endif
  Irp->IoStatus.Information = Scratch[0] - Scratch[SCRATCH_BYTES - 1];
  Irp->IoStatus.Status = STATUS_SUCCESS;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

static VOID Ask(VOID) {
#ifdef FIXED
  for (; Sent < REQUESTS; Sent++) SendControl();
#else
  SendControl();
#endif
}
