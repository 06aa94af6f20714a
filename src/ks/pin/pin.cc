#include "ks/pin/pin.h"

#include <fmt/format.h>

#include <algorithm>

#include "ks/allocator/allocator.h"
#include "ks/clock/clock.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/property/automation.h"
#include "ks/property/event_list.h"
#include "ks/stream/pipe.h"
#include "ks/stream/processor.h"
#include "ks/stream/stream_events.h"
#include "nt/boundary/refuse.h"
#include "nt/io/file_objects.h"
#include "nt/mm/pool.h"

namespace ks {

Pin::~Pin() = default;

bool Pin::standard_transport() const {
  if (has_flag(KSPIN_FLAG_USE_STANDARD_TRANSPORT)) return true;
  if (has_flag(KSPIN_FLAG_DO_NOT_USE_STANDARD_TRANSPORT)) return false;
  return body_->ConnectionInterface.Set == KSINTERFACESETID_Standard &&
         body_->ConnectionInterface.Id == KSINTERFACE_STANDARD_STREAMING;
}

Processor* Pin::processor() { return processor_ ? processor_.get() : filter_.processor(); }

void Pin::arrived(bool first) {
  if (Processor* processor = this->processor()) processor->frame_arrived(*this, first);
}

void Pin::left(std::unique_ptr<StreamIrp> irp) {
  tell_stream_events(*this, *irp);
  if (transport_) {
    transport_->take(std::move(irp));
  } else {
    StreamIrp::complete(std::move(irp));
  }
}

void Pin::assign_file(FILE_OBJECT*& slot, FILE_OBJECT* file) {
  if (file) machine().files().reference(*file);
  FILE_OBJECT* old = std::exchange(slot, file);
  if (old) system().file_releases().drop(*old);
}

void Pin::assign_allocator(FILE_OBJECT* file) { assign_file(allocator_file_, file); }
void Pin::assign_clock(FILE_OBJECT* file) { assign_file(clock_file_, file); }

void Pin::give_reference_clock(std::unique_ptr<ReferenceClock> clock) { reference_clock_ = std::move(clock); }

NTSTATUS Pin::create_child(IRP& irp, const GUID& class_id, const uint8_t* parameters, size_t bytes) {
  Holding holding(control());
  if (class_id == KSNAME_Allocator) return AllocatorNode::create(*this, irp, parameters, bytes);
  if (class_id == KSNAME_Clock) return ClockNode::create(*this, irp, parameters, bytes);
  return nt::refuse(machine(), base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "a pin has allocators and clocks below it"));
}

NTSTATUS Pin::device_control(IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  switch (at.Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_KS_READ_STREAM:
    case IOCTL_KS_WRITE_STREAM:
      return stream(irp);
    case IOCTL_KS_PROPERTY: {
      Holding holding(control());
      return handle_property(*this, *automation_, irp);
    }
    case IOCTL_KS_METHOD: {
      Holding holding(control());
      return handle_method(*this, *automation_, irp);
    }
    case IOCTL_KS_ENABLE_EVENT: {
      Holding holding(control());
      return handle_enable_event(*this, *automation_, irp);
    }
    case IOCTL_KS_DISABLE_EVENT:
      return handle_disable_event(events(), irp);
    case IOCTL_KS_RESET_STATE:
      return reset_request(irp);
    case IOCTL_KS_HANDSHAKE:
      return handshake_request(irp);
    default:
      return nt::refuse(machine(), base::Failure(STATUS_INVALID_DEVICE_REQUEST, "no control code for a pin"));
  }
}

// Holds the control mutexes of both ends of a connection, the source's first, as all code that needs both does. A sink
// finds its source under its own mutex only, so it has to release that mutex, take both, and check again.
class Pin::BothEnds {
 public:
  explicit BothEnds(Pin& pin) : pin_(pin) {
    while (!acquire()) {
    }
  }
  ~BothEnds() {
    pin_.control().release();
    let_go();
  }
  BothEnds(const BothEnds&) = delete;
  BothEnds& operator=(const BothEnds&) = delete;

 private:
  bool acquire() {
    pin_.control().acquire();
    source_ = pin_.is_sink() ? pin_.peer_ : nullptr;
    if (!source_) return true;
    file_ = source_->file_;
    pin_.machine().files().reference(*file_);
    pin_.control().release();
    source_->control().acquire();
    pin_.control().acquire();
    if (pin_.peer_ == source_) return true;
    pin_.control().release();
    let_go();
    return false;
  }
  void let_go() {
    if (!source_) return;
    source_->control().release();
    pin_.system().file_releases().drop(*file_);
  }

  Pin& pin_;
  Pin* source_ = nullptr;
  FILE_OBJECT* file_ = nullptr;  // keeps the source
};

// The last handle is gone, so no client is there to stop the stream.
void Pin::cleanup(IRP& irp) {
  events().disable(IoGetCurrentIrpStackLocation(&irp)->FileObject);
  BothEnds holding(*this);
  stop();
  queue_->flush(STATUS_CANCELLED);
  // A source releases its sink, an assigned allocator and its clock here: they are open files, and theirs could be
  // the last reference that keeps this pin.
  disconnect();
  assign_allocator(nullptr);
  assign_clock(nullptr);
}

// Close is the last call to the driver for the pin, unless it lets the IRP pend.
NTSTATUS Pin::close(IRP& irp) {
  Holding holding(control());
  events().disable(nullptr);
  disconnect();
  if (processor_) {
    processor_->suspend();
    processor_->audit_stall("it was closed");
  }
  if (filter_.processor() && std::exchange(opened_, false)) filter_.processor()->pin_removed(*this);
  NTSTATUS status = STATUS_SUCCESS;
  if (dispatch() && dispatch()->Close) {
    status = call(machine(), Ddi::PinClose, &scope(), dispatch()->Close, body_, &irp);
  }
  filter_.judge_pending(irp, status, "AVStrMiniPinClose");
  if (status != STATUS_PENDING) end();
  return status;
}

void Pin::pended(UCHAR major, NTSTATUS status) {
  Holding holding(control());
  if (major == IRP_MJ_CLOSE || !NT_SUCCESS(status)) end();
}

// Either end may be closed first.
void Pin::disconnect() {
  if (pipe_) {
    std::shared_ptr<Pipe> pipe = pipe_;
    pipe->break_up(*this);
  }
  if (Pin* other = std::exchange(peer_, nullptr)) {
    Pin& sink = is_sink() ? *this : *other;
    Holding holding(sink.control());
    if (sink.dispatch() && sink.dispatch()->Disconnect && other->peer_ == this) {
      call(machine(), Ddi::PinDisconnect, &sink.scope(), sink.dispatch()->Disconnect, sink.body_);
    }
    other->peer_ = nullptr;
  }
  assign_peer_file(nullptr);
}

void Pin::assign_peer_file(FILE_OBJECT* file) {
  FILE_OBJECT* old = std::exchange(peer_file_, file);
  if (old) system().file_releases().drop(*old);
}

void Pin::end() {
  std::erase(factory_.pins, this);
  if (filter_.processor()) filter_.processor()->pin_removed(*this);
  if (queue_) {
    queue_->flush(STATUS_CANCELLED);
    queue_->audit_clones("Close returned");
  }
  if (reference_clock_ && reference_clock_->references() > 0) {
    machine().report_violation(
        nt::Violation::KsClockNotReleased,
        fmt::format("{} was closed with {} references to its reference clock", name(), reference_clock_->references()));
  }
  reference_clock_.reset();
  processor_.reset();
  queue_.reset();
  assign_peer_file(nullptr);
  assign_allocator(nullptr);
  assign_clock(nullptr);
  if (shadow_.format) machine().pool().free(shadow_.format, 0);
  retire();
}

// The pin is stopped for the class, whatever status the driver returned.
void Pin::stop() { (void)change_state(KSSTATE_STOP, Refusal::Ignored).ok(); }

void Pin::device_gone() {
  queue_->flush(STATUS_DEVICE_NOT_CONNECTED);
  stop();
}

}  // namespace ks
