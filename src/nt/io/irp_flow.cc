// The way of an IRP through drivers: down (IoCallDriver) and up (IoCompleteRequest).
#include <fmt/format.h>

#include <algorithm>

#include "nt/boundary/driver_call.h"
#include "nt/io/io_request.h"
#include "nt/io/irp_buffers.h"
#include "nt/io/irp_names.h"
#include "nt/io/irp_packet.h"
#include "nt/io/irps.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/machine/machine.h"

namespace nt {
namespace {

bool invokes(const IRP& irp, UCHAR control) {
  if (irp.Cancel && control & SL_INVOKE_ON_CANCEL) return true;
  return control & (NT_SUCCESS(irp.IoStatus.Status) ? SL_INVOKE_ON_SUCCESS : SL_INVOKE_ON_ERROR);
}

// A routine of the host that is called directly gets no frame; the frame of the routine above it, which shares its
// location, stays.
void mark_sent(LocationState* state) {
  uintptr_t unsent = kNotSent;
  if (state) state->compare_exchange_strong(unsent, kWithDriver, std::memory_order_acq_rel);
}

// From now on the frame is the state of its location.
void enter(LocationState& state, DispatchFrame& frame) {
  uintptr_t before = state.exchange(reinterpret_cast<uintptr_t>(&frame), std::memory_order_acq_rel);
  DispatchFrame* outer = frame_in(before);
  if (outer && outer->thread != frame.thread) {  // sent on by another thread before the routine above returned
    tell_frames(before, DispatchFrame::Outcome::Lost);
    outer = nullptr;
  }
  frame.outer = outer;
  frame.judged = before != kReturnedPending;  // a location that was pended above carries a mark of its own
}

// Its routine has returned. False: the location was completed before that.
bool leave(LocationState& state, const DispatchFrame& frame, NTSTATUS status) {
  auto expected = reinterpret_cast<uintptr_t>(&frame);
  uintptr_t left = status == STATUS_PENDING || !frame.judged ? kReturnedPending : kWithDriver;
  if (frame.outer) left = reinterpret_cast<uintptr_t>(frame.outer);
  return state.compare_exchange_strong(expected, left, std::memory_order_acq_rel);
}

// The completing thread has taken the frame off its location and writes the outcome next.
DispatchFrame::Outcome outcome_of(const DispatchFrame& frame) {
  DispatchFrame::Outcome outcome;
  while ((outcome = frame.outcome.load(std::memory_order_acquire)) == DispatchFrame::Outcome::Unknown) {
  }
  return outcome;
}

}  // namespace

// --- Down ---

NTSTATUS Irps::call(DEVICE_OBJECT& device, IRP& irp) {
  if (!usable(irp, "IoCallDriver")) return STATUS_INVALID_DEVICE_REQUEST;
  if (irp.CurrentLocation <= 1) {
    machine_.report_violation(Violation::IrpStackExhausted, "IoCallDriver of an IRP that has no stack location left");
    return STATUS_INVALID_DEVICE_REQUEST;
  }
  IoSetNextIrpStackLocation(&irp);
  IoGetCurrentIrpStackLocation(&irp)->DeviceObject = &device;
  return run_dispatch(device, irp);
}

NTSTATUS Irps::run_dispatch(DEVICE_OBJECT& device, IRP& irp) {
  UCHAR major = IoGetCurrentIrpStackLocation(&irp)->MajorFunction;
  PDRIVER_DISPATCH routine = major <= IRP_MJ_MAXIMUM_FUNCTION ? device.DriverObject->MajorFunction[major] : nullptr;
  LocationState* state = state_of_current(irp);
  if (!routine) {  // what the I/O manager puts where a driver leaves an entry out
    mark_sent(state);
    irp.IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
    irp.IoStatus.Information = 0;
    complete(irp, IO_NO_INCREMENT);
    return STATUS_INVALID_DEVICE_REQUEST;
  }
  if (is_own(reinterpret_cast<const void*>(routine))) {
    mark_sent(state);
    return routine(&device, &irp);
  }
  return judged_dispatch(routine, device, irp);
}

NTSTATUS Irps::judged_dispatch(PDRIVER_DISPATCH routine, DEVICE_OBJECT& device, IRP& irp) {
  DispatchFrame frame;
  frame.major = IoGetCurrentIrpStackLocation(&irp)->MajorFunction;
  LocationState* state = state_of_current(irp);
  frame.thread = &machine_.self();
  if (state) enter(*state, frame);
  NTSTATUS status = call_driver(machine_, irp_name(frame.major), scope_of(&device), routine, &device, &irp);
  if (!state) return status;
  // From here on the IRP may be gone; its packet is not.
  if (!leave(*state, frame, status)) {
    judge_return(frame, status);
  } else if (status != STATUS_PENDING) {
    not_completed(frame, irp, status);
  }
  return status;
}

// The location was completed before the routine returned.
void Irps::judge_return(const DispatchFrame& frame, NTSTATUS status) {
  DispatchFrame::Outcome outcome = outcome_of(frame);
  bool marked = outcome == DispatchFrame::Outcome::Marked;
  if (!marked && status != STATUS_PENDING && frame.completed_with && frame.completed_with != status) {
    judge_status(frame, status);
  }
  if (!frame.judged || outcome == DispatchFrame::Outcome::Lost || marked == (status == STATUS_PENDING)) return;
  machine_.report_violation(
      Violation::IrpPendingMismatch,
      marked ? fmt::format("the dispatch routine for {} marked its IRP pending and returned 0x{:08X}",
                           irp_name(frame.major), static_cast<uint32_t>(status))
             : fmt::format("the dispatch routine for {} returned STATUS_PENDING and did not mark its IRP "
                           "pending",
                           irp_name(frame.major)));
}

// The routine completed its IRP itself, with another status than it returned.
void Irps::judge_status(const DispatchFrame& frame, NTSTATUS status) {
  if (status == kFreedIrpStatus) {
    machine_.report_violation(
        Violation::IrpUsedAfterCompletion,
        fmt::format("the dispatch routine for {} read the status that it returned from an IRP that it had completed",
                    irp_name(frame.major)));
    return;
  }
  machine_.report_violation(
      Violation::IrpStatusMismatch,
      fmt::format("the dispatch routine for {} completed its IRP with 0x{:08X} and returned 0x{:08X}",
                  irp_name(frame.major), static_cast<uint32_t>(*frame.completed_with), static_cast<uint32_t>(status)));
}

// As documented: what a routine neither completes nor pends, the I/O manager completes.
void Irps::not_completed(DispatchFrame& frame, IRP& irp, NTSTATUS status) {
  if (!frame.judged) return;
  if (frame.outer) frame.outer->judged = false;
  machine_.report_violation(
      Violation::IrpNotCompleted,
      fmt::format("the dispatch routine for {} returned 0x{:08X} and neither completed its IRP nor passed "
                  "it on",
                  irp_name(frame.major), static_cast<uint32_t>(status)));
  irp.CancelRoutine = nullptr;
  irp.IoStatus.Status = status;
  complete(irp, IO_NO_INCREMENT);
}

// --- Up ---

void Irps::complete(IRP& irp, CCHAR) {
  if (!check_completion(irp)) return;
  keep_status(irp);
  while (irp.CurrentLocation <= irp.StackCount) {
    IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(&irp);
    IO_STACK_LOCATION below = location;
    location.Control = 0;
    location.CompletionRoutine = nullptr;
    bool marked = below.Control & SL_PENDING_RETURNED;
    irp.PendingReturned = marked;
    LocationState* state = state_of_current(irp);
    uintptr_t was = state ? state->exchange(kNotSent, std::memory_order_acq_rel) : kNotSent;
    IoSkipCurrentIrpStackLocation(&irp);
    location_done(was, below.MajorFunction, marked);
    if (!continues(irp, below)) return;
  }
  finish(irp);
}

bool Irps::check_completion(IRP& irp) {
  if (!is_alive(irp) || irp.CurrentLocation > irp.StackCount) {
    machine_.report_violation(Violation::IrpCompletedTwice,
                              "IoCompleteRequest of an IRP that was completed before, or never sent");
    forgive_use(irp);
    return false;
  }
  // On a live machine another thread may be cancelling it at this moment.
  if (__atomic_load_n(&irp.CancelRoutine, __ATOMIC_ACQUIRE)) {
    machine_.report_violation(Violation::IrpCancelRoutineSet, "an IRP is completed that still has a cancel routine");
    __atomic_store_n(&irp.CancelRoutine, nullptr, __ATOMIC_RELEASE);
  }
  if (irp.IoStatus.Status == STATUS_PENDING) {
    machine_.report_violation(Violation::IrpCompletedPending, "an IRP is completed with STATUS_PENDING");
  }
  if (holds_spin_lock(machine_.self())) {
    machine_.report_violation(Violation::IrpCompletedLocked, "IoCompleteRequest is called while a spin lock is held");
  }
  return true;
}

// For the dispatch routine that is running and completes its own IRP. A driver above it, whose completion routine may
// change the status, is not judged by it. STATUS_PENDING is no status to complete with, and a finding already.
void Irps::keep_status(IRP& irp) {
  if (irp.IoStatus.Status == STATUS_PENDING) return;
  LocationState* state = state_of_current(irp);
  DispatchFrame* frame = state ? frame_in(state->load(std::memory_order_acquire)) : nullptr;
  if (frame && frame->thread == &machine_.self()) frame->completed_with = irp.IoStatus.Status;
}

// A location is off. If its dispatch routine has returned, the two are compared now; otherwise the outcome is stored in
// the routine's frame.
void Irps::location_done(uintptr_t was, UCHAR major, bool marked) {
  if (was == kReturnedPending && !marked) {
    machine_.report_violation(
        Violation::IrpPendingMismatch,
        fmt::format("the dispatch routine for {} returned STATUS_PENDING and did not mark its IRP pending",
                    irp_name(major)));
  }
  tell_frames(was, marked ? DispatchFrame::Outcome::Marked : DispatchFrame::Outcome::Unmarked);
}

// Runs the completion routine that the driver above left in the location below it. False: it keeps the IRP, which may
// be gone.
bool Irps::continues(IRP& irp, const IO_STACK_LOCATION& below) {
  bool top = irp.CurrentLocation > irp.StackCount;
  if (!below.CompletionRoutine || !invokes(irp, below.Control)) {
    if (irp.PendingReturned && !top) IoMarkIrpPending(&irp);
    return true;
  }
  DEVICE_OBJECT* device = top ? nullptr : IoGetCurrentIrpStackLocation(&irp)->DeviceObject;
  NTSTATUS status;
  if (is_own(reinterpret_cast<const void*>(below.CompletionRoutine))) {
    status = below.CompletionRoutine(device, &irp, below.Context);
  } else {
    status = call_driver(machine_, "completion routine", scope_of(device), below.CompletionRoutine, device, &irp,
                         below.Context);
  }
  return status != STATUS_MORE_PROCESSING_REQUIRED;
}

void Irps::finish(IRP& irp) {
  IrpPacket* packet = packet_of(irp);
  if (!packet || packet->end == End::Driver) {
    machine_.report_violation(
        Violation::IrpLeaked,
        "an IRP that a driver made was completed, and no completion routine of the driver took it back");
    return;
  }
  write_back(machine_, irp);
  IO_STATUS_BLOCK status = irp.IoStatus;
  if (packet->end == End::Request) {
    packet->request->finished(irp, status);  // frees it
    return;
  }
  KEVENT* event = irp.UserEvent;
  if (irp.UserIosb) *irp.UserIosb = status;
  free(irp);
  if (event) machine_.dispatcher().set_event(*event);
}

}  // namespace nt
