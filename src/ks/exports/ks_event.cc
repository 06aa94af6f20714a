// Events, as drivers keep and generate them. Pages: nf-ks-ksenableevent, nf-ks-ksgenerateevents, …
#include <fmt/format.h>

#include "ks/exports/kernel_entry.h"
#include "ks/object/file_node.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"
#include "ks/property/event_entry.h"
#include "ks/property/event_list.h"
#include "ks/property/event_request.h"
#include "nt/mm/pool.h"

using ks::EventEntry;
using ks::EventPlace;
using ks::Fn;
using ks::KernelEntry;

namespace {

NTSTATUS enable(const KernelEntry& call, IRP& irp, ULONG count, const KSEVENT_SET* sets, const EventPlace& place,
                PFNKSALLOCATOR allocator, ULONG item_bytes) {
  irp.IoStatus.Information = 0;
  if (item_bytes % 8 || (item_bytes && item_bytes < sizeof(KSEVENT_ITEM))) {
    return call.refuse(
        base::Failure(STATUS_INVALID_PARAMETER, "the size of an item is no multiple of 8, or too small"));
  }
  ks::Subject subject{call.machine(), call.drivers_scope()};
  auto request = ks::Request::open(subject, irp, allocator);
  if (!request.ok()) return call.refuse(request.failure());
  ks::Layers<KSEVENT_SET> tables;
  tables.upper = {sets, count, item_bytes ? item_bytes : static_cast<ULONG>(sizeof(KSEVENT_ITEM)), true};
  return ks::answer_enable(subject, tables, request.value(), place);
}

// The list of the filter or pin that a request is for; null when the file is of something else.
ks::EventList* events_behind(IRP& irp) {
  ks::FileNode* node = ks::node_of(IoGetCurrentIrpStackLocation(&irp)->FileObject);
  if (!node) return nullptr;
  if (node->kind() == ks::NodeKind::Filter) return &static_cast<ks::Filter*>(node)->events();
  if (node->kind() == ks::NodeKind::Pin) return &static_cast<ks::Pin*>(node)->events();
  return nullptr;
}

// both are read under a spin lock.
void judge_memory(const KernelEntry& call, const void* at, const char* what) {
  auto block = at ? call.machine().pool().find(reinterpret_cast<uintptr_t>(at)) : std::nullopt;
  if (!block || block->freed || block->kind != nt::PoolKind::Paged) return;
  call.report_violation(
      nt::Violation::KsEventContextPaged,
      fmt::format("KsGenerateEvents was given {} in {}, which is paged pool", what, nt::Pool::describe(*block)));
}

}  // namespace

extern "C" {

NTSTATUS KsEnableEvent(PIRP irp, ULONG count, const KSEVENT_SET* sets, PLIST_ENTRY list, KSEVENTS_LOCKTYPE type,
                       PVOID lock) {
  KernelEntry call{Fn::KsEnableEvent};
  return enable(call, *irp, count, sets, {list, {type, lock}}, nullptr, 0);
}

NTSTATUS KsEnableEventWithAllocator(PIRP irp, ULONG count, const KSEVENT_SET* sets, PLIST_ENTRY list,
                                    KSEVENTS_LOCKTYPE type, PVOID lock, PFNKSALLOCATOR allocator, ULONG item_bytes) {
  KernelEntry call{Fn::KsEnableEventWithAllocator};
  return enable(call, *irp, count, sets, {list, {type, lock}}, allocator, item_bytes);
}

NTSTATUS KsDisableEvent(PIRP irp, PLIST_ENTRY list, KSEVENTS_LOCKTYPE type, PVOID lock) {
  KernelEntry call{Fn::KsDisableEvent};
  return ks::answer_disable(call.machine(), *irp, {list, {type, lock}});
}

VOID KsFreeEventList(PFILE_OBJECT file, PLIST_ENTRY list, KSEVENTS_LOCKTYPE type, PVOID lock) {
  KernelEntry call{Fn::KsFreeEventList};
  ks::disable_events(call.machine(), *list, {type, lock}, file, nullptr);
}

VOID KsDiscardEvent(PKSEVENT_ENTRY entry) {
  KernelEntry call{Fn::KsDiscardEvent};
  if (EventEntry* found = EventEntry::find(call.machine(), entry, call.name())) found->discard();
}

NTSTATUS KsGenerateEvent(PKSEVENT_ENTRY entry) {
  KernelEntry call{Fn::KsGenerateEvent};
  if (!EventEntry::find(call.machine(), entry, call.name())) return STATUS_INVALID_PARAMETER;
  return ks::generate_event(call.machine(), *entry);
}

NTSTATUS KsGenerateDataEvent(PKSEVENT_ENTRY entry, ULONG bytes, PVOID data) {
  KernelEntry call{Fn::KsGenerateDataEvent};
  if (!EventEntry::find(call.machine(), entry, call.name())) return STATUS_INVALID_PARAMETER;
  return ks::generate_data_event(call.machine(), *entry, bytes, data);
}

VOID KsGenerateEventList(GUID* set, ULONG id, PLIST_ENTRY list, KSEVENTS_LOCKTYPE type, PVOID lock) {
  KernelEntry call{Fn::KsGenerateEventList};
  ks::generate_events(call.machine(), *list, {type, lock}, {set, id, 0, nullptr, nullptr, nullptr, nullptr});
}

void KsGenerateEvents(PVOID body, const GUID* set, ULONG id, ULONG bytes, PVOID data, PFNKSGENERATEEVENTCALLBACK test,
                      PVOID context) {
  KernelEntry call{Fn::KsGenerateEvents};
  ks::Object* object = call.system().object(body, call.name());
  if (!object) return;
  judge_memory(call, data, "Data");
  judge_memory(call, context, "CallBackContext");
  object->events().generate(set, id, bytes, data, test, context, call.drivers_scope());
}

void KsAddEvent(PVOID body, PKSEVENT_ENTRY entry) {
  KernelEntry call{Fn::KsAddEvent};
  ks::Object* object = call.system().object(body, call.name());
  if (object && EventEntry::find(call.machine(), entry, call.name())) object->events().add(*entry);
}

NTSTATUS KsDefaultAddEventHandler(PIRP irp, PKSEVENTDATA, PKSEVENT_ENTRY entry) {
  KernelEntry call{Fn::KsDefaultAddEventHandler};
  ks::EventList* events = events_behind(*irp);
  if (!events) return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "the request is for no filter and no pin"));
  if (!EventEntry::find(call.machine(), entry, call.name())) return STATUS_INVALID_PARAMETER;
  events->add(*entry);
  return STATUS_SUCCESS;
}

}  // extern "C"
