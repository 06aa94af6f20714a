// Disconnects its interrupt twice.
// FIXED disconnects it once.
#include "skeleton.h"

static PKINTERRUPT Interrupt;

static BOOLEAN Service(PKINTERRUPT Self, PVOID Context) {
  UNREFERENCED_PARAMETER(Self);
  UNREFERENCED_PARAMETER(Context);
  return TRUE;
}

static NTSTATUS Start(VOID) {
  return IoConnectInterrupt(&Interrupt, Service, NULL, NULL, DEVICE_VECTOR, DEVICE_IRQL, DEVICE_IRQL, Latched, FALSE,
                            KeQueryActiveProcessors(), FALSE);
}

static VOID Stop(VOID) {
  IoDisconnectInterrupt(Interrupt);
#ifndef FIXED
  IoDisconnectInterrupt(Interrupt);
#endif
}
