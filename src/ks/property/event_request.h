#pragma once

#include "abi/ks/ks.h"
#include "ks/object/request.h"
#include "ks/property/event_list.h"
#include "ks/property/set_table.h"

// IOCTL_KS_ENABLE_EVENT and IOCTL_KS_DISABLE_EVENT. Pages: stream/ks-events, stream/ksevent-structure.
namespace ks {

// Where an event goes whose row has no AddHandler.
struct EventPlace {
  LIST_ENTRY* list;  // null: there is no list for it
  EventLock lock;
};

NTSTATUS answer_enable(const Subject& subject, const Layers<KSEVENT_SET>& tables, const Request& request,
                       const EventPlace& place);
NTSTATUS answer_disable(nt::Machine& machine, IRP& irp, const EventPlace& place);

}  // namespace ks
