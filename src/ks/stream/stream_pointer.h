#pragma once

#include <atomic>
#include <cstdint>

#include "abi/ks/ks.h"
#include "base/debug/stack_table.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace ks {

struct Frame;
class Queue;

// Whether a pointer goes to the next frame, even if bytes of this one are left.
enum class Eject : uint8_t { No, Yes };
// What becomes of its lock afterwards.
enum class Then : uint8_t { Keep, Unlock };

// A stream pointer: an edge of a queue, or a clone. The driver sees its body (KSSTREAM_POINTER) in machine memory; a
// record before that leads back here. Owned by its queue: edges live as long as it, a clone until it is deleted; the
// body of a deleted one is kept for a while, so that a finding about its later use can name it. Its functions take the
// queue's lock: any thread at DISPATCH_LEVEL or below.
class StreamPointer {
 public:
  enum class Kind : uint8_t { Leading, Trailing, Clone };

  // The stream pointer behind the pointer that a driver passed to `by`; null after a finding.
  static StreamPointer* of(nt::Machine& machine, const KSSTREAM_POINTER* body, const char* by);

  KSSTREAM_POINTER& operator*() { return *body_; }
  KSSTREAM_POINTER* body() { return body_; }
  Queue& queue() { return queue_; }
  Kind kind() const { return kind_; }
  bool locked() const { return locked_; }
  const Frame* frame() const { return frame_; }                    // null: none
  base::StackId taken_at() const { return taken_at_; }             // where it was locked or cloned last; 0: not known
  StreamPointer* next_on_frame() const { return next_on_frame_; }  // of clones

  // STATUS_DEVICE_NOT_READY: there is no frame, or it was cancelled. Where mappings are wanted and cannot be made, the
  // status of that failure.
  NTSTATUS lock();
  void unlock(Eject eject);
  NTSTATUS advance();
  NTSTATUS advance_offsets(uint32_t in_used, uint32_t out_used, Eject eject, Then then);
  base::Result<StreamPointer*> clone(PFNKSSTREAMPOINTER cancelled, uint32_t context_bytes);
  void remove();                // KsStreamPointerDelete
  StreamPointer* next_clone();  // in the order of cloning
  // Null unless it is locked.
  IRP* irp(bool& first, bool& last);
  MDL* mdl();
  NTSTATUS set_status(NTSTATUS status);
  // `interval` in units of 100 ns.
  void schedule_timeout(PFNKSSTREAMPOINTER callback, uint64_t interval);
  void cancel_timeout();

 private:
  friend class Queue;
  friend struct QueueImpl;
  struct Tag;

  StreamPointer(Queue& queue, Kind kind, uint32_t context_bytes)
      : queue_(queue), kind_(kind), context_bytes_(context_bytes) {}
  ~StreamPointer();
  // Makes its body, or clears the one it has. False when there is no memory.
  bool begin(nt::Machine& machine, KSPIN& pin);
  void forbid_access();  // the driver must not touch the body any more

  Queue& queue_;
  const Kind kind_;
  const uint32_t context_bytes_;
  KSSTREAM_POINTER* body_ = nullptr;
  Frame* frame_ = nullptr;
  base::StackId taken_at_ = 0;
  bool locked_ = false;
  bool live_ = false;
  bool told_ = false;      // a clone that was reported for Q-06
  bool detached_ = false;  // a clone whose frame was cancelled or flushed: it never gets a frame again

  // Links of a clone: in the order of cloning, and among the clones on its frame; or in the list of deleted clones. By
  // hand: KsStreamPointerGetNextClone goes on from a clone alone, and null is the end.
  StreamPointer* next_ = nullptr;
  StreamPointer* prev_ = nullptr;
  StreamPointer* next_on_frame_ = nullptr;
  StreamPointer* prev_on_frame_ = nullptr;
  PFNKSSTREAMPOINTER cancelled_ = nullptr;

  PFNKSSTREAMPOINTER timeout_ = nullptr;
  std::atomic<uint64_t> timeout_ticket_{0};  // 0: none is scheduled
};

}  // namespace ks
