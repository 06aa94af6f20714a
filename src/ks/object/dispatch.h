#pragma once

#include "abi/ks/ks.h"

namespace nt {
class Machine;
}

namespace ks {

// The class's routines in a minidriver's driver object: from KsInitializeDriver on every request comes to them.
void install_dispatch(DRIVER_OBJECT& driver);
// Tells the machine that they are the host's own.
void own_dispatch_routines(nt::Machine& machine);

// What a dispatch function of a driver may hand a request on to (KsDispatchIrp).
NTSTATUS dispatch(DEVICE_OBJECT* device, IRP* irp);
// KsCompletePendingRequest: a Create or Close that the driver had let pend is over.
void complete_pending(IRP& irp);

}  // namespace ks
