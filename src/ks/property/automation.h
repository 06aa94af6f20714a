#pragma once

#include <cstdint>
#include <vector>

#include "abi/ks/ks.h"
#include "ks/property/set_table.h"

namespace ks {

class EventList;
class Object;

// The properties, methods and events of one kind of object: the driver's automation table over the class's own, item by
// item (the driver's supersedes). Built once per object; reads only afterwards.
class Automation {
 public:
  // `drivers` null: the class's own alone. The tables outlive it.
  Automation(const KSAUTOMATION_TABLE* drivers, const KSAUTOMATION_TABLE& own);

  const KSPROPERTY_ITEM* property(const GUID& set, ULONG id) const;
  bool is_drivers(const void* item) const;  // the item is in the driver's table, not in the class's

  const Layers<KSPROPERTY_SET>& properties() const { return properties_; }
  const Layers<KSMETHOD_SET>& methods() const { return methods_; }
  const Layers<KSEVENT_SET>& events() const { return events_; }

 private:
  Layers<KSPROPERTY_SET> properties_;
  Layers<KSMETHOD_SET> methods_;
  Layers<KSEVENT_SET> events_;
};

// What every filter and pin has: handlers in filter_properties.cc, pin_properties.cc, connection_properties.cc, …
const KSAUTOMATION_TABLE& filter_automation();
const KSAUTOMATION_TABLE& pin_automation();

// IOCTL_KS_PROPERTY, _METHOD, _ENABLE_EVENT, _DISABLE_EVENT on an object. The caller holds its control mutex and
// completes the IRP with the returned status, unless that is STATUS_PENDING. Input is read and output is written once,
// with checked copies; a request that names a topology node is answered from that node's table.
NTSTATUS handle_property(Object& object, const Automation& automation, IRP& irp);
NTSTATUS handle_method(Object& object, const Automation& automation, IRP& irp);
NTSTATUS handle_enable_event(Object& object, const Automation& automation, IRP& irp);
NTSTATUS handle_disable_event(EventList& events, IRP& irp);

// The same for nodes that are no objects (allocators, clocks): handlers get the IRP alone, as KsPropertyHandler does.
NTSTATUS handle_property_sets(IRP& irp, ULONG count, const KSPROPERTY_SET* sets);
NTSTATUS handle_method_sets(IRP& irp, ULONG count, const KSMETHOD_SET* sets);
NTSTATUS handle_event_sets(IRP& irp, ULONG count, const KSEVENT_SET* sets, EventList& events);

}  // namespace ks
