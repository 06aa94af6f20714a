// A pin's states, its reset, and the requests that come in. Pages: ks/nc-ks-pfnkspinsetdevicestate, ns-ks-_kspin,
// ns-ks-_kspin_descriptor_ex, ni-ks-ioctl_ks_reset_state, ni-ks-ioctl_ks_read_stream, nc-ks-pfnkspinvoid;
// stream/avstream-pipes-and-circuits, resetting-state-in-avstream-codecs.
#include <fmt/format.h>

#include "ks/callback.h"
#include "ks/clock.h"
#include "ks/device.h"
#include "ks/pin.h"
#include "ks/pin_process.h"
#include "ks/pipe.h"
#include "ks/processor.h"
#include "nt/careful_copy.h"
#include "nt/refuse.h"

namespace ks {
namespace {

KSSTATE towards(KSSTATE from, KSSTATE to) { return static_cast<KSSTATE>(from + (to > from ? 1 : -1)); }

}  // namespace

base::Result<> Pin::set_state(KSSTATE to) {
  if (to > state_) TRY(may_rise());
  return change_state(to, Refusal::Heeded);
}

// "Any attempt to change the state of a filter that does not have this number of instances of this type of pin fails."
// Going down is always allowed, and the status is ours.
base::Result<> Pin::may_rise() {
  if (device().gone()) return base::Failure(STATUS_DEVICE_NOT_CONNECTED, "the device is gone");
  if (state_ != KSSTATE_STOP) return {};
  for (const auto& factory : filter_.pin_factories()) {
    if (factory->pins.size() < factory->descriptor->InstancesNecessary) {
      return base::Failure(STATUS_INVALID_DEVICE_STATE, "the filter has fewer instances of a pin than are necessary");
    }
  }
  return {};
}

// A pin of the standard transport goes step by step, any other at once. DeviceState is where it was told to go,
// ClientState where it is. When a step upward fails, those before it are taken back: the client's idea of the state and
// the driver's stay the same (ours).
base::Result<> Pin::change_state(KSSTATE to, Refusal refusal) {
  check_fields();
  const KSSTATE from = state_;
  tell_target(to);
  base::Result<> result;
  while (state_ != to && result.ok()) {
    KSSTATE next = standard_transport() ? towards(state_, to) : to;
    result = next > state_ ? rise(next) : fall(next, refusal);
  }
  if (!result.ok() && to > from) {
    while (state_ > from) (void)fall(towards(state_, from), Refusal::Ignored).ok();
  }
  tell_target(state_);
  return result;
}

void Pin::tell_target(KSSTATE state) { body_->DeviceState = shadow_.device_state = state; }

// The circuit of a pipe exists from before the source's driver acquires until it has stopped: one end decides, so that
// the source's control mutex is always taken before the sink's. Each end moves when its own client says so, and is told
// its own steps; a client that follows the documents moves the sink up first, and down last. Ours.
base::Result<> Pin::rise(KSSTATE to) {
  bool acquires = state_ == KSSTATE_STOP && pipe_ && !is_sink();
  if (acquires) TRY(pipe_->acquire());
  NTSTATUS status = step_state(to, state_);
  if (!NT_SUCCESS(status)) {
    if (acquires) pipe_->release();
    return base::Failure(status, "SetDeviceState failed");
  }
  state_ = to;
  state_changed();
  return {};
}

// Nothing is processed while a pin leaves the states in which it may be: the driver takes its hardware down in peace
// (ours). On the way up it is told first, and processed afterwards.
base::Result<> Pin::fall(KSSTATE to, Refusal refusal) {
  Processor* processor = this->processor();
  if (processor && state_ == KSSTATE_RUN) processor->audit_stall("a pin leaves KSSTATE_RUN");
  bool quiet = processor && to < minimum_processing_state(descriptor().Flags);
  if (quiet) processor->suspend();
  NTSTATUS status = step_state(to, state_);
  bool refused = !NT_SUCCESS(status) && refusal == Refusal::Heeded;
  if (!refused) {
    state_ = body_->ClientState = to;
    if (to == KSSTATE_STOP) settle();
    state_changed();
  }
  if (quiet) processor->resume();
  if (refused) return base::Failure(status, "SetDeviceState failed");
  return {};
}

void Pin::state_changed() {
  tell_clock();
  if (Processor* processor = this->processor()) processor->pin_state_changed(*this);
}

// The stream has stopped: frames go back, and the driver has let go of everything by now. The driver's Reset is not
// called for this flush: it has just heard of the state (ours; the page speaks of flushes in general).
void Pin::settle() {
  queue_->flush(STATUS_CANCELLED);
  queue_->audit_clones("KSSTATE_STOP");
  if (pipe_ && !is_sink()) pipe_->release();
}

NTSTATUS Pin::step_state(KSSTATE to, KSSTATE from) {
  check_fields();
  KSSTATE before = std::exchange(body_->ClientState, to);
  if (!dispatch() || !dispatch()->SetDeviceState) return STATUS_SUCCESS;
  NTSTATUS status = call(machine(), Ddi::PinSetDeviceState, &scope(), dispatch()->SetDeviceState, body_, to, from);
  check_fields();
  if (!NT_SUCCESS(status)) body_->ClientState = before;
  return status;
}

NTSTATUS Pin::reset_request(IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  const auto& control = at.Parameters.DeviceIoControl;
  auto refuse = [&](const base::Failure& failure) { return nt::refuse(machine(), failure); };
  ULONG to = 0;
  if (control.InputBufferLength < sizeof(to)) {
    return refuse(base::Failure(STATUS_INVALID_BUFFER_SIZE, "the buffer is too small for a KSRESET"));
  }
  auto read = nt::careful_read(&to, control.Type3InputBuffer, sizeof(to));
  if (!read.ok()) return refuse(read.failure());
  if (to > KSRESET_END) return refuse(base::Failure(STATUS_INVALID_PARAMETER, "it is no KSRESET"));
  Holding holding(this->control());
  auto done = reset(static_cast<KSRESET>(to));
  return done.ok() ? STATUS_SUCCESS : refuse(done.failure());
}

// The driver hears of the beginning before the frames go, and of the end afterwards. A clone may outlive its frame
// (stream/stream-pointers-and-irp-cancellation): the next lock fails, and the driver deletes it.
base::Result<> Pin::reset(KSRESET to) {
  check_fields();
  if (to == body_->ResetState) return {};
  body_->ResetState = shadow_.reset_state = to;
  Processor* processor = this->processor();
  if (processor) processor->suspend();
  if (dispatch() && dispatch()->Reset) call(machine(), Ddi::PinReset, &scope(), dispatch()->Reset, body_);
  if (filter_.processes() && filter_.dispatch()->Reset) {
    call(machine(), Ddi::FilterReset, &filter_.scope(), filter_.dispatch()->Reset, &*filter_);
  }
  check_fields();
  if (to == KSRESET_BEGIN && queue_) queue_->flush(STATUS_CANCELLED);
  if (to == KSRESET_END && pipe_) pipe_->replenish();
  if (processor) processor->resume();
  return {};
}

// Not under the control mutex: frames come while states change. STATUS_DEVICE_NOT_READY during a reset is documented;
// the other statuses are ours.
NTSTATUS Pin::stream(IRP& irp) {
  auto refuse = [&](NTSTATUS status, const char* why) { return nt::refuse(machine(), base::Failure(status, why)); };
  bool write = IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode == IOCTL_KS_WRITE_STREAM;
  if (write != input()) {
    return refuse(STATUS_INVALID_DEVICE_REQUEST, "input pins are written to, and output pins read from");
  }
  if (!standard_transport())
    return refuse(STATUS_INVALID_DEVICE_REQUEST, "the pin does not use the standard transport");
  if (!is_sink()) return refuse(STATUS_INVALID_DEVICE_REQUEST, "the pin sends requests, and takes none");
  if (device().gone()) return refuse(STATUS_DEVICE_NOT_CONNECTED, "the device is gone");
  if (resetting()) return refuse(STATUS_DEVICE_NOT_READY, "the pin is being reset");
  if (state() == KSSTATE_STOP) return refuse(STATUS_INVALID_DEVICE_STATE, "the pin is stopped");
  auto request = StreamIrp::probe(*this, irp);
  if (!request.ok()) return nt::refuse(machine(), request.failure());
  IoMarkIrpPending(&irp);
  // One that was cancelled meanwhile has left again, and been completed.
  (void)queue_->add(request.take()).ok();
  // The stream may have ended between the look at its state and now.
  if (state() == KSSTATE_STOP || resetting() || device().gone()) queue_->flush(STATUS_CANCELLED);
  return STATUS_PENDING;
}

void Pin::check_fields() {
  auto report = [&](const char* field) {
    machine().broke(nt::Broke::KsPinFieldWritten,
                    fmt::format("the driver wrote over {} of {}, which is the class's to change", field, name()));
  };
  if (body_->DeviceState != shadow_.device_state) {
    report("DeviceState");
    body_->DeviceState = shadow_.device_state;
  }
  if (body_->ResetState != shadow_.reset_state) {
    // At the end of a stream the driver of an output pin may end a reset itself ("Resetting State in AVStream Codecs").
    if (!input() && body_->ResetState == KSRESET_END) {
      shadow_.reset_state = KSRESET_END;
    } else {
      report("ResetState");
      body_->ResetState = shadow_.reset_state;
    }
  }
  if (body_->ConnectionFormat != shadow_.format) {
    report("ConnectionFormat");
    body_->ConnectionFormat = shadow_.format;
  }
}

}  // namespace ks
