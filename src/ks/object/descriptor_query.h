#pragma once

#include "abi/ks/ks.h"

// What clients may read in a driver's descriptors, as the pages of KSPROPSETID_Pin and KSPROPSETID_Topology say it.
namespace ks {

// The static members of KSPROPSETID_Pin for one kind of pin: KsPinPropertyHandler.
NTSTATUS answer_pin_member(IRP& irp, const KSPIN_DESCRIPTOR& descriptor, ULONG member);
// KSPROPSETID_Topology: KsTopologyPropertyHandler.
NTSTATUS answer_topology_member(IRP& irp, const KSPROPERTY& request, const KSTOPOLOGY& topology);

}  // namespace ks
