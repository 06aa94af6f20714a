// Stream pointers, edges and injected frames. Pages: ks/nf-ks-kspingetleadingedgestreampointer,
// ks/nf-ks-ksstreampointerlock, ks/nf-ks-kspinsubmitframe, …
#include <fmt/format.h>

#include "ks/exports/kernel_entry.h"
#include "ks/pin/pin.h"
#include "ks/stream/stream_pointer.h"

using ks::Eject;
using ks::Fn;
using ks::KernelEntry;
using ks::Pin;
using ks::Queue;
using ks::StreamPointer;
using ks::Then;
using nt::Violation;

namespace {

StreamPointer* find(const KernelEntry& call, const KSSTREAM_POINTER* body) {
  return StreamPointer::of(call.machine(), body, call.name());
}

// Null where the pin has none: it is not one of the standard transport's, or it is not open yet.
Queue* queue_of(const KernelEntry& call, const KSPIN* body) {
  Pin* pin = call.system().object_as<Pin>(body, call.name());
  return pin && pin->standard_transport() && pin->has_queue() ? &pin->queue() : nullptr;
}

PKSSTREAM_POINTER edge(StreamPointer* pointer, KSSTREAM_POINTER_STATE state) {
  if (!pointer) return nullptr;
  if (state == KSSTREAM_POINTER_STATE_LOCKED && !NT_SUCCESS(pointer->lock())) return nullptr;
  return pointer->body();
}

Eject eject_of(BOOLEAN eject) { return eject ? Eject::Yes : Eject::No; }

// What may only be registered while the pin is in the stop state (L-16).
Queue* registering(const KernelEntry& call, const KSPIN* body) {
  Pin* pin = call.system().object_as<Pin>(body, call.name());
  if (!pin || !pin->has_queue()) return nullptr;
  if (pin->state() != KSSTATE_STOP) {
    call.report_violation(Violation::KsGateAttachedInMotion,
                          fmt::format("{}: {} was called in state {}; it belongs in KSSTATE_STOP", pin->name(),
                                      call.name(), static_cast<int>(pin->state())));
  }
  return &pin->queue();
}

NTSTATUS submit(const KernelEntry& call, const KSPIN* body, void* data, ULONG bytes, MDL* mdl,
                const KSSTREAM_HEADER* header, void* context) {
  Queue* queue = queue_of(call, body);
  if (!queue) return STATUS_INVALID_PARAMETER;
  const std::string& name = queue->site().name;
  if (!queue->injects()) {
    call.report_violation(Violation::KsSubmitFrameWrong,
                          fmt::format("{}: {} was called for a pin that is not in injection mode", name, call.name()));
    return STATUS_INVALID_DEVICE_REQUEST;
  }
  if (!mdl && (data == nullptr) != (bytes == 0)) {
    call.report_violation(
        Violation::KsSubmitFrameWrong,
        fmt::format("{}: {} was given {} and a Size of {}", name, call.name(), data ? "a buffer" : "no buffer", bytes));
    return STATUS_INVALID_PARAMETER;
  }
  auto injected = queue->inject(data, bytes, mdl, header, context);
  return injected.ok() ? STATUS_SUCCESS : call.refuse(injected.failure());
}

}  // namespace

extern "C" {

// --- Edges and clones of a pin ---

PKSSTREAM_POINTER KsPinGetLeadingEdgeStreamPointer(PKSPIN pin, KSSTREAM_POINTER_STATE state) {
  KernelEntry call{Fn::KsPinGetLeadingEdgeStreamPointer};
  Queue* queue = queue_of(call, pin);
  return queue ? edge(queue->leading(), state) : nullptr;
}

PKSSTREAM_POINTER KsPinGetTrailingEdgeStreamPointer(PKSPIN pin, KSSTREAM_POINTER_STATE state) {
  KernelEntry call{Fn::KsPinGetTrailingEdgeStreamPointer};
  Queue* queue = queue_of(call, pin);
  return queue ? edge(queue->trailing(), state) : nullptr;
}

PKSSTREAM_POINTER KsPinGetFirstCloneStreamPointer(PKSPIN pin) {
  KernelEntry call{Fn::KsPinGetFirstCloneStreamPointer};
  Queue* queue = queue_of(call, pin);
  StreamPointer* clone = queue ? queue->first_clone() : nullptr;
  return clone ? clone->body() : nullptr;
}

PKSSTREAM_POINTER KsStreamPointerGetNextClone(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerGetNextClone};
  StreamPointer* pointer = find(call, body);
  StreamPointer* clone = pointer ? pointer->next_clone() : nullptr;
  return clone ? clone->body() : nullptr;
}

NTSTATUS KsPinGetAvailableByteCount(PKSPIN pin, PLONG input, PLONG output) {
  KernelEntry call{Fn::KsPinGetAvailableByteCount};
  Queue* queue = queue_of(call, pin);
  if (!queue) return STATUS_UNSUCCESSFUL;
  if (input) *input = static_cast<LONG>(queue->available_bytes(true));
  if (output) *output = static_cast<LONG>(queue->available_bytes(false));
  return STATUS_SUCCESS;
}

// --- Locking and advancing ---

NTSTATUS KsStreamPointerLock(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerLock};
  StreamPointer* pointer = find(call, body);
  return pointer ? pointer->lock() : STATUS_DEVICE_NOT_READY;
}

void KsStreamPointerUnlock(PKSSTREAM_POINTER body, BOOLEAN eject) {
  KernelEntry call{Fn::KsStreamPointerUnlock};
  if (StreamPointer* pointer = find(call, body)) pointer->unlock(eject_of(eject));
}

NTSTATUS KsStreamPointerAdvance(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerAdvance};
  StreamPointer* pointer = find(call, body);
  return pointer ? pointer->advance() : STATUS_DEVICE_NOT_READY;
}

NTSTATUS KsStreamPointerAdvanceOffsets(PKSSTREAM_POINTER body, ULONG in_used, ULONG out_used, BOOLEAN eject) {
  KernelEntry call{Fn::KsStreamPointerAdvanceOffsets};
  StreamPointer* pointer = find(call, body);
  return pointer ? pointer->advance_offsets(in_used, out_used, eject_of(eject), Then::Keep) : STATUS_DEVICE_NOT_READY;
}

void KsStreamPointerAdvanceOffsetsAndUnlock(PKSSTREAM_POINTER body, ULONG in_used, ULONG out_used, BOOLEAN eject) {
  KernelEntry call{Fn::KsStreamPointerAdvanceOffsetsAndUnlock};
  if (StreamPointer* pointer = find(call, body)) {
    pointer->advance_offsets(in_used, out_used, eject_of(eject), Then::Unlock);
  }
}

// --- Clones ---

NTSTATUS KsStreamPointerClone(PKSSTREAM_POINTER body, PFNKSSTREAMPOINTER cancelled, ULONG context_bytes,
                              PKSSTREAM_POINTER* out) {
  KernelEntry call{Fn::KsStreamPointerClone};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  StreamPointer* pointer = find(call, body);
  if (!pointer) return STATUS_INVALID_PARAMETER;
  auto clone = pointer->clone(cancelled, context_bytes);
  if (!clone.ok()) return call.refuse(clone.failure());
  *out = clone.take()->body();
  return STATUS_SUCCESS;
}

void KsStreamPointerDelete(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerDelete};
  if (StreamPointer* pointer = find(call, body)) pointer->remove();
}

// --- Timeouts ---

void KsStreamPointerScheduleTimeout(PKSSTREAM_POINTER body, PFNKSSTREAMPOINTER callback, ULONGLONG interval) {
  KernelEntry call{Fn::KsStreamPointerScheduleTimeout};
  if (StreamPointer* pointer = find(call, body)) pointer->schedule_timeout(callback, interval);
}

void KsStreamPointerCancelTimeout(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerCancelTimeout};
  if (StreamPointer* pointer = find(call, body)) pointer->cancel_timeout();
}

// --- The request behind one ---

PIRP KsStreamPointerGetIrp(PKSSTREAM_POINTER body, PBOOLEAN first, PBOOLEAN last) {
  KernelEntry call{Fn::KsStreamPointerGetIrp};
  StreamPointer* pointer = find(call, body);
  bool is_first = false, is_last = false;
  PIRP irp = pointer ? pointer->irp(is_first, is_last) : nullptr;
  if (first) *first = is_first;
  if (last) *last = is_last;
  return irp;
}

PMDL KsStreamPointerGetMdl(PKSSTREAM_POINTER body) {
  KernelEntry call{Fn::KsStreamPointerGetMdl};
  StreamPointer* pointer = find(call, body);
  return pointer ? pointer->mdl() : nullptr;
}

NTSTATUS KsStreamPointerSetStatusCode(PKSSTREAM_POINTER body, NTSTATUS status) {
  KernelEntry call{Fn::KsStreamPointerSetStatusCode};
  StreamPointer* pointer = find(call, body);
  return pointer ? pointer->set_status(status) : STATUS_INVALID_PARAMETER;
}

// --- Injection ---

void KsPinRegisterFrameReturnCallback(PKSPIN pin, PFNKSPINFRAMERETURN callback) {
  KernelEntry call{Fn::KsPinRegisterFrameReturnCallback};
  if (Queue* queue = registering(call, pin)) queue->set_frame_return(callback);
}

void KsPinRegisterIrpCompletionCallback(PKSPIN pin, PFNKSPINIRPCOMPLETION callback) {
  KernelEntry call{Fn::KsPinRegisterIrpCompletionCallback};
  if (Queue* queue = registering(call, pin)) queue->set_irp_completion(callback);
}

NTSTATUS KsPinSubmitFrame(PKSPIN pin, PVOID data, ULONG bytes, PKSSTREAM_HEADER header, PVOID context) {
  KernelEntry call{Fn::KsPinSubmitFrame};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  return submit(call, pin, data, bytes, nullptr, header, context);
}

NTSTATUS KsPinSubmitFrameMdl(PKSPIN pin, PMDL mdl, PKSSTREAM_HEADER header, PVOID context) {
  KernelEntry call{Fn::KsPinSubmitFrameMdl};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  return submit(call, pin, nullptr, 0, mdl, header, context);
}

}  // extern "C"
