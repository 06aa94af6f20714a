#include "ks/stream/stream_pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/sanitizer.h"
#include "ks/device/device.h"
#include "ks/stream/queue_impl.h"
#include "nt/mm/address_space.h"
#include "nt/mm/pool.h"

// Pages: ks/nf-ks-ksstreampointerlock and its neighbours, stream/introduction-to-stream-pointers,
// stream/stream-pointers-and-offsets.
//
// DataUsed. The page of KSSTREAM_HEADER says that AVStream sets it on queues with mappings and the minidriver on
// others. Drivers that work show the reverse, and so it is here: without mappings, a pointer of an output pin that
// is advanced past a frame with its offset moved sets DataUsed to how far that is; one whose offset was never moved
// leaves what the driver wrote. The deletion of a clone is no advance and takes nothing back: its progress counts where
// DataUsed is still zero (ours).
namespace ks {

// Lies in front of every body. Drivers do not see it.
struct alignas(16) StreamPointer::Tag {
  uint64_t mark;
  StreamPointer* pointer;
};

namespace {

constexpr uint64_t kLive = 0x5053'4556'494C'4B53, kDead = 0x5053'4441'4544'4B53;

// Not checked by a sanitizer: a driver may pass any pointer.
NO_SANITIZE uint64_t mark_of(const uint64_t* mark) { return *mark; }

}  // namespace

// --- Bodies ---

StreamPointer* StreamPointer::of(nt::Machine& machine, const KSSTREAM_POINTER* body, const char* by) {
  auto address = reinterpret_cast<uintptr_t>(body);
  uint64_t mark = 0;
  const auto* tag = reinterpret_cast<const Tag*>(address - sizeof(Tag));
  if (address % alignof(Tag) == 0 && nt::kPoolArena.contains(address - sizeof(Tag))) mark = mark_of(&tag->mark);
  if (__builtin_expect(mark == kLive, 1)) return tag->pointer;
  if (mark == kDead) {
    machine.report_violation(nt::Violation::KsPointerDeletedWrong,
                             fmt::format("{} was given a stream pointer that was deleted", by));
  } else {
    machine.report_violation(nt::Violation::NotInitialised, fmt::format("{} was given {} instead of a stream pointer",
                                                                        by, body ? "something" : "NULL"));
  }
  return nullptr;
}

bool StreamPointer::begin(nt::Machine& machine, KSPIN& pin) {
  size_t visible = sizeof(KSSTREAM_POINTER) + context_bytes_;
  if (!body_) {
    auto* block = static_cast<uint8_t*>(
        machine.pool().allocate(sizeof(Tag) + visible, 0, nt::PoolKind::Internal, nt::PoolFill::Zero));
    if (!block) return false;
    body_ = reinterpret_cast<KSSTREAM_POINTER*>(block + sizeof(Tag));
  } else {
    base::unpoison(body_, visible);
    std::memset(static_cast<void*>(body_), 0, visible);
  }
  *(reinterpret_cast<Tag*>(body_) - 1) = {kLive, this};
  body_->Pin = &pin;
  body_->Context = context_bytes_ ? body_ + 1 : nullptr;
  body_->Offset = pin.DataFlow == KSPIN_DATAFLOW_IN ? &body_->OffsetIn : &body_->OffsetOut;
  live_ = true;
  locked_ = detached_ = told_ = false;
  frame_ = nullptr;
  return true;
}

void StreamPointer::forbid_access() {
  (reinterpret_cast<Tag*>(body_) - 1)->mark = kDead;
  live_ = false;
  base::poison(body_, sizeof(KSSTREAM_POINTER) + context_bytes_);
}

StreamPointer::~StreamPointer() {
  if (!body_) return;
  base::unpoison(body_, sizeof(KSSTREAM_POINTER) + context_bytes_);
  queue_.site().machine.pool().free(reinterpret_cast<Tag*>(body_) - 1, 0);
}

// --- Where they stand ---

void QueueImpl::show(StreamPointer& pointer) {
  KSSTREAM_POINTER& body = *pointer.body_;
  body.OffsetIn = body.OffsetOut = {};
  body.StreamHeader = pointer.frame_ ? pointer.frame_->header : nullptr;
  if (!pointer.frame_ || mapped()) return;
  const Frame& frame = *pointer.frame_;
  KSSTREAM_POINTER_OFFSET& offset = offset_of(pointer);
  offset.Data = frame.data;
  offset.Count = offset.Remaining = input() ? std::min<ULONG>(frame.header->DataUsed, frame.extent) : frame.extent;
}

void QueueImpl::put_on(StreamPointer& pointer, Frame& frame) {
  if (pointer.kind_ == StreamPointer::Kind::Clone) {
    if (!pointer.frame_) --waiting_clones;
    pointer.prev_on_frame_ = nullptr;
    pointer.next_on_frame_ = frame.clones;
    if (frame.clones) frame.clones->prev_on_frame_ = &pointer;
    frame.clones = &pointer;
    ++frame.references;
    hold(frame);
  }
  pointer.frame_ = &frame;
  show(pointer);
}

// A clone waits for a frame from then on.
void QueueImpl::take_off(StreamPointer& pointer) {
  Frame& frame = *pointer.frame_;
  if (pointer.kind_ == StreamPointer::Kind::Clone) {
    (pointer.prev_on_frame_ ? pointer.prev_on_frame_->next_on_frame_ : frame.clones) = pointer.next_on_frame_;
    if (pointer.next_on_frame_) pointer.next_on_frame_->prev_on_frame_ = pointer.prev_on_frame_;
    unhold(frame);
    ++waiting_clones;
  } else if (pointer.kind_ == StreamPointer::Kind::Leading) {
    ahead -= frame.ahead;
    frame.ahead = 0;
  }
  --frame.references;
  pointer.frame_ = nullptr;
  show(pointer);
}

void QueueImpl::set_data_used(StreamPointer& pointer) const {
  if (input() || mapped()) return;
  const KSSTREAM_POINTER_OFFSET& offset = offset_of(pointer);
  uint32_t extent = pointer.frame_->extent;
  uint32_t used = extent - std::min<uint32_t>(offset.Remaining, extent);
  if (used != 0) pointer.frame_->header->DataUsed = used;
}

void QueueImpl::step(Held& held, StreamPointer& pointer) {
  ++progress;
  Frame* from = pointer.frame_;
  if (!from) return;
  set_data_used(pointer);
  step_off(pointer);
  if (from->references == 0) frame_done(held, *from);
}

void QueueImpl::step_off(StreamPointer& pointer) {
  move_on(pointer);
  leave_ending(pointer);
}

void QueueImpl::move_on(StreamPointer& pointer) {
  Frame* next = pointer.frame_->next;
  take_off(pointer);
  if (next) put_on(pointer, *next);
}

// "The IRP corresponding to this frame is canceled. AVStream advances the leading edge": a clone that stays locked on
// such a frame, for any length of time, keeps the request and not the queue. The same for a flush, and for the trailing
// edge (ours). The frame keeps the edge's reference, so that it ends with its request and not as one that is done.
void QueueImpl::leave_ending(StreamPointer& pointer) {
  while (pointer.frame_ && !pointer.locked_ && pointer.frame_->request->ending_) {
    Frame& frame = *pointer.frame_;
    move_on(pointer);
    if (pointer.kind_ == StreamPointer::Kind::Clone) continue;
    ++frame.references;
    ++frame.left_behind;
  }
}

void QueueImpl::leave_ending() {
  leave_ending(leading);
  leave_ending(trailing);
}

// --- Locking ---

// A frame keeps its mapping until it leaves the queue.
NTSTATUS QueueImpl::map(Frame& frame) {
  if (frame.mapping.live() || !frame.mdl) return STATUS_SUCCESS;
  if (!site.adapter) {
    machine.report_violation(
        nt::Violation::KsMappingsWithoutAdapter,
        fmt::format("{}: a frame is locked on a pin that generates mappings, and the device has registered "
                    "no DMA adapter",
                    site.name));
    return STATUS_DEVICE_NOT_READY;
  }
  uint32_t bytes = input() ? std::min<uint32_t>(frame.header->DataUsed, frame.extent) : frame.extent;
  if (bytes == 0) return STATUS_SUCCESS;
  return frame.mapping.make(machine, *site.adapter, *frame.mdl, bytes, input()).status();
}

NTSTATUS QueueImpl::lock(StreamPointer& pointer) {
  if (pointer.locked_) return STATUS_SUCCESS;
  Frame* frame = pointer.frame_;
  if (!frame || frame->request->ending_) return STATUS_DEVICE_NOT_READY;
  if (mapped()) {
    if (NTSTATUS status = map(*frame); !NT_SUCCESS(status)) return status;
    KSSTREAM_POINTER_OFFSET& offset = offset_of(pointer);
    if (frame->mapping.live() && !offset.Mappings) {
      offset.Mappings = frame->mapping.at(0);
      offset.Count = offset.Remaining = frame->mapping.count();
    }
  }
  pointer.locked_ = true;
  ++frame->locks;
  ++frame->request->locks_;
  if (pointer.kind_ != StreamPointer::Kind::Clone) hold(*frame);
  return STATUS_SUCCESS;
}

void QueueImpl::unlock(StreamPointer& pointer) {
  Frame& frame = *pointer.frame_;
  pointer.locked_ = false;
  --frame.locks;
  --frame.request->locks_;
  if (pointer.kind_ != StreamPointer::Kind::Clone) unhold(frame);
}

NTSTATUS StreamPointer::lock() {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerLock")) return STATUS_DEVICE_NOT_READY;
  base::StackId here = q.place();
  QueueImpl::Held held(q);
  NTSTATUS status = q.lock(*this);
  if (NT_SUCCESS(status)) taken_at_ = here;
  return status;
}

void StreamPointer::unlock(Eject eject) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerUnlock")) return;
  QueueImpl::Held held(q);
  if (!locked_) {
    held.release();
    q.machine.report_violation(
        nt::Violation::KsPointerNotLocked,
        fmt::format("{}: KsStreamPointerUnlock was given a stream pointer that is not locked", q.site.name));
    return;
  }
  StreamIrp& request = *frame_->request;
  q.unlock(*this);
  if (eject == Eject::Yes) q.step(held, *this);
  q.settle(held, request);
}

// --- Advancing ---

NTSTATUS QueueImpl::advance(Held& held, StreamPointer& pointer) {
  bool was_locked = pointer.locked_;
  StreamIrp* request = pointer.frame_ ? pointer.frame_->request : nullptr;
  if (was_locked) unlock(pointer);
  step(held, pointer);
  if (request) settle(held, *request);
  return was_locked ? lock(pointer) : STATUS_SUCCESS;
}

NTSTATUS StreamPointer::advance() {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerAdvance")) return STATUS_DEVICE_NOT_READY;
  QueueImpl::Held held(q);
  return q.advance(held, *this);
}

// Moves an offset by `count` bytes or mappings.
void QueueImpl::use(const StreamPointer& pointer, KSSTREAM_POINTER_OFFSET& offset, uint32_t count) const {
  if (count == 0) return;
  offset.Remaining -= count;
  if (!mapped()) {
    offset.Data += count;
  } else {
    offset.Mappings = pointer.frame_->mapping.at(offset.Count - offset.Remaining);
  }
}

NTSTATUS StreamPointer::advance_offsets(uint32_t in_used, uint32_t out_used, Eject eject, Then then) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerAdvanceOffsets")) return STATUS_DEVICE_NOT_READY;
  QueueImpl::Held held(q);
  if (!locked_) {
    held.release();
    q.machine.report_violation(
        nt::Violation::KsPointerNotLocked,
        fmt::format("{}: the offsets of a stream pointer that is not locked are advanced", q.site.name));
    return STATUS_DEVICE_NOT_READY;
  }
  if (in_used > body_->OffsetIn.Remaining || out_used > body_->OffsetOut.Remaining) {
    uint32_t in_left = body_->OffsetIn.Remaining, out_left = body_->OffsetOut.Remaining;
    q.machine.report_violation(
        nt::Violation::KsAdvanceBeyond,
        fmt::format("{}: the offsets of a stream pointer are advanced by {} in and {} out; {} and {} remain",
                    q.site.name, in_used, out_used, in_left, out_left));
    in_used = std::min(in_used, in_left);
    out_used = std::min(out_used, out_left);
  }
  q.use(*this, body_->OffsetIn, in_used);
  q.use(*this, body_->OffsetOut, out_used);
  ++q.progress;
  bool next = eject == Eject::Yes || q.offset_of(*this).Remaining == 0;
  if (then == Then::Keep) return next ? q.advance(held, *this) : STATUS_SUCCESS;
  StreamIrp& request = *frame_->request;
  q.unlock(*this);
  if (next) q.step(held, *this);
  q.settle(held, request);
  return STATUS_SUCCESS;
}

// --- What they lead to ---

IRP* StreamPointer::irp(bool& first, bool& last) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerGetIrp") || q.not_locked(*this, "KsStreamPointerGetIrp")) return nullptr;
  StreamIrp& request = *frame_->request;  // stays while it is locked
  first = frame_ == &request.frames().front();
  last = frame_ == &request.frames().back();
  return &request.irp();
}

MDL* StreamPointer::mdl() {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerGetMdl") || q.not_locked(*this, "KsStreamPointerGetMdl")) return nullptr;
  return frame_->mdl;
}

bool QueueImpl::not_locked(const StreamPointer& pointer, const char* function) const {
  if (pointer.locked_) return false;
  machine.report_violation(nt::Violation::KsPointerNotLocked,
                           fmt::format("{}: {} was given a stream pointer that is not locked", site.name, function));
  return true;
}

NTSTATUS StreamPointer::set_status(NTSTATUS status) {
  QueueImpl& q = *queue_.impl_;
  if (q.misused_in_callback("KsStreamPointerSetStatusCode")) return STATUS_DEVICE_NOT_READY;
  QueueImpl::Held held(q);
  if (!frame_) return STATUS_DEVICE_NOT_READY;
  frame_->request->set_status(status);
  return STATUS_SUCCESS;
}

}  // namespace ks
