#pragma once

#include "nt/boundary/kernel_entry.h"

namespace nt {

// Whether this call is made to fail as it does on Windows when memory, or whatever else it needs, is short: the place
// at which a fault plan injects the failure. Asked by every function whose page says that it can fail for a reason that
// is not in its arguments, unless memory that it takes from the pool asks already (ExAllocatePool, IoCreateDevice, …).
// Which code it returns then is our policy where the page names none: STATUS_INSUFFICIENT_RESOURCES.
//
// Functions that give something back (ZwClose, ZwDeleteKey, IoDeleteSymbolicLink, …) or that only judge their arguments
// (RtlStringCb…, ObReferenceObjectByHandle of a driver's own handle) do not ask: a driver could do nothing about it.
inline bool lacks_resources(Fn fn) { return KernelEntry::machine().fails(FaultKind::Pool, row(fn).name); }

}  // namespace nt
