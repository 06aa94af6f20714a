#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/stream/stream_irp.h"
#include "nt/machine/machine.h"

namespace ks {

class Pin;
class StreamPointer;
struct Policy;
struct QueueImpl;
struct RegisteredAdapter;

// The frames that wait at a pin, in the order of their arrival, and the stream pointers that stand on them. Its lock is
// a spin lock of the machine: a driver's cancel callback runs under it, as documented. Owned by its pin; any thread at
// DISPATCH_LEVEL or below.
class Queue {
 public:
  class Owner {
   public:
    // A frame came. `first`: there was none at or ahead of the leading edge. No lock is held.
    virtual void arrived(bool first) = 0;
    // Every frame of the request is done with, or it was cancelled or flushed; its status is set. No lock is held.
    virtual void left(std::unique_ptr<StreamIrp> irp) = 0;

   protected:
    ~Owner() = default;
  };

  // What a queue knows of the pin it belongs to. Flags, direction and header size are read where they are needed: the
  // driver may edit its descriptor.
  struct Site {
    nt::Machine& machine;
    const Policy& policy;
    KSPIN& body;
    nt::Scope* scope;  // of the driver's callbacks
    std::string name;
    const std::optional<RegisteredAdapter>& adapter;
    Pin* pin;  // null in tests of queues alone
  };

  Queue(Pin& pin, Owner& owner);
  Queue(const Site& site, Owner& owner);
  ~Queue();  // the queue must be empty
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // STATUS_CANCELLED when it was cancelled before it came in; the owner then gets it back as `left`.
  base::Result<> add(std::unique_ptr<StreamIrp> irp);
  // Cancels the request: the callbacks of its unlocked clones are called, and it leaves. A request that a locked
  // pointer stands on leaves when the pointer is unlocked.
  void cancel(IRP& irp);
  // All requests leave with this status: reset, stop, close. Frames that a locked pointer stands on leave when it is
  // unlocked; unlocked clones on them have no frame then, and their next lock fails. The edges go on to newer frames
  // meanwhile.
  void flush(NTSTATUS status);
  // The stream has ended: reports clones that the driver has not deleted, and locked edges. The requests that
  // they kept leave. Called after `flush`.
  void audit_clones(const char* when);

  bool empty();
  size_t frames();                            // in the queue, with or without a pointer on them
  bool ready();                               // something is at or ahead of the leading edge
  size_t available_bytes(bool input_offset);  // KsPinGetAvailableByteCount
  // Counts what a driver's Process may do to a queue (advances, deletions, unlocks with eject, offsets). The same
  // number before and after a call means that the call made no progress.
  uint64_t progress();

  // The edges; null where there is none (no distinct trailing edge).
  StreamPointer* leading();
  StreamPointer* trailing();
  StreamPointer* first_clone();

  // --- Injection, and callbacks for requests that went round the circuit ---
  // KsPinRegisterFrameReturnCallback: the pin's driver submits its frames itself.
  void set_frame_return(PFNKSPINFRAMERETURN callback);
  void set_irp_completion(PFNKSPINIRPCOMPLETION callback);
  bool injects();
  // Puts a frame of the driver's own into the circuit. It does not pass through this queue.
  base::Result<> inject(void* data, uint32_t bytes, MDL* mdl, const KSSTREAM_HEADER* header, void* context);
  // For a requester: a request of this pin's circuit has gone round and is about to be used again, or retired.
  void went_round(StreamIrp& irp);
  // A frame that was injected here has gone round: the driver gets it back.
  void return_injected(StreamIrp& irp);

  const Site& site() const;
  const std::shared_ptr<StreamIrpCache>& cache() const;

  // True when everything in it agrees; for tests.
  bool validate();

  struct Counts {
    uint64_t arrived, completed, cancelled, dropped;
  };
  Counts counts();

 private:
  friend class StreamIrp;
  friend class StreamPointer;
  std::unique_ptr<QueueImpl> impl_;
};

}  // namespace ks
