#pragma once

#include <bit>
#include <cstdint>

#include "base/executor.h"
#include "vidsch/context.h"
#include "vidsch/run_queue.h"

namespace vidsch {

// One independently schedulable unit: what is in its hardware, which fences it was given and has reported, and which
// contexts wait for it. Part of a Scheduler, which alone changes it.
class Node {
 public:
  uint32_t index() const { return index_; }
  uint32_t in_hardware() const { return in_hardware_; }
  const Packet* running() const { return hardware_.front(); }  // the oldest in the hardware
  FenceId last_submitted() const { return last_submitted_; }
  FenceId last_completed() const { return last_completed_; }
  bool preempting() const { return preemption_ != 0; }
  bool resetting() const { return resetting_; }  // interrupts are ignored

 private:
  friend class Scheduler;

  // What is in the hardware, in order of submission and so of fences.
  FenceId take_fence() { return last_given_ = next_fence(last_given_); }
  void put(Packet& packet, FenceId fence, base::TimeNs now);
  void take(Packet& packet);  // out of the hardware
  Packet* find(FenceId fence) const;
  // What a driver may call the last that was completed or aborted.
  bool plausible_last(FenceId fence) const { return fence == last_completed_ || find(fence); }
  // A driver that does not count what it refused means by its last fence the one before.
  FenceId with_refused(FenceId fence) const {
    return completed_refused_ && fence == last_accepted_ ? last_completed_ : fence;
  }
  // Everything up to `fence`, and whatever the driver refused after it, is done.
  void complete(FenceId fence, base::TimeNs now);
  void settle_refused();
  void finish(Packet& packet, Outcome outcome);  // out of the hardware, to be retired
  void progress(base::TimeNs now);               // the clock of the packet that runs now starts
  void abandon_preemption();
  uint32_t lowest_level() const { return static_cast<uint32_t>(std::countr_zero(levels_)); }

  bool validate() const;

  uint32_t index_ = 0;
  RunQueue waiting_;
  IntrusiveList<Packet, HardwareTag> hardware_;
  IntrusiveList<Packet, HardwareTag> again_;  // paging taken back: goes before everything else, with its old fence
  IntrusiveList<Packet, HardwareTag> done_;   // completed, not retired
  uint32_t in_hardware_ = 0;
  uint64_t levels_ = 0;  // of the packets in the hardware, one bit each
  uint32_t level_counts_[kLevels] = {};

  FenceId last_given_ = 0;  // packets and preemptions draw from the same numbers
  FenceId last_submitted_ = 0;
  FenceId last_completed_ = 0;
  bool completed_refused_ = false;  // last_completed_ is of a packet that the driver refused
  FenceId last_accepted_ = 0;       // the last that was completed or aborted and was not refused
  FenceId preemption_ = 0;          // not answered yet
  FenceId abandoned_ = 0;           // a preemption that is not waited for any more; its answer may still come
  bool for_quantum_ = false;        // why preemption_ was asked: those taken back go behind their equals

  base::TimeNs running_since_ = 0;  // the oldest packet in the hardware could run
  base::TimeNs preempting_since_ = 0;
  bool queried_ = false;  // the driver was asked for a lost interrupt since the last progress
  enum class Wanted : uint8_t { Nothing, EngineReset, AdapterReset } wanted_ = Wanted::Nothing;  // by a page fault
  bool frozen_ = false;  // it or an engine that it depends on is being recovered: nothing is submitted
  bool resetting_ = false;

  const Context* current_ = nullptr;  // whose quantum runs
  base::TimeNs quantum_end_ = 0;
};

}  // namespace vidsch
