#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ks/pin/pin.h"
#include "nt/machine/machine.h"

namespace ks {

class AllocatorNode;

// Takes frames from an allocator and sends them round a circuit: to the source's queue, to the sink's queue, and back
// to the requester, which resets them and sends them out again. Once it is stopped, every frame that comes back goes to
// the allocator. Made by a pipe; keeps itself, both pins' files and the allocator's alive for as long as one of its
// frames is out. Frames come back on any thread at DISPATCH_LEVEL or below; start() and stop() at PASSIVE_LEVEL.
class Requester final : public std::enable_shared_from_this<Requester> {
 public:
  // `file` is the allocator's. References all three files.
  Requester(Pin& source, Pin& sink, FILE_OBJECT& file, AllocatorNode& allocator);
  ~Requester();
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;

  // STATUS_INSUFFICIENT_RESOURCES when the allocator gives not a single frame.
  base::Result<> start(uint32_t frames);
  // Flushes both queues. A frame that a driver still has comes back, and goes to the allocator, when the driver
  // releases it. A second call does nothing.
  void stop();
  bool running();
  // Sends out the frames that a flush of the source's queue had sent back.
  void replenish();
  // Another requester serves the pins now.
  void step_aside();

  struct Counts {
    uint32_t frames;                        // that are not back with the allocator
    uint64_t requested, refused, returned;  // of the allocator
    uint64_t went_round;                    // times a frame came back from the sink
  };
  Counts counts();

 private:
  // The two ways out of a queue.
  class FromSource final : public Transport {
   public:
    explicit FromSource(Requester& owner) : owner_(owner) {}
    void take(std::unique_ptr<StreamIrp> irp) override { owner_.from_source(std::move(irp)); }

   private:
    Requester& owner_;
  };
  class FromSink final : public Transport {
   public:
    explicit FromSink(Requester& owner) : owner_(owner) {}
    void take(std::unique_ptr<StreamIrp> irp) override { owner_.from_sink(std::move(irp)); }

   private:
    Requester& owner_;
  };

  std::unique_ptr<StreamIrp> request_frame();
  void from_source(std::unique_ptr<StreamIrp> irp);
  void from_sink(std::unique_ptr<StreamIrp> irp);
  // Whether the circuit runs. If so the pins stay until leave() is called.
  bool enter();
  void leave();
  void send(std::unique_ptr<StreamIrp> irp);
  void keep_idle(std::unique_ptr<StreamIrp> irp);
  // Back to the allocator, now or from a work item.
  void retire(std::unique_ptr<StreamIrp> irp);
  void retire_all();
  void retire_later();
  void release_frame(std::unique_ptr<StreamIrp> irp);
  void finish_if_done();

  nt::Machine& machine_;
  Pin& source_;  // while users_ is not zero
  Pin& sink_;
  FILE_OBJECT& source_file_;
  FILE_OBJECT& sink_file_;
  FILE_OBJECT& file_;
  AllocatorNode& allocator_;  // while file_ is referenced
  FromSource from_source_{*this};
  FromSink from_sink_{*this};

  base::Mutex<base::LockRank::Adapter> lock_;
  bool running_ GUARDED_BY(lock_) = false;
  bool attached_ GUARDED_BY(lock_) = false;  // the pins' transports are its own
  bool ended_ GUARDED_BY(lock_) = false;
  bool retiring_later_ GUARDED_BY(lock_) = false;
  uint32_t users_ GUARDED_BY(lock_) = 0;                            // the circuit, and threads about to queue a frame
  uint32_t out_ GUARDED_BY(lock_) = 0;                              // frames that the allocator does not have
  std::vector<std::unique_ptr<StreamIrp>> idle_ GUARDED_BY(lock_);  // back here: to be sent, or to be retired
  Counts counts_ GUARDED_BY(lock_){};
  std::shared_ptr<Requester> self_ GUARDED_BY(lock_);
};

}  // namespace ks
