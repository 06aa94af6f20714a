#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "ks/stream/frame_check.h"
#include "ks/stream/queue.h"
#include "ks/stream/stream_pointer.h"

// The inside of a queue, for queue*.cc and stream_pointer.cc.
//
//   first                                     trailing          leading                     last
//   frame ── frame ──────────────────────────── frame ─── frame ── frame ── frame ──────────── frame     (arrival ▶)
//     │ clone   (passed by both edges: only          (passed by the leading    (not reached yet)
//     │          the clone keeps it)                  edge: the window)
//
// A frame has one reference for each edge that has not passed it and one for each clone that stands on it. Without any
// it is done and leaves the list; a request leaves with its last frame, in the order of arrival where the pin enforces
// that. Requests that leave are handed to the owner when the lock is released.
//
// A driver may hold a spin lock of its own when it releases a frame. No request is completed then: the requests wait
// for a DPC, or for the next call on a thread that holds no spin lock.
//
// Cancellation. The request's IRP has our cancel routine while it is queued. The queue or the I/O manager takes the
// routine out of the IRP, and that decides. If it is the queue, no cancellation comes any more. If it is the I/O
// manager, the queue waits for the call of the routine, which takes the request out. A request on which a pointer is
// locked is only marked as ending, and ends with the last unlock. The edges do not wait for that: they leave its frames
// behind, each with the reference that it had, and go on to newer frames.
namespace ks {

struct QueueImpl {
  class Held;

  QueueImpl(Queue& queue, const Queue::Site& site, Queue::Owner& owner);
  ~QueueImpl();

  bool has_flag(ULONG flag) const { return site.body.Descriptor->Flags & flag; }
  bool mapped() const { return has_flag(KSPIN_FLAG_GENERATE_MAPPINGS); }
  bool input() const { return site.body.DataFlow == KSPIN_DATAFLOW_IN; }
  KSSTREAM_POINTER_OFFSET& offset_of(StreamPointer& pointer) const {
    return input() ? pointer.body_->OffsetIn : pointer.body_->OffsetOut;
  }
  // This thread is in the driver's cancel callback, and so has the lock already.
  bool in_callback() const;
  // This thread calls `function` in the driver's cancel callback, where that is forbidden. Reported; true: do nothing.
  bool misused_in_callback(const char* function);
  // The stack of the driver's call, for a report. 0 with the LiveExecutor, where it would cost too much.
  base::StackId place() { return machine.options().pace == nt::Pace::Live ? 0 : machine.here_id(); }

  // --- Frames; queue.cc ---
  void arrived(Frame& frame);
  void link(Frame& frame);
  void unlink(Frame& frame);
  void hold(Frame& frame);  // its bytes may be touched
  void unhold(Frame& frame);
  void forget(Frame& frame);  // it leaves: the queue drops all it knows of it
  void frame_done(Held& held, Frame& frame);
  FrameCheck::Stream stream_facts() const;

  // --- Requests; queue_request.cc ---
  void link(StreamIrp& request);
  void unlink(StreamIrp& request);
  void finished(Held& held, StreamIrp& request);  // its last frame is done
  void release_finished(Held& held);
  void take_out(Held& held, StreamIrp& request);
  bool cancelled_before(Held& held, StreamIrp& request);
  void end_when_unlocked(Held& held, StreamIrp& request, NTSTATUS status);
  void end(Held& held, StreamIrp& request, NTSTATUS status);
  void end_frame(Frame& frame);
  void call_cancelled(StreamPointer& clone);
  StreamPointer* locked_clone();  // the first, or null
  void unlock_by_force(Held& held, StreamPointer& pointer);
  // A lock on one of its frames is gone.
  void settle(Held& held, StreamIrp& request);
  static void cancel_routine(DEVICE_OBJECT* device, IRP* irp);

  // --- Pointers; stream_pointer.cc ---
  void put_on(StreamPointer& pointer, Frame& frame);
  void take_off(StreamPointer& pointer);
  void show(StreamPointer& pointer);  // fills its body for the frame it stands on
  void use(const StreamPointer& pointer, KSSTREAM_POINTER_OFFSET& offset, uint32_t count) const;
  bool not_locked(const StreamPointer& pointer, const char* function) const;
  void set_data_used(StreamPointer& pointer) const;
  // Moves an unlocked pointer to the next frame whose request is not ending. A clone without a frame waits for one.
  void step(Held& held, StreamPointer& pointer);
  // The same for an edge whose frame is ending.
  void step_off(StreamPointer& edge);
  void move_on(StreamPointer& pointer);
  // Moves the edges off frames whose request is ending, unless they are locked there.
  void leave_ending();
  void leave_ending(StreamPointer& pointer);
  NTSTATUS lock(StreamPointer& pointer);
  NTSTATUS map(Frame& frame);
  void unlock(StreamPointer& pointer);
  NTSTATUS advance(Held& held, StreamPointer& pointer);
  // Takes a clone away; returns the frame that it stood on, or null. The caller must then release the frame.
  Frame* detach_clone(StreamPointer& clone);
  void remove_clone(Held& held, StreamPointer& clone);
  StreamPointer* take_clone(uint32_t context_bytes);
  StreamPointer* new_clone(StreamPointer& from, PFNKSSTREAMPOINTER cancelled, uint32_t context_bytes);

  // --- For tests; queue_validate.cc ---
  bool valid(const Frame& frame) const;
  bool valid(StreamIrp& request) const;

  // --- Timeouts; queue_timeout.cc ---
  void schedule(StreamPointer& pointer, PFNKSSTREAMPOINTER callback, uint64_t interval);
  void make_timer();
  void arm_timer();
  void end_timeouts();
  void run_timeouts();
  static void run_timeout_dpc(KDPC* dpc, void* queue, void* argument1, void* argument2);

  // --- Requests that left while a driver held a spin lock; queue_leave.cc ---
  KDPC* make_dpc(PKDEFERRED_ROUTINE routine);
  void defer(StreamIrp* list, StreamIrp* list_end);
  static void run_leave_dpc(KDPC* dpc, void* queue, void* argument1, void* argument2);
  void end_dpc(KDPC* dpc);

  Queue& self;
  const Queue::Site site;
  Queue::Owner& owner;
  nt::Machine& machine;
  const std::shared_ptr<StreamIrpCache> cache;
  ULONG_PTR* const word;  // the spin lock, in machine memory; guards everything below

  Frame* first = nullptr;
  Frame* last = nullptr;
  size_t frames = 0;
  uint64_t sequence = 0;
  StreamIrp* first_request = nullptr;
  StreamIrp* last_request = nullptr;
  StreamPointer leading;
  StreamPointer trailing;
  bool distinct_trailing = false;  // as it was when the queue was empty last
  StreamPointer* first_clone = nullptr;
  StreamPointer* last_clone = nullptr;
  size_t waiting_clones = 0;                        // clones that have passed the last frame
  std::atomic<StreamPointer*> cancelling{nullptr};  // the clone whose callback runs
  size_t ahead = 0;                                 // bytes of the frames that the leading edge has not passed
  uint64_t progress = 0;
  Queue::Counts counts{};
  FrameCheck check;
  PFNKSPINFRAMERETURN frame_return = nullptr;
  PFNKSPINIRPCOMPLETION irp_completion = nullptr;

  // Deleted clones by the size of their context, oldest first. Some are kept before one is used again, so that a late
  // use is found.
  static constexpr size_t kKeptBack = 64;
  struct Dead {
    StreamPointer* first = nullptr;
    StreamPointer* last = nullptr;
    size_t count = 0;
  };
  std::map<uint32_t, Dead> dead;  // a driver uses one size or two

  struct Timeout {
    base::TimeNs due;
    uint64_t ticket;  // counts; equal to the pointer's while it is scheduled
    StreamPointer* pointer;
    bool operator>(const Timeout& other) const { return due != other.due ? due > other.due : ticket > other.ticket; }
  };
  std::vector<Timeout> timeouts;  // a heap, earliest first
  uint64_t tickets = 0;
  KTIMER* timer = nullptr;  // in machine memory, from the first timeout on
  KDPC* timer_dpc = nullptr;

  StreamIrp* deferred = nullptr;  // requests that wait until no spin lock is held; the first one
  StreamIrp* last_deferred = nullptr;
  KDPC* leave_dpc = nullptr;  // in machine memory, from the first of them on
};

// Holds the queue's lock, at DISPATCH_LEVEL. Requests that left meanwhile are handed to the owner after the release.
class QueueImpl::Held {
 public:
  explicit Held(QueueImpl& queue);
  ~Held() { release(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void leaves(StreamIrp& request);
  void release();

 private:
  bool drivers_lock_held() const;

  QueueImpl& queue_;
  KIRQL irql_;
  bool held_ = true;
  StreamIrp* first_ = nullptr;  // leaving, in order
  StreamIrp* last_ = nullptr;
};

// For as long as one lives, code of ours runs in the place of a driver's DPC.
class OwnDpc {
 public:
  OwnDpc();
  ~OwnDpc();
  OwnDpc(const OwnDpc&) = delete;
  OwnDpc& operator=(const OwnDpc&) = delete;
};

}  // namespace ks
