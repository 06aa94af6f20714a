#pragma once

#include "abi/ks/ks.h"
#include "ks/object/request.h"
#include "ks/property/set_table.h"

// IOCTL_KS_METHOD. Pages: stream/ksmethod-structure, ns-ks-ksmethod_item.
namespace ks {

// Answers one request from the tables. The status is what the IRP is to be completed with, unless it is STATUS_PENDING.
NTSTATUS answer_method(const Subject& subject, const Layers<KSMETHOD_SET>& tables, const Request& request);

}  // namespace ks
