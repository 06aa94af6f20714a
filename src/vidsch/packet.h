#pragma once

#include <cstdint>

#include "vidsch/fence_id.h"
#include "vidsch/intrusive_list.h"

namespace vidsch {

class Context;

enum class PacketKind : uint8_t {
  Render,  // goes to the hardware, when its device is ready
  Paging,  // goes to the hardware before everything else; only in a system context
  Signal,  // performed when everything before it in its context has retired
  Event,   // as Signal: tells a CPU that the context has come this far
  Marker,  // as Signal, with nothing to perform
  Wait,    // what follows it in its context is not submitted before it is satisfied
};

// How a packet ended.
enum class Outcome : uint8_t {
  Completed,
  Aborted,    // it was in the hardware: a fault, a reset or a refused submission ended it
  Cancelled,  // it never ran, or its effect is not wanted any more: its device is in error or its context goes
};

struct QueueTag;     // the context's order
struct HardwareTag;  // the node's order

// One entry of a context's queue. Memory, lifetime and contents belong to the code that derives from it and enqueues
// it; from enqueue() until Owner::retire() it is the scheduler's and stays where it is.
class Packet : public Hook<QueueTag>, public Hook<HardwareTag> {
 public:
  explicit Packet(PacketKind kind) : kind_(kind) {}
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  PacketKind kind() const { return kind_; }
  bool for_hardware() const { return kind_ == PacketKind::Render || kind_ == PacketKind::Paging; }
  bool paging() const { return kind_ == PacketKind::Paging; }
  Context& context() const { return *context_; }
  uint64_t sequence() const { return sequence_; }  // counts from 1 over the adapter, in order of enqueue()
  FenceId fence() const { return fence_; }         // of the latest submission; 0 before the first
  // DXGK_SUBMITCOMMANDFLAGS::Resubmission: it was preempted before and continues where it stopped.
  bool resubmission() const { return resubmission_; }

 protected:
  ~Packet() = default;

 private:
  friend class Context;
  friend class Node;
  friend class Scheduler;

  enum class State : uint8_t {
    Queued,    // not yet looked at, or taken back from the hardware
    Again,     // paging taken back from the hardware: keeps its fence and goes before everything else
    Hardware,  // submitted
    Refused,   // as Hardware, but the driver did not take it: done when everything before it is
    Done,      // over, with an outcome; retired when it is the first of its context
    Armed,     // Signal, Event, Marker: waits to be the first of its context
    Waiting,   // Wait: begun
    Passed,    // Wait: satisfied
  };

  bool in_hardware() const { return state_ == State::Hardware || state_ == State::Refused; }

  PacketKind kind_;
  State state_ = State::Queued;
  Outcome outcome_ = Outcome::Completed;
  uint8_t level_ = 0;  // of its context when it was submitted
  bool resubmission_ = false;
  uint32_t preempted_in_ = 0;  // which life of the adapter; 0: never
  bool spared_ = false;        // timed out once and was not aborted by the engine's reset
  FenceId fence_ = 0;
  uint64_t sequence_ = 0;
  Context* context_ = nullptr;
};

}  // namespace vidsch
