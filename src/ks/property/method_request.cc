#include "ks/property/method_request.h"

#include "nt/mm/careful_copy.h"
#include "nt/mm/mdls.h"

namespace ks {
namespace {

// The flags that ask for the method to be run. They may name a direction of the data; the table's row decides it.
constexpr ULONG kRun = KSMETHOD_TYPE_MODIFY | KSMETHOD_TYPE_SOURCE;

class MethodCall {
 public:
  MethodCall(const Subject& subject, const Request& request, const Row<KSMETHOD_SET>& row)
      : subject_(subject), request_(request), row_(row) {}

  NTSTATUS run() {
    if (!item().MethodHandler) return refuse(irp(), base::Failure(STATUS_NOT_FOUND, "the method is not supported"));
    if (auto room = need_room(request_, item().MinData); !room.ok()) return refuse(irp(), room.failure());
    irp().Tail.Overlay.DriverContext[2] = reinterpret_cast<void*>(ULONG_PTR{item().Flags});
    auto data = prepare();
    if (!data.ok()) return refuse(irp(), data.failure());
    NTSTATUS status = run_handler(subject_, Ddi::MethodHandler, row_.drivers, item().MethodHandler, irp(),
                                  &request_.id(), data.value());
    if (status == STATUS_PENDING || NT_ERROR(status) || !writes() || !request_.drivers_buffer()) return status;
    auto written = request_.write_data();
    return written.ok() ? status : refuse(irp(), written.failure());
  }

  NTSTATUS basic_support() {
    if (auto able = request_.returns_data(); !able.ok()) return refuse(irp(), able.failure());
    if (item().SupportHandler) {
      NTSTATUS status = run_handler(subject_, Ddi::SupportHandler, row_.drivers, item().SupportHandler, irp(),
                                    &request_.id(), request_.data());
      if (status != STATUS_SOME_NOT_MAPPED) return status;
    }
    if (!item().MethodHandler) return refuse(irp(), base::Failure(STATUS_NOT_FOUND, "the method is not supported"));
    // Ours: the direction of the data, for a client that gave room for it.
    if (request_.data_bytes() >= sizeof(ULONG)) {
      *static_cast<ULONG*>(request_.data()) = item().Flags;
      irp().IoStatus.Information = sizeof(ULONG);
    }
    return STATUS_SUCCESS;
  }

 private:
  const KSMETHOD_ITEM& item() const { return *row_.item; }
  IRP& irp() const { return request_.irp(); }
  bool reads() const { return item().Flags & KSMETHOD_TYPE_READ; }
  bool writes() const { return item().Flags & KSMETHOD_TYPE_WRITE; }

  // What the handler gets as its data.
  base::Result<void*> prepare() {
    if (item().Flags & KSMETHOD_TYPE_SOURCE) return lock_source();
    if (reads()) TRY(request_.read_data());
    if (writes()) TRY(request_.returns_data());
    return request_.data();
  }

  // The client's own memory, described by an MDL that goes with the IRP.
  base::Result<void*> lock_source() {
    nt::Mdls& mdls = subject_.machine.mdls();
    void* at = irp().UserBuffer;
    if (!request_.data_bytes() || !(reads() || writes())) return nullptr;
    if (writes()) {
      TRY(nt::careful_probe_write(at, request_.data_bytes()));
    } else {
      TRY(nt::careful_probe_read(at, request_.data_bytes()));
    }
    if (irp().MdlAddress) return mdls.map(*irp().MdlAddress, KernelMode);
    irp().MdlAddress = mdls.allocate(at, request_.data_bytes());
    if (!irp().MdlAddress) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an MDL");
    mdls.lock(*irp().MdlAddress, !writes() ? IoReadAccess : reads() ? IoModifyAccess : IoWriteAccess);
    return mdls.map(*irp().MdlAddress, KernelMode);
  }

  const Subject& subject_;
  const Request& request_;
  const Row<KSMETHOD_SET> row_;
};

}  // namespace

NTSTATUS answer_method(const Subject& subject, const Layers<KSMETHOD_SET>& tables, const Request& request) {
  IRP& irp = request.irp();
  irp.IoStatus.Information = 0;
  const KSIDENTIFIER& id = request.id();
  ULONG asked = id.Flags & ~ULONG{KSMETHOD_TYPE_TOPOLOGY};
  Row<KSMETHOD_SET> row = tables.find(id.Set, id.Id);
  if (!row.set) return refuse(irp, base::Failure(STATUS_PROPSET_NOT_FOUND, "no table knows that method set"));
  if (asked == KSMETHOD_TYPE_SETSUPPORT) return STATUS_SUCCESS;
  if (!row.item) return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the method set has no such method"));
  if (request.id_bytes() < row.item->MinMethod) {
    return refuse(irp, base::Failure(STATUS_INVALID_BUFFER_SIZE, "the method's descriptor is cut short"));
  }
  note_rows(irp, row.set, row.item);
  MethodCall call(subject, request, row);
  if (asked == KSMETHOD_TYPE_BASICSUPPORT) return call.basic_support();
  if (!(asked & ~kRun)) return call.run();
  return refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the flags of the method name no one request"));
}

}  // namespace ks
