// A pin's states, its reset, and the requests that come in. Pages: ks/nc-ks-pfnkspinsetdevicestate, ns-ks-_kspin,
// ns-ks-_kspin_descriptor_ex, ni-ks-ioctl_ks_reset_state, ni-ks-ioctl_ks_read_stream, nc-ks-pfnkspinvoid;
// stream/avstream-pipes-and-circuits, resetting-state-in-avstream-codecs.
#include <fmt/format.h>

#include "ks/clock/clock.h"
#include "ks/device/device.h"
#include "ks/exports/callback.h"
#include "ks/pin/pin.h"
#include "ks/pin/pin_process.h"
#include "ks/stream/pipe.h"
#include "ks/stream/processor.h"
#include "nt/boundary/refuse.h"
#include "nt/mm/careful_copy.h"

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

// A pin of the standard transport changes its state step by step, any other at once. DeviceState is the state that the
// driver was last set to, ClientState the pin's state. When a step upward fails, the steps before it are undone, so
// that client and driver have the same state (ours).
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

// The circuit of a pipe exists from before the source's driver acquires until it has stopped. Only the source decides,
// so that the source's control mutex is always taken before the sink's. Each end changes its state when its own client
// asks for it; a client that follows the documents moves the sink up first, and down last. Ours.
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

// Process does not run while a pin leaves the states in which it is processed, so that the driver can stop its hardware
// undisturbed (ours). On the way up the driver's state routine is called first, and Process afterwards.
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

// The stream has stopped: frames go back, and the driver must have released all of them. The driver's Reset is not
// called for this flush: its state routine was just called (ours; the page speaks of flushes in general).
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

// The driver is called with the beginning before the frames go, and with the end afterwards. A clone may outlive its
// frame (stream/stream-pointers-and-irp-cancellation): the next lock fails, and the driver deletes it.
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
  // A request that was cancelled meanwhile has left again, and is completed.
  (void)queue_->add(request.take()).ok();
  // The stream may have ended between the look at its state and now.
  if (state() == KSSTATE_STOP || resetting() || device().gone()) queue_->flush(STATUS_CANCELLED);
  return STATUS_PENDING;
}

void Pin::check_fields() {
  auto report = [&](const char* field) {
    machine().report_violation(
        nt::Violation::KsPinFieldWritten,
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
