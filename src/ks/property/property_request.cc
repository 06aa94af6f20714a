#include "ks/property/property_request.h"

#include <vector>

namespace ks {
namespace {

using Tables = Layers<KSPROPERTY_SET>;

// Flags that say how, not what.
constexpr ULONG kManner = KSPROPERTY_TYPE_TOPOLOGY | KSPROPERTY_TYPE_HIGHPRIORITY | KSPROPERTY_TYPE_FSFILTERSCOPE;

base::Failure no_set(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_PROPSET_NOT_FOUND, "no table knows that property set", where);
}

base::Failure no_item(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NOT_FOUND, "the property set has no such property", where);
}

// Which sets there are: the driver's, then those of the class that it has not.
NTSTATUS answer_sets(const Tables& tables, const Request& request) {
  std::vector<GUID> sets;
  for (ULONG i = 0; i < tables.upper.count; ++i) sets.push_back(*tables.upper.sets[i].Set);
  for (ULONG i = 0; i < tables.lower.count; ++i) {
    const GUID& set = *tables.lower.sets[i].Set;
    if (!tables.upper.find(set)) sets.push_back(set);
  }
  if (auto room = request.returns_data(); !room.ok()) return refuse(request.irp(), room.failure());
  return answer_list(request.irp(), static_cast<ULONG>(sets.size()), sizeof(GUID), sets.data());
}

NTSTATUS answer_set_support(const Tables& tables, const Request& request) {
  if (request.id().Set == GUID_NULL) return answer_sets(tables, request);
  return tables.find(request.id().Set, 0).set ? STATUS_SUCCESS : refuse(request.irp(), no_set());
}

class PropertyCall {
 public:
  PropertyCall(const Subject& subject, const Request& request, const Row<KSPROPERTY_SET>& row)
      : subject_(subject), request_(request), row_(row) {}

  NTSTATUS get() {
    if (!item().GetPropertyHandler)
      return refuse(irp(), base::Failure(STATUS_NOT_FOUND, "the property cannot be read"));
    if (auto room = need_room(request_, item().MinData); !room.ok()) return refuse(irp(), room.failure());
    if (auto able = request_.returns_data(); !able.ok()) return refuse(irp(), able.failure());
    irp().IoStatus.Information = item().MinData;  // unless the handler says otherwise; ours
    NTSTATUS status = run(item().GetPropertyHandler);
    if (NT_ERROR(status)) irp().IoStatus.Information = 0;
    return status == STATUS_PENDING ? status : finished(status);
  }

  NTSTATUS set() {
    if (!item().SetPropertyHandler) return refuse(irp(), base::Failure(STATUS_NOT_FOUND, "the property cannot be set"));
    if (request_.data_bytes() < item().MinData) {
      return refuse(irp(), base::Failure(STATUS_BUFFER_TOO_SMALL, "the property's data is cut short"));
    }
    if (auto read = request_.read_data(); !read.ok()) return refuse(irp(), read.failure());
    return run(item().SetPropertyHandler);
  }

  // What the driver's support handler leaves to the class (STATUS_SOME_NOT_MAPPED), or all of it without one.
  template <typename Answer>
  NTSTATUS support(Answer&& answer) {
    if (auto able = request_.returns_data(); !able.ok()) return refuse(irp(), able.failure());
    if (item().SupportHandler) {
      NTSTATUS status = run(item().SupportHandler, Ddi::SupportHandler);
      if (status != STATUS_SOME_NOT_MAPPED) return status == STATUS_PENDING ? status : finished(status);
    }
    return finished(answer());
  }

  // Only the driver knows its own format.
  NTSTATUS raw(bool reads) {
    if (!item().SupportHandler) {
      return refuse(irp(), base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the property has no raw form"));
    }
    auto ready = reads ? request_.read_data() : request_.returns_data();
    if (!ready.ok()) return refuse(irp(), ready.failure());
    NTSTATUS status = run(item().SupportHandler, Ddi::SupportHandler);
    return reads || status == STATUS_PENDING ? status : finished(status);
  }

  NTSTATUS serialized_size() {
    return support([this] {
      if (auto room = need_room(request_, sizeof(ULONG)); !room.ok()) return refuse(irp(), room.failure());
      *static_cast<ULONG*>(request_.data()) = item().SerializedSize;
      irp().IoStatus.Information = sizeof(ULONG);
      return NTSTATUS{STATUS_SUCCESS};
    });
  }

 private:
  const KSPROPERTY_ITEM& item() const { return *row_.item; }
  IRP& irp() const { return request_.irp(); }

  NTSTATUS run(PFNKSHANDLER handler, Ddi ddi = Ddi::PropertyHandler) {
    return run_handler(subject_, ddi, row_.drivers, handler, irp(), &request_.id(), request_.data());
  }

  // The I/O manager returns the data; not what lies in a buffer of the driver's own.
  NTSTATUS finished(NTSTATUS status) {
    if (!request_.drivers_buffer() || NT_ERROR(status)) return status;
    auto written = request_.write_data();
    return written.ok() ? status : refuse(irp(), written.failure());
  }

  const Subject& subject_;
  const Request& request_;
  const Row<KSPROPERTY_SET> row_;
};

NTSTATUS answer_whole_set(const Subject& subject, const Tables& tables, const Request& request) {
  bool reads = request.id().Flags & KSPROPERTY_TYPE_UNSERIALIZESET;
  for (const SetList<KSPROPERTY_SET>* table : {&tables.upper, &tables.lower}) {
    const KSPROPERTY_SET* set = table->find(request.id().Set);
    if (!set) continue;
    return reads ? unserialize(subject, *table, *set, request) : serialize(subject, *table, *set, request);
  }
  return refuse(request.irp(), no_set());
}

NTSTATUS answer_item(const Subject& subject, const Request& request, const Row<KSPROPERTY_SET>& row) {
  IRP& irp = request.irp();
  note_rows(irp, row.set, row.item);
  PropertyCall call(subject, request, row);
  const KSPROPERTY_ITEM& item = *row.item;
  switch (request.id().Flags & ~kManner) {
    case KSPROPERTY_TYPE_GET:
      return call.get();
    case KSPROPERTY_TYPE_SET:
      return call.set();
    case KSPROPERTY_TYPE_BASICSUPPORT:
      return call.support([&] { return answer_basic_support(request, item); });
    case KSPROPERTY_TYPE_DEFAULTVALUES:
      return call.support([&] { return answer_default_values(request, item); });
    case KSPROPERTY_TYPE_RELATIONS:
      return call.support([&] { return answer_relations(request, item); });
    case KSPROPERTY_TYPE_SERIALIZESIZE:
      return call.serialized_size();
    case KSPROPERTY_TYPE_SERIALIZERAW:
      return call.raw(false);
    case KSPROPERTY_TYPE_UNSERIALIZERAW:
      return call.raw(true);
    default:
      return refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the flags of the property name no one request"));
  }
}

}  // namespace

NTSTATUS answer_property(const Subject& subject, const Tables& tables, const Request& request) {
  IRP& irp = request.irp();
  irp.IoStatus.Information = 0;
  switch (request.id().Flags & ~kManner) {
    case KSPROPERTY_TYPE_SETSUPPORT:
      return answer_set_support(tables, request);
    case KSPROPERTY_TYPE_SERIALIZESET:
    case KSPROPERTY_TYPE_UNSERIALIZESET:
      return answer_whole_set(subject, tables, request);
    default:
      break;
  }
  Row<KSPROPERTY_SET> row = tables.find(request.id().Set, request.id().Id);
  if (!row.set) return refuse(irp, no_set());
  if (!row.item) return refuse(irp, no_item());
  if (request.id_bytes() < row.item->MinProperty) {
    return refuse(irp, base::Failure(STATUS_INVALID_BUFFER_SIZE, "the property's descriptor is cut short"));
  }
  return answer_item(subject, request, row);
}

}  // namespace ks
