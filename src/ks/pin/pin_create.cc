// The creation of a pin: checks the request, chooses the format, calls the driver. Pages: ks/nf-ks-kscreatepin,
// nc-ks-pfnkspinsetdataformat, nc-ks-pfnkspinirp, ns-ks-_kspin, ns-ks-_kspin_descriptor_ex.
#include <fmt/format.h>

#include <cstring>

#include "ks/clock/clock.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/object/descriptor_check.h"
#include "ks/pin/pin.h"
#include "ks/property/automation.h"
#include "ks/stream/pipe.h"
#include "ks/stream/processor.h"
#include "nt/boundary/refuse.h"
#include "nt/io/file_objects.h"
#include "nt/io/irps.h"

namespace ks {

// A connect request that was checked. `to` is referenced.
struct Pin::Connect {
  const KSPIN_CONNECT* request;
  const KSDATAFORMAT* format;
  FILE_OBJECT* to;
};

namespace {

bool same(const KSIDENTIFIER& a, const KSIDENTIFIER& b) { return a.Set == b.Set && a.Id == b.Id; }

// A descriptor without a list takes the standard one.
template <typename Identifier>
bool offers(const Identifier* list, ULONG count, const Identifier& wanted, const GUID& standard, ULONG standard_id) {
  if (!count) return wanted.Set == standard && wanted.Id == standard_id;
  for (ULONG i = 0; i < count; ++i) {
    if (same(list[i], wanted)) return true;
  }
  return false;
}

base::Result<> judge_communication(const KSPIN_DESCRIPTOR& descriptor, bool source) {
  KSPIN_COMMUNICATION kind = descriptor.Communication;
  bool can =
      kind == KSPIN_COMMUNICATION_BOTH || kind == (source ? KSPIN_COMMUNICATION_SOURCE : KSPIN_COMMUNICATION_SINK);
  if (!can) return base::Failure(STATUS_INVALID_PARAMETER, "the pin does not communicate in that direction");
  return {};
}

// Of what follows the connect request.
base::Result<const KSDATAFORMAT*> judge_format(const uint8_t* parameters, size_t bytes) {
  size_t left = bytes - sizeof(KSPIN_CONNECT);
  if (left < sizeof(KSDATAFORMAT))
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "no data format follows the connect request");
  const auto* format = reinterpret_cast<const KSDATAFORMAT*>(parameters + sizeof(KSPIN_CONNECT));
  if (format->FormatSize < sizeof(KSDATAFORMAT) || format->FormatSize > left) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "FormatSize does not fit the request");
  }
  return format;
}

// The file of the pin that a source connects to, referenced.
base::Result<FILE_OBJECT*> find_peer(nt::Machine& machine, HANDLE handle, KPROCESSOR_MODE mode) {
  FILE_OBJECT* file = TRY(machine.files().find(machine.self().process, handle, mode));
  return file;
}

}  // namespace

NTSTATUS Pin::create(Filter& filter, IRP& irp, const uint8_t* parameters, size_t bytes) {
  nt::Machine& machine = filter.machine();
  auto refuse = [&](const base::Failure& failure) { return nt::refuse(machine, failure); };
  if (bytes < sizeof(KSPIN_CONNECT))
    return refuse(base::Failure(STATUS_INVALID_BUFFER_SIZE, "the connect request is cut short"));
  const auto* request = reinterpret_cast<const KSPIN_CONNECT*>(parameters);
  auto format = judge_format(parameters, bytes);
  if (!format.ok()) return refuse(format.failure());
  PinFactory* factory = filter.pin_factory(request->PinId);
  if (!factory) return refuse(base::Failure(STATUS_INVALID_PARAMETER, "the filter has no pin of that id"));
  const KSPIN_DESCRIPTOR_EX& described = *factory->descriptor;
  const KSPIN_DESCRIPTOR& descriptor = described.PinDescriptor;
  if (irp.RequestorMode == UserMode && described.Flags & KSPIN_FLAG_DENY_USERMODE_ACCESS) {
    return refuse(base::Failure(STATUS_ACCESS_DENIED, "the pin denies access from user mode"));
  }
  auto way = judge_communication(descriptor, request->PinToHandle != nullptr);
  if (!way.ok()) return refuse(way.failure());
  if (!offers(descriptor.Interfaces, descriptor.InterfacesCount, request->Interface, KSINTERFACESETID_Standard,
              ULONG{KSINTERFACE_STANDARD_STREAMING})) {
    return refuse(base::Failure(STATUS_NO_MATCH, "the pin does not have that interface"));
  }
  if (!offers(descriptor.Mediums, descriptor.MediumsCount, request->Medium, KSMEDIUMSETID_Standard,
              ULONG{KSMEDIUM_STANDARD_DEVIO})) {
    return refuse(base::Failure(STATUS_NO_MATCH, "the pin does not have that medium"));
  }
  if (factory->pins.size() >= described.InstancesPossible) {
    return refuse(base::Failure(STATUS_ALLOTTED_SPACE_EXCEEDED, "as many instances of the pin exist as are possible"));
  }
  Connect connect{request, format.take(), nullptr};
  if (request->PinToHandle) {
    auto peer = find_peer(machine, request->PinToHandle, irp.RequestorMode);
    if (!peer.ok()) return refuse(peer.failure());
    connect.to = peer.take();
  }
  FILE_OBJECT& file = *IoGetCurrentIrpStackLocation(&irp)->FileObject;
  std::string name = fmt::format("pin {} of {}", request->PinId, filter.name());
  std::unique_ptr<Pin> pin(new Pin(filter, *factory, file, irp.RequestorMode, std::move(name)));
  NTSTATUS status = pin->open(irp, connect);
  if (!NT_SUCCESS(status)) return status;
  file.FsContext = static_cast<FileNode*>(pin.release());
  return status;
}

Pin::Pin(Filter& filter, PinFactory& factory, FILE_OBJECT& file, KPROCESSOR_MODE opened_by, std::string name)
    : Object(filter.system(), kType, &filter, filter.device().scope(), nt::ScopeKind::Pin, std::move(name)),
      filter_(filter),
      factory_(factory),
      file_(&file),
      opened_by_(opened_by),
      body_(make_body<KSPIN>()) {
  const KSPIN_DESCRIPTOR_EX& descriptor = *factory.descriptor;
  body_->Descriptor = &descriptor;
  body_->Bag = bag().handle();
  body_->Context = (*filter).Context;
  body_->Id = factory.id;
  body_->DataFlow = descriptor.PinDescriptor.DataFlow;
  body_->DeviceState = body_->ClientState = KSSTATE_STOP;
  body_->ResetState = shadow_.reset_state = KSRESET_END;
  body_->StreamHeaderSize = 0;
  bag().guard_with(filter.control());
  factory.pins.push_back(this);
  system().publish(*this);
}

// STATUS_SUCCESS, or STATUS_PENDING when the driver finishes the creation later. After a failure nothing is left of it.
NTSTATUS Pin::open(IRP& irp, const Connect& connect) {
  auto fail = [&](NTSTATUS status) {
    end();
    return status;
  };
  auto taken = take(connect);
  if (!taken.ok()) return fail(nt::refuse(machine(), taken.failure()));
  automation_ = std::make_unique<Automation>(descriptor().AutomationTable, pin_automation());
  queue_ = std::make_unique<Queue>(*this, static_cast<Queue::Owner&>(*this));
  if (!filter_.processes() && dispatch() && dispatch()->Process) processor_ = std::make_unique<Processor>(*this);
  // Before Create, which is where a driver attaches its gates.
  if (filter_.processor()) filter_.processor()->pin_added(*this);
  NTSTATUS status = STATUS_SUCCESS;
  if (dispatch() && dispatch()->Create) {
    status = call(machine(), Ddi::PinCreate, &scope(), dispatch()->Create, body_, &irp);
    check_fields();
    judge_edited();
  }
  filter_.judge_pending(irp, status, "AVStrMiniPinCreate");
  if (!NT_SUCCESS(status)) return fail(status);
  opened_ = true;
  if (peer_) {
    auto connected = connect_peer();
    if (!connected.ok()) {
      NTSTATUS why = nt::refuse(machine(), connected.failure());
      close(irp);
      return why;
    }
  }
  return status;
}

// A descriptor that Create edited is judged as the one it came from was.
void Pin::judge_edited() {
  if (body_->Descriptor == factory_.descriptor) return;
  device().has_pin(descriptor());
  for (const Complaint& complaint : judge_pin(descriptor(), filter_.descriptor())) {
    machine().report_violation(complaint.what, complaint.sentence);
  }
}

// The pin takes over the members of the request; the driver is called for the format.
base::Result<> Pin::take(const Connect& connect) {
  peer_file_ = connect.to;
  body_->ConnectionInterface = connect.request->Interface;
  body_->ConnectionMedium = connect.request->Medium;
  body_->ConnectionPriority = connect.request->Priority;
  body_->Communication = connect.to ? KSPIN_COMMUNICATION_SOURCE : KSPIN_COMMUNICATION_SINK;
  body_->ConnectionIsExternal = FALSE;
  if (connect.to) {
    FileNode* node = node_of(connect.to);
    if (!node || node->kind() != NodeKind::Pin) {
      return base::Failure(STATUS_INVALID_PARAMETER, "PinToHandle is not the handle of a pin of this class");
    }
    peer_ = static_cast<Pin*>(node);
    if (peer_ == this || peer_->peer_) return base::Failure(STATUS_INVALID_PARAMETER, "that pin is connected already");
    if (peer_->input() == input())
      return base::Failure(STATUS_INVALID_PARAMETER, "data flows the same way at both pins");
  }
  return choose_format(*connect.format, nullptr);
}

base::Result<> Pin::connect_peer() {
  Pin& sink = *peer_;
  Holding holding(sink.control());
  if (sink.dispatch() && sink.dispatch()->Connect) {
    NTSTATUS status = call(machine(), Ddi::PinConnect, &sink.scope(), sink.dispatch()->Connect, sink.body_);
    sink.check_fields();
    if (!NT_SUCCESS(status)) return base::Failure(status, "the sink's Connect failed");
  }
  sink.peer_ = this;
  auto pipe = std::make_shared<Pipe>(*this, sink);
  join(pipe);
  sink.join(pipe);
  return {};
}

}  // namespace ks
