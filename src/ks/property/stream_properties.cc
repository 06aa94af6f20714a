// KSPROPSETID_Stream and KSPROPSETID_StreamInterface. Of the first the class has the two that assign an open file;
// quality, degradation, rates and times are of pins whose driver knows its medium.
#include <iterator>

#include "ks/allocator/allocator.h"
#include "ks/clock/clock.h"
#include "ks/device/system.h"
#include "ks/object/request.h"
#include "ks/pin/pin.h"
#include "ks/pin/pin_properties.h"
#include "nt/io/file_objects.h"
#include "nt/ke/process.h"

namespace ks {
namespace {

Pin& pin_of(IRP& irp) { return static_cast<Pin&>(*node_of(IoGetCurrentIrpStackLocation(&irp)->FileObject)); }

// "The returned value is always a NULL handle. However, support is determined by whether the call returns
// successfully."
NTSTATUS get_nothing(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, HANDLE{nullptr}); }

// A handle that the client gave, as the file that it stands for; referenced for as long as this lives.
class Assigned {
 public:
  Assigned(IRP& irp, const void* data)
      : files_(nt::Machine::current()->files()),
        handle_(*static_cast<const HANDLE*>(data)),
        found_(handle_ ? files_.find(nt::Process::current(), handle_, irp.RequestorMode)
                       : base::Result<FILE_OBJECT*>(nullptr)) {}
  ~Assigned() {
    if (found_.ok() && found_.value()) System::of(*nt::Machine::current())->file_releases().drop(*found_.value());
  }
  Assigned(const Assigned&) = delete;
  Assigned& operator=(const Assigned&) = delete;

  // Null: what was assigned is to be released.
  const base::Result<FILE_OBJECT*>& file() const { return found_; }

 private:
  nt::Files& files_;
  const HANDLE handle_;
  base::Result<FILE_OBJECT*> found_;
};

// "To do this, the filter must be in Stop state" (master-clocks; of allocators it is ours: the circuit is built on
// leaving that state).
base::Result<FILE_OBJECT*> judge(Pin& pin, const Assigned& assigned, bool right_kind) {
  if (pin.state() != KSSTATE_STOP) return base::Failure(STATUS_INVALID_DEVICE_STATE, "the pin is not stopped");
  FILE_OBJECT* file = TRY(assigned.file());
  if (file && !right_kind) return base::Failure(STATUS_INVALID_PARAMETER, "the handle is of another kind of file");
  return file;
}

NTSTATUS set_allocator(PIRP irp, PKSIDENTIFIER, PVOID data) {
  Assigned assigned(*irp, data);
  Pin& pin = pin_of(*irp);
  auto file = judge(pin, assigned, assigned.file().ok() && allocator_of(pin.system(), assigned.file().value()));
  if (!file.ok()) return refuse(*irp, file.failure());
  pin.assign_allocator(file.value());
  return STATUS_SUCCESS;
}

NTSTATUS set_clock(PIRP irp, PKSIDENTIFIER, PVOID data) {
  Assigned assigned(*irp, data);
  Pin& pin = pin_of(*irp);
  auto file = judge(pin, assigned, assigned.file().ok() && clock_of(assigned.file().value()));
  if (!file.ok()) return refuse(*irp, file.failure());
  pin.assign_clock(file.value());
  return STATUS_SUCCESS;
}

NTSTATUS get_header_size(PIRP irp, PKSIDENTIFIER, PVOID) {
  return answer_value(*irp, (*pin_of(*irp)).StreamHeaderSize);
}

constexpr KSPROPERTY_ITEM row(ULONG id, PFNKSHANDLER get, PFNKSHANDLER set, ULONG bytes) {
  return {id, {get}, sizeof(KSPROPERTY), bytes, {set}, nullptr, 0, nullptr, nullptr, 0};
}

const KSPROPERTY_ITEM kStream[] = {
    row(KSPROPERTY_STREAM_ALLOCATOR, get_nothing, set_allocator, sizeof(HANDLE)),
    row(KSPROPERTY_STREAM_MASTERCLOCK, get_nothing, set_clock, sizeof(HANDLE)),
};
const KSPROPERTY_ITEM kStreamInterface[] = {
    row(KSPROPERTY_STREAMINTERFACE_HEADERSIZE, get_header_size, nullptr, sizeof(ULONG)),
};

}  // namespace

const KSPROPERTY_SET kStreamSet = {&KSPROPSETID_Stream, std::size(kStream), kStream, 0, nullptr};
const KSPROPERTY_SET kStreamInterfaceSet = {&KSPROPSETID_StreamInterface, std::size(kStreamInterface), kStreamInterface,
                                            0, nullptr};

}  // namespace ks
