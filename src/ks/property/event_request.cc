#include "ks/property/event_request.h"

#include <cstring>

#include "ks/exports/callback.h"
#include "ks/property/event_entry.h"

namespace ks {
namespace {

constexpr ULONG kEnables = KSEVENT_TYPE_ENABLE | KSEVENT_TYPE_ONESHOT | KSEVENT_TYPE_ENABLEBUFFERED;

FILE_OBJECT* file_of(IRP& irp) { return IoGetCurrentIrpStackLocation(&irp)->FileObject; }

class Enable {
 public:
  Enable(const Subject& subject, const Request& request, const Row<KSEVENT_SET>& row, const EventPlace& place)
      : subject_(subject), request_(request), row_(row), place_(place) {}

  NTSTATUS run() {
    auto made = make();
    if (!made.ok()) return refuse(irp(), made.failure());
    KSEVENT_ENTRY& entry = *made.value();
    irp().Tail.Overlay.DriverContext[0] = &entry;
    if (!row_.item->AddHandler) return add(entry);
    auto* data = static_cast<KSEVENTDATA*>(request_.data());
    NTSTATUS status = row_.drivers ? call(subject_.machine, Ddi::AddEvent, subject_.scope, row_.item->AddHandler,
                                          &irp(), data, &entry)
                                   : row_.item->AddHandler(&irp(), data, &entry);
    if (!NT_SUCCESS(status)) EventEntry::of(entry).discard();
    return status;
  }

 private:
  IRP& irp() const { return request_.irp(); }

  base::Result<KSEVENT_ENTRY*> make() {
    if (request_.data_bytes() < std::max<size_t>(row_.item->DataInput, sizeof(KSEVENTDATA))) {
      return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the event's data is cut short");
    }
    TRY(request_.read_data());
    return EventEntry::make({.machine = subject_.machine,
                             .scope = subject_.scope,
                             .drivers = row_.drivers,
                             .set = *row_.set,
                             .item = *row_.item,
                             .file = file_of(irp()),
                             .mode = irp().RequestorMode,
                             .flags = request_.id().Flags,
                             .notification = *static_cast<const KSEVENTDATA*>(request_.data()),
                             .clients = static_cast<KSEVENTDATA*>(irp().UserBuffer)});
  }

  NTSTATUS add(KSEVENT_ENTRY& entry) {
    EventEntry& kept = EventEntry::of(entry);
    if (!place_.list) {
      kept.discard();
      return refuse(irp(), base::Failure(STATUS_INVALID_PARAMETER, "there is no list to add the event to"));
    }
    add_event(subject_.machine, *place_.list, place_.lock, kept);
    return STATUS_SUCCESS;
  }

  const Subject& subject_;
  const Request& request_;
  const Row<KSEVENT_SET> row_;
  const EventPlace& place_;
};

NTSTATUS answer_query(const Subject& subject, const Request& request, const EventPlace& place) {
  IRP& irp = request.irp();
  if (request.id_bytes() < sizeof(KSQUERYBUFFER) || !place.list) {
    return refuse(irp, base::Failure(STATUS_INVALID_BUFFER_SIZE, "the query of a buffered event is cut short"));
  }
  const auto& query = reinterpret_cast<const KSQUERYBUFFER&>(request.id());
  if (auto able = request.returns_data(); !able.ok()) return refuse(irp, able.failure());
  auto found = query_buffer(subject.machine, *place.list, place.lock, file_of(irp), query.EventData);
  if (!found.ok()) return refuse(irp, found.failure());
  std::vector<uint8_t> data = found.take();
  if (auto room = need_room(request, data.size()); !room.ok()) return refuse(irp, room.failure());
  if (!data.empty()) memcpy(request.data(), data.data(), data.size());
  irp.IoStatus.Information = data.size();
  return STATUS_SUCCESS;
}

NTSTATUS answer_support(const Subject& subject, const Request& request, const Row<KSEVENT_SET>& row) {
  IRP& irp = request.irp();
  if (!row.item->SupportHandler) return STATUS_SUCCESS;
  if (auto able = request.returns_data(); !able.ok()) return refuse(irp, able.failure());
  NTSTATUS status = run_handler(subject, Ddi::SupportHandler, row.drivers, row.item->SupportHandler, irp, &request.id(),
                                request.data());
  return status == STATUS_SOME_NOT_MAPPED ? STATUS_SUCCESS : status;
}

}  // namespace

NTSTATUS answer_enable(const Subject& subject, const Layers<KSEVENT_SET>& tables, const Request& request,
                       const EventPlace& place) {
  IRP& irp = request.irp();
  irp.IoStatus.Information = 0;
  const KSIDENTIFIER& id = request.id();
  ULONG asked = id.Flags & ~ULONG{KSEVENT_TYPE_TOPOLOGY};
  if (asked == KSEVENT_TYPE_QUERYBUFFER) return answer_query(subject, request, place);
  Row<KSEVENT_SET> row = tables.find(id.Set, id.Id);
  if (!row.set) return refuse(irp, base::Failure(STATUS_PROPSET_NOT_FOUND, "no table knows that event set"));
  if (asked == KSEVENT_TYPE_SETSUPPORT) return STATUS_SUCCESS;
  if (!row.item) return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the event set has no such event"));
  note_rows(irp, row.set, row.item);
  if (asked == KSEVENT_TYPE_BASICSUPPORT) return answer_support(subject, request, row);
  if ((asked & kEnables) && !(asked & ~kEnables)) return Enable(subject, request, row, place).run();
  return refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the flags of the event name no one request"));
}

// The client's pointer to its KSEVENTDATA identifies the event; it is never dereferenced. No pointer and no length: all
// of them.
NTSTATUS answer_disable(nt::Machine& machine, IRP& irp, const EventPlace& place) {
  irp.IoStatus.Information = 0;
  const auto& sizes = IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl;
  if (sizes.InputBufferLength == 0) {
    disable_events(machine, *place.list, place.lock, file_of(irp), nullptr);
    return STATUS_SUCCESS;
  }
  if (sizes.InputBufferLength < sizeof(KSEVENTDATA)) {
    return refuse(irp, base::Failure(STATUS_INVALID_BUFFER_SIZE, "less than the data of an event names the event"));
  }
  const auto* data = static_cast<const KSEVENTDATA*>(sizes.Type3InputBuffer);
  if (data && disable_events(machine, *place.list, place.lock, file_of(irp), data)) return STATUS_SUCCESS;
  return refuse(irp, base::Failure(STATUS_UNSUCCESSFUL, "no such event is enabled"));
}

}  // namespace ks
