#include "ks/property/automation.h"

#include "ks/object/filter.h"
#include "ks/object/object.h"
#include "ks/pin/pin.h"
#include "ks/property/event_list.h"
#include "ks/property/event_request.h"
#include "ks/property/method_request.h"
#include "ks/property/property_request.h"

namespace ks {
namespace {

ULONG item_bytes(ULONG given, size_t least) { return given ? given : static_cast<ULONG>(least); }

SetList<KSPROPERTY_SET> properties_of(const KSAUTOMATION_TABLE& table, bool drivers) {
  return {table.PropertySets, table.PropertySetsCount, item_bytes(table.PropertyItemSize, sizeof(KSPROPERTY_ITEM)),
          drivers};
}

SetList<KSMETHOD_SET> methods_of(const KSAUTOMATION_TABLE& table, bool drivers) {
  return {table.MethodSets, table.MethodSetsCount, item_bytes(table.MethodItemSize, sizeof(KSMETHOD_ITEM)), drivers};
}

SetList<KSEVENT_SET> events_of(const KSAUTOMATION_TABLE& table, bool drivers) {
  return {table.EventSets, table.EventSetsCount, item_bytes(table.EventItemSize, sizeof(KSEVENT_ITEM)), drivers};
}

template <typename Set>
bool holds(const SetList<Set>& list, const void* item) {
  for (ULONG i = 0; i < list.count; ++i) {
    for (ULONG j = 0; j < count_of(list.sets[i]); ++j) {
      if (&list.item(list.sets[i], j) == item) return true;
    }
  }
  return false;
}

// --- Topology nodes ---

Filter& filter_of(Object& object) {
  return object.type() == KsObjectTypePin ? static_cast<Pin&>(object).filter() : static_cast<Filter&>(object);
}

// The table of the node that the request names. The NodeId stands in the same place in KSP_NODE, KSM_NODE and KSE_NODE.
base::Result<const KSAUTOMATION_TABLE*> node_table(Object& object, const Request& request) {
  if (request.id_bytes() < sizeof(KSP_NODE)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "a request to a topology node is cut short");
  }
  const std::vector<const KSNODE_DESCRIPTOR*>& nodes = filter_of(object).nodes();
  ULONG node = reinterpret_cast<const KSP_NODE&>(request.id()).NodeId;
  if (node >= nodes.size()) {
    return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the filter has no topology node of that id");
  }
  return nodes[node]->AutomationTable;
}

// The tables that a request is answered from: the object's, or one node's. What the class answers of a node itself
// (KSPROPERTY_TOPOLOGY_NAME) is asked in the same way.
template <typename Set, typename Of>
base::Result<Layers<Set>> tables_for(Object& object, const Layers<Set>& own, const Request& request, Of&& of) {
  static_assert(KSPROPERTY_TYPE_TOPOLOGY == KSMETHOD_TYPE_TOPOLOGY && KSMETHOD_TYPE_TOPOLOGY == KSEVENT_TYPE_TOPOLOGY);
  if (!(request.id().Flags & KSPROPERTY_TYPE_TOPOLOGY)) return own;
  const KSAUTOMATION_TABLE* table = TRY(node_table(object, request));
  return Layers<Set>{table ? of(*table, true) : SetList<Set>{}, own.lower};
}

template <typename Set, typename Of, typename Answer>
NTSTATUS handle(Object& object, const Layers<Set>& own, IRP& irp, Of&& of, Answer&& answer) {
  auto opened = Request::open(object.machine(), irp);
  if (!opened.ok()) return refuse(irp, opened.failure());
  Request request = opened.take();
  auto tables = tables_for(object, own, request, of);
  if (!tables.ok()) return refuse(irp, tables.failure());
  return answer(Subject{object.machine(), &object.scope()}, tables.value(), request);
}

template <typename Set, typename Answer>
NTSTATUS handle_sets(IRP& irp, ULONG count, const Set* sets, Answer&& answer) {
  nt::Machine& machine = *nt::Machine::current();
  auto opened = Request::open(machine, irp);
  if (!opened.ok()) return refuse(irp, opened.failure());
  Layers<Set> tables;
  tables.upper.sets = sets;
  tables.upper.count = count;
  return answer(Subject{machine, nullptr}, tables, opened.value());
}

}  // namespace

Automation::Automation(const KSAUTOMATION_TABLE* drivers, const KSAUTOMATION_TABLE& own)
    : properties_{{}, properties_of(own, false)},
      methods_{{}, methods_of(own, false)},
      events_{{}, events_of(own, false)} {
  if (!drivers) return;
  properties_.upper = properties_of(*drivers, true);
  methods_.upper = methods_of(*drivers, true);
  events_.upper = events_of(*drivers, true);
}

const KSPROPERTY_ITEM* Automation::property(const GUID& set, ULONG id) const { return properties_.find(set, id).item; }

bool Automation::is_drivers(const void* item) const {
  return holds(properties_.upper, item) || holds(methods_.upper, item) || holds(events_.upper, item);
}

NTSTATUS handle_property(Object& object, const Automation& automation, IRP& irp) {
  return handle(object, automation.properties(), irp, properties_of, answer_property);
}

NTSTATUS handle_method(Object& object, const Automation& automation, IRP& irp) {
  return handle(object, automation.methods(), irp, methods_of, answer_method);
}

NTSTATUS handle_enable_event(Object& object, const Automation& automation, IRP& irp) {
  EventList& events = object.events();
  return handle(object, automation.events(), irp, events_of,
                [&](const Subject& subject, const Layers<KSEVENT_SET>& tables, const Request& request) {
                  return answer_enable(subject, tables, request, {&events.entries(), events.guard()});
                });
}

NTSTATUS handle_disable_event(EventList& events, IRP& irp) {
  return answer_disable(*nt::Machine::current(), irp, {&events.entries(), events.guard()});
}

NTSTATUS handle_property_sets(IRP& irp, ULONG count, const KSPROPERTY_SET* sets) {
  return handle_sets(irp, count, sets, answer_property);
}

NTSTATUS handle_method_sets(IRP& irp, ULONG count, const KSMETHOD_SET* sets) {
  return handle_sets(irp, count, sets, answer_method);
}

NTSTATUS handle_event_sets(IRP& irp, ULONG count, const KSEVENT_SET* sets, EventList& events) {
  return handle_sets(irp, count, sets,
                     [&](const Subject& subject, const Layers<KSEVENT_SET>& tables, const Request& request) {
                       return answer_enable(subject, tables, request, {&events.entries(), events.guard()});
                     });
}

}  // namespace ks
