#pragma once

#include "abi/ks/ks.h"
#include "ks/object/request.h"
#include "ks/property/set_table.h"

// IOCTL_KS_PROPERTY. Pages: stream/ksproperty-structure (what each flag asks for), ns-ks-ksproperty_item.
namespace ks {

// Answers one request from the tables. The status is what the IRP is to be completed with, unless it is STATUS_PENDING.
NTSTATUS answer_property(const Subject& subject, const Layers<KSPROPERTY_SET>& tables, const Request& request);

// What the class answers from a row's other members: basic support, default values, relations; property_support.cc.
NTSTATUS answer_basic_support(const Request& request, const KSPROPERTY_ITEM& item);
NTSTATUS answer_default_values(const Request& request, const KSPROPERTY_ITEM& item);
NTSTATUS answer_relations(const Request& request, const KSPROPERTY_ITEM& item);

// All properties of a set that can be serialised, at once; property_serial.cc.
NTSTATUS serialize(const Subject& subject, const SetList<KSPROPERTY_SET>& table, const KSPROPERTY_SET& set,
                   const Request& request);
NTSTATUS unserialize(const Subject& subject, const SetList<KSPROPERTY_SET>& table, const KSPROPERTY_SET& set,
                     const Request& request);

}  // namespace ks
