// An allocator's frames: how many are handed out, which requests wait for one, and the end.
//
//   take:       lock, count one more, unlock; call the source; lock, put the frame on the list or take the count back
//   give back:  lock, off the list, unlock; give it to the source; lock, count one less, unlock; serve the waiting IRPs
//
// The source is a driver, so no lock is held while it runs. A frame that is on its way counts as taken, so that there
// are never more than the framing's `Frames`. A request that gets none waits as a pending IRP. It tries once more after
// it has joined the list: a thread that gave a frame back before that has not seen it there.
#include "ks/allocator/allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "ks/allocator/allocator_impl.h"
#include "ks/allocator/allocator_registry.h"
#include "ks/pin/pin.h"
#include "nt/ex/work_queues.h"
#include "nt/io/file_objects.h"
#include "nt/io/irps.h"

namespace ks {

const char* to_string(AllocatorState state) {
  switch (state) {
    case AllocatorState::Created:
      return "Created";
    case AllocatorState::Initialized:
      return "Initialized";
    case AllocatorState::Draining:
      return "Draining";
    case AllocatorState::Deleted:
      return "Deleted";
  }
  return "?";
}

AllocatorNode* allocator_of(System& system, const FILE_OBJECT* file) { return system.allocators().find(file); }

AllocatorNode::AllocatorNode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AllocatorNode::~AllocatorNode() = default;

const KSALLOCATOR_FRAMING& AllocatorNode::framing() const { return impl_->framing; }
bool AllocatorNode::drivers_own() const { return impl_->drivers_own; }
Pin* AllocatorNode::pin() const { return impl_->pin; }

AllocatorState AllocatorNode::state() const {
  base::Guard guard(impl_->lock);
  return impl_->state;
}

AllocatorNode::Ledger AllocatorNode::ledger() {
  base::Guard guard(impl_->lock);
  return {.pin = impl_->name,
          .framing = impl_->framing,
          .drivers_own = impl_->drivers_own,
          .state = impl_->state,
          .allocated = impl_->allocated,
          .refused = impl_->refused,
          .freed = impl_->freed,
          .outstanding = static_cast<uint32_t>(impl_->frames.count()),
          .most_outstanding = impl_->most_outstanding,
          .drained = impl_->drained,
          .pending = impl_->waiting.count(),
          .most_pending = impl_->waiting.most(),
          .left_in_scope = impl_->left_in_scope};
}

// --- Frames ---

void* AllocatorNode::allocate() { return take().frame; }

bool AllocatorNode::free(void* frame) { return give_back(frame); }

AllocatorNode::Taken AllocatorNode::take() {
  {
    base::Guard guard(impl_->lock);
    bool full = impl_->framing.Frames && impl_->taken >= impl_->framing.Frames;
    if (full || impl_->state != AllocatorState::Initialized) {
      ++impl_->refused;
      return {nullptr, !full};
    }
    ++impl_->taken;
  }
  void* frame = impl_->source->allocate();
  if (!frame) return {nullptr, take_none() == 0};
  auto address = reinterpret_cast<uintptr_t>(frame);
  if (uintptr_t other = hand_out(address)) {
    take_none();
    report_overlap(address, other);
    return {nullptr, false};
  }
  return {frame};
}

uintptr_t AllocatorNode::hand_out(uintptr_t frame) {
  base::Guard guard(impl_->lock);
  if (uintptr_t other = impl_->frames.insert(frame)) return other;
  ++impl_->allocated;
  impl_->most_outstanding = std::max(impl_->most_outstanding, static_cast<uint32_t>(impl_->frames.count()));
  return 0;
}

uint32_t AllocatorNode::take_none() {
  base::Guard guard(impl_->lock);
  ++impl_->refused;
  return --impl_->taken;
}

// The frame stays with the driver: to give it back could free the one that it overlaps.
void AllocatorNode::report_overlap(uintptr_t frame, uintptr_t other) {
  impl_->machine.report_violation(
      nt::Violation::KsFramesOverlap,
      frame == other
          ? fmt::format("AVStrMiniAllocate of {} returned a frame that is handed out already", impl_->name)
          : fmt::format("AVStrMiniAllocate of {} returned a frame of {} bytes that lies {} bytes {} one that is handed "
                        "out",
                        impl_->name, impl_->framing.FrameSize, frame > other ? frame - other : other - frame,
                        frame > other ? "after the beginning of" : "before the beginning of"));
}

bool AllocatorNode::give_back(void* frame) {
  {
    base::Guard guard(impl_->lock);
    if (!impl_->frames.erase(reinterpret_cast<uintptr_t>(frame))) return false;
  }
  impl_->source->free(frame);
  {
    base::Guard guard(impl_->lock);
    --impl_->taken;
    ++impl_->freed;
  }
  impl_->events.generate(KSEVENTSETID_StreamAllocator, KSEVENT_STREAMALLOCATOR_FREEFRAME);
  serve_waiting();
  return true;
}

// --- Waiting requests ---

void AllocatorNode::serve_waiting() {
  if (!impl_->waiting.count()) return;
  if (impl_->machine.self().irql == PASSIVE_LEVEL) {
    serve_now();
  } else {
    serve_later();
  }
}

// Takes a frame first, then the next waiting IRP. If that was cancelled meanwhile, the frame goes back.
void AllocatorNode::serve_now() {
  while (impl_->waiting.count()) {
    Taken taken = take();
    if (!taken.frame && !taken.hopeless) return;
    IRP* irp = impl_->waiting.take();
    if (!irp) {
      if (!taken.frame) return;
      give_back(taken.frame);
      return;  // give_back() has served the requests that came in between
    }
    irp->IoStatus.Status = taken.frame ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
    irp->IoStatus.Information = taken.frame ? sizeof(void*) : 0;
    if (taken.frame) *WaitingAllocs::answer_of(*irp) = taken.frame;
    impl_->machine.irps().complete(*irp, IO_NO_INCREMENT);
  }
}

// "must schedule a worker item (if the current IRQL is not PASSIVE_LEVEL)": filter-specific-allocators.
void AllocatorNode::serve_later() {
  if (impl_->serving_later.exchange(true, std::memory_order_acq_rel)) return;
  impl_->machine.files().reference(impl_->file);  // the allocator outlives the work item
  auto serve = [this] {
    impl_->serving_later.store(false, std::memory_order_release);
    serve_now();
    impl_->machine.files().dereference(impl_->file);
  };
  impl_->machine.work_queues().queue({this, 0, serve, nullptr}, CriticalWorkQueue);
}

void AllocatorNode::stop_waiting() { impl_->waiting.shut(); }

// --- The end ---

void AllocatorNode::cleanup(IRP&) {
  impl_->system.allocators().cleaned(impl_->file);
  stop_waiting();
  impl_->events.disable(nullptr);
}

// No reference to the file is left, so no request for frames can come any more. A file without a handle gets no
// cleanup.
NTSTATUS AllocatorNode::close(IRP& irp) {
  cleanup(irp);
  drain();
  uint32_t left = impl_->source->remove();
  {
    base::Guard guard(impl_->lock);
    impl_->state = AllocatorState::Deleted;
    impl_->left_in_scope = left;
  }
  impl_->system.allocators().closed(impl_->file, ledger());
  return STATUS_SUCCESS;
}

// Policy: frames that were not freed are freed here, in the order they were handed out, because DeleteAllocator is the
// last call to the driver ("AVStream will no longer use the allocator to allocate and free memory").
void AllocatorNode::drain() {
  std::vector<uintptr_t> left;
  {
    base::Guard guard(impl_->lock);
    impl_->state = AllocatorState::Draining;
    left = impl_->frames.in_order();
    impl_->drained = static_cast<uint32_t>(left.size());
  }
  for (uintptr_t frame : left) give_back(reinterpret_cast<void*>(frame));
}

}  // namespace ks
