// Properties and methods, as drivers that dispatch their own requests have them answered. Pages:
// nf-ks-kspropertyhandler, nf-ks-ksmethodhandler, …
#include <fmt/format.h>

#include "ks/exports/callback.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/descriptor_query.h"
#include "ks/pin/data_intersection.h"
#include "ks/property/automation_merge.h"
#include "ks/property/method_request.h"
#include "ks/property/property_request.h"
#include "nt/mm/pool.h"

using ks::Fn;
using ks::KernelEntry;
using ks::Request;
using ks::Subject;

namespace {

Subject subject_of(const KernelEntry& call) { return {call.machine(), call.drivers_scope()}; }

// "On 64-bit platforms, this parameter must be a multiple of 8."
template <typename Set>
base::Result<ks::Layers<Set>> driver_sets(ULONG count, const Set* sets, ULONG item_bytes) {
  if (item_bytes % 8) return base::Failure(STATUS_INVALID_PARAMETER, "the size of an item is no multiple of 8");
  if (!item_bytes) item_bytes = sizeof(ks::ItemOf<Set>);
  if (item_bytes < sizeof(ks::ItemOf<Set>)) {
    return base::Failure(STATUS_INVALID_PARAMETER, "an item is shorter than documented");
  }
  return ks::Layers<Set>{{sets, count, item_bytes, true}, {}};
}

NTSTATUS property(const KernelEntry& call, IRP& irp, ULONG count, const KSPROPERTY_SET* sets, PFNKSALLOCATOR allocator,
                  ULONG item_bytes) {
  irp.IoStatus.Information = 0;
  auto tables = driver_sets(count, sets, item_bytes);
  if (!tables.ok()) return call.refuse(tables.failure());
  Subject subject = subject_of(call);
  auto request = Request::open(subject, irp, allocator);
  if (!request.ok()) return call.refuse(request.failure());
  return ks::answer_property(subject, tables.value(), request.value());
}

NTSTATUS method(const KernelEntry& call, IRP& irp, ULONG count, const KSMETHOD_SET* sets, PFNKSALLOCATOR allocator,
                ULONG item_bytes) {
  irp.IoStatus.Information = 0;
  auto tables = driver_sets(count, sets, item_bytes);
  if (!tables.ok()) return call.refuse(tables.failure());
  Subject subject = subject_of(call);
  auto request = Request::open(subject, irp, allocator);
  if (!request.ok()) return call.refuse(request.failure());
  return ks::answer_method(subject, tables.value(), request.value());
}

// Runs one handler on a request that was opened before: "the caller has previously dispatched this IRP".
NTSTATUS dispatch_specific(const KernelEntry& call, IRP& irp, PFNKSHANDLER handler, ks::Ddi ddi) {
  auto request = Request::open(call.machine(), irp);
  if (!request.ok()) return call.refuse(request.failure());
  return ks::run_handler(subject_of(call), ddi, true, handler, irp, &request.value().id(), request.value().data());
}

ULONG id_of(const KSFASTPROPERTY_ITEM& item) { return item.PropertyId; }
ULONG id_of(const KSFASTMETHOD_ITEM& item) { return item.MethodId; }

// The row of a fast table; null: an IRP is to be made.
template <typename Set>
auto* fast_row(const KSIDENTIFIER& id, ULONG count, const Set* sets) {
  for (ULONG i = 0; i < count; ++i) {
    if (*sets[i].Set != id.Set) continue;
    for (ULONG j = 0; j < sets[i].FastIoCount; ++j) {
      if (id_of(sets[i].FastIoTable[j]) == id.Id) return &sets[i].FastIoTable[j];
    }
  }
  return decltype(sets->FastIoTable){nullptr};
}
BOOLEAN run_fast(const KernelEntry& call, PFNKSFASTHANDLER handler, FILE_OBJECT* file, KSIDENTIFIER* id, ULONG id_bytes,
                 void* data, ULONG data_bytes, IO_STATUS_BLOCK* status) {
  if (!handler) return FALSE;
  return ks::call(call.machine(), ks::Ddi::FastHandler, call.drivers_scope(), handler, file, id, id_bytes, data,
                  data_bytes, status);
}

base::Result<const KSPIN_DESCRIPTOR*> descriptor_at(const KSP_PIN& pin, ULONG count, const KSPIN_DESCRIPTOR* first,
                                                    size_t bytes) {
  if (pin.PinId >= count) return base::Failure(STATUS_INVALID_PARAMETER, "there is no pin factory of that id");
  const auto* at = reinterpret_cast<const uint8_t*>(first) + pin.PinId * bytes;
  return reinterpret_cast<const KSPIN_DESCRIPTOR*>(at);
}

// "If an input table is in an object bag at call-time, AVStream removes the table from the object bag."
void let_go(ks::Bag* bag, KSAUTOMATION_TABLE* table) {
  if (bag && table && bag->contains(table)) bag->remove(table, true);
}

}  // namespace

extern "C" {

NTSTATUS KsPropertyHandler(PIRP irp, ULONG count, const KSPROPERTY_SET* sets) {
  KernelEntry call{Fn::KsPropertyHandler};
  return property(call, *irp, count, sets, nullptr, 0);
}

NTSTATUS KsPropertyHandlerWithAllocator(PIRP irp, ULONG count, const KSPROPERTY_SET* sets, PFNKSALLOCATOR allocator,
                                        ULONG item_bytes) {
  KernelEntry call{Fn::KsPropertyHandlerWithAllocator};
  return property(call, *irp, count, sets, allocator, item_bytes);
}

BOOLEAN KsFastPropertyHandler(PFILE_OBJECT file, PKSPROPERTY id, ULONG id_bytes, PVOID data, ULONG data_bytes,
                              PIO_STATUS_BLOCK status, ULONG count, const KSPROPERTY_SET* sets) {
  KernelEntry call{Fn::KsFastPropertyHandler};
  if (id_bytes < sizeof(*id)) return FALSE;
  const KSFASTPROPERTY_ITEM* row = fast_row(*id, count, sets);
  if (!row) return FALSE;
  PFNKSFASTHANDLER handler = id->Flags == KSPROPERTY_TYPE_GET   ? row->GetPropertyHandler
                             : id->Flags == KSPROPERTY_TYPE_SET ? row->SetPropertyHandler
                                                                : nullptr;
  return run_fast(call, handler, file, id, id_bytes, data, data_bytes, status);
}

NTSTATUS KsDispatchSpecificProperty(PIRP irp, PFNKSHANDLER handler) {
  KernelEntry call{Fn::KsDispatchSpecificProperty};
  return dispatch_specific(call, *irp, handler, ks::Ddi::PropertyHandler);
}

NTSTATUS KsMethodHandler(PIRP irp, ULONG count, const KSMETHOD_SET* sets) {
  KernelEntry call{Fn::KsMethodHandler};
  return method(call, *irp, count, sets, nullptr, 0);
}

NTSTATUS KsMethodHandlerWithAllocator(PIRP irp, ULONG count, const KSMETHOD_SET* sets, PFNKSALLOCATOR allocator,
                                      ULONG item_bytes) {
  KernelEntry call{Fn::KsMethodHandlerWithAllocator};
  return method(call, *irp, count, sets, allocator, item_bytes);
}

BOOLEAN KsFastMethodHandler(PFILE_OBJECT file, PKSMETHOD id, ULONG id_bytes, PVOID data, ULONG data_bytes,
                            PIO_STATUS_BLOCK status, ULONG count, const KSMETHOD_SET* sets) {
  KernelEntry call{Fn::KsFastMethodHandler};
  if (id_bytes < sizeof(*id)) return FALSE;
  const KSFASTMETHOD_ITEM* row = fast_row(*id, count, sets);
  if (!row || id->Flags & (KSMETHOD_TYPE_SETSUPPORT | KSMETHOD_TYPE_BASICSUPPORT)) return FALSE;
  return run_fast(call, row->MethodHandler, file, id, id_bytes, data, data_bytes, status);
}

NTSTATUS KsDispatchSpecificMethod(PIRP irp, PFNKSHANDLER handler) {
  KernelEntry call{Fn::KsDispatchSpecificMethod};
  return dispatch_specific(call, *irp, handler, ks::Ddi::MethodHandler);
}

NTSTATUS KsHandleSizedListQuery(PIRP irp, ULONG count, ULONG item_bytes, const VOID* items) {
  KernelEntry call{Fn::KsHandleSizedListQuery};
  return ks::answer_list(*irp, count, item_bytes, items);
}

NTSTATUS KsPinPropertyHandler(PIRP irp, PKSPROPERTY id, PVOID, ULONG count, const KSPIN_DESCRIPTOR* descriptors) {
  KernelEntry call{Fn::KsPinPropertyHandler};
  if (id->Id == KSPROPERTY_PIN_CTYPES) return ks::answer_value(*irp, count);
  auto found = descriptor_at(*reinterpret_cast<const KSP_PIN*>(id), count, descriptors, sizeof(*descriptors));
  if (!found.ok()) return ks::refuse(*irp, found.failure());
  return ks::answer_pin_member(*irp, *found.value(), id->Id);
}

NTSTATUS KsPinDataIntersection(PIRP irp, PKSP_PIN pin, PVOID data, ULONG count, const KSPIN_DESCRIPTOR* descriptors,
                               PFNKSINTERSECTHANDLER handler) {
  KernelEntry call{Fn::KsPinDataIntersection};
  auto found = descriptor_at(*pin, count, descriptors, sizeof(*descriptors));
  if (!found.ok()) return ks::refuse(*irp, found.failure());
  return ks::intersect(*irp, *pin, *found.value(), [&](KSDATARANGE& clients, KSDATARANGE&) {
    return ks::call(call.machine(), ks::Ddi::Intersect, call.drivers_scope(), handler, irp, pin, &clients, data);
  });
}

NTSTATUS KsPinDataIntersectionEx(PIRP irp, PKSP_PIN pin, PVOID, ULONG count, const KSPIN_DESCRIPTOR* descriptors,
                                 ULONG descriptor_bytes, PFNKSINTERSECTHANDLEREX handler, PVOID context) {
  KernelEntry call{Fn::KsPinDataIntersectionEx};
  auto found = descriptor_at(*pin, count, descriptors, descriptor_bytes);
  if (!found.ok()) return ks::refuse(*irp, found.failure());
  return ks::intersect(*irp, *pin, *found.value(), [&](KSDATARANGE& clients, KSDATARANGE& pins) {
    if (!handler) return ks::intersect_plain(*irp, clients, pins);
    return ks::call_intersect(subject_of(call), {handler, context}, *irp, *pin, clients, pins);
  });
}

NTSTATUS KsTopologyPropertyHandler(PIRP irp, PKSPROPERTY id, PVOID, const KSTOPOLOGY* topology) {
  KernelEntry call{Fn::KsTopologyPropertyHandler};
  return ks::answer_topology_member(*irp, *id, *topology);
}

NTSTATUS KsMergeAutomationTables(PKSAUTOMATION_TABLE* merged, PKSAUTOMATION_TABLE first, PKSAUTOMATION_TABLE second,
                                 KSOBJECT_BAG handle) {
  KernelEntry call{Fn::KsMergeAutomationTables};
  if (!first && !second) return STATUS_SUCCESS;
  ks::Bag* bag = handle ? call.system().bag(handle, call.name()) : nullptr;
  if (handle && !bag) return STATUS_INVALID_PARAMETER;
  if (bag && bag->control() && !bag->control()->held()) {
    call.report_violation(nt::Violation::KsBagWithoutMutex,
                          fmt::format("{} without holding the mutex that guards the object bag", call.name()));
  }
  auto result = ks::merge(first, second, [&](size_t bytes) -> void* {
    nt::Machine& machine = call.machine();
    if (machine.fails(nt::FaultKind::Pool, "KSPROPERTY")) return nullptr;
    return machine.pool().allocate(bytes, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
  });
  if (!result.ok()) return call.refuse(result.failure());
  *merged = result.value();
  if (bag) bag->add(*merged, nullptr);
  let_go(bag, first);
  let_go(bag, second);
  return STATUS_SUCCESS;
}

}  // extern "C"
