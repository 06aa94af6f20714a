#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/rng.h"
#include "vidsch/scheduler.h"

namespace vidsch {

// What a test knows of a packet, also after it has gone.
struct Job {
  uint32_t context = 0;
  PacketKind kind = PacketKind::Render;
  bool hangs = false;
  bool executed = false;   // or, for a Wait, satisfied
  bool over = false;       // refused or faulted: it will not be executed
  bool preempted = false;  // since its first submission or the adapter's last reset
  bool retired = false;
  bool cancel_asked = false;
  FenceId fence = 0;
};

// A GPU and the driver in front of it: executes in order, one packet at a time, when it is told to. What it reports is
// always true, but may come late; and it may ignore preemption requests.
class SimulatedGpu {
 public:
  struct Entry {
    Job* job;
    FenceId fence;
    bool refused;
  };
  struct Unit {
    std::deque<Entry> queue;
    std::vector<Job*> unreported;  // executed; the interrupt is still to come
    FenceId completed = 0;
    FenceId reported = 0;
    FenceId preemption = 0;
    bool deaf = false;  // does not answer preemptions
  };

  SimulatedGpu(uint32_t nodes, FenceId first_fence) : units_(nodes) {
    for (Unit& unit : units_) unit.completed = unit.reported = first_fence - 1;
  }

  Unit& unit(uint32_t node) { return units_[node]; }

  void submit(uint32_t node, Job* job, FenceId fence, bool refused) {
    job->over = refused;
    units_[node].queue.push_back({job, fence, refused});
    skip_refused(units_[node]);
  }
  // The packet that was executed, or null.
  Job* execute(uint32_t node) {
    Unit& unit = units_[node];
    if (unit.queue.empty() || unit.queue.front().job->hangs) return nullptr;
    const Entry entry = unit.queue.front();
    unit.queue.pop_front();
    unit.completed = entry.fence;
    unit.unreported.push_back(entry.job);
    skip_refused(unit);
    return entry.job;
  }
  // The packet at the head faults: it and everything before it is reported with it. Null when there is none that may.
  Job* fault(uint32_t node) {
    Unit& unit = units_[node];
    if (unit.queue.empty() || unit.queue.front().job->kind == PacketKind::Paging) return nullptr;
    const Entry entry = unit.queue.front();
    unit.queue.pop_front();
    unit.completed = unit.reported = entry.fence;
    unit.unreported.clear();
    entry.job->over = true;
    skip_refused(unit);
    return entry.job;
  }
  bool to_report(uint32_t node) const { return units_[node].completed != units_[node].reported; }
  FenceId report(uint32_t node) {
    Unit& unit = units_[node];
    unit.unreported.clear();
    return unit.reported = unit.completed;
  }
  // Everything in the queue leaves it; the answer is report()'s fence.
  void give_back(uint32_t node) {
    for (const Entry& entry : units_[node].queue) entry.job->preempted = true;
    units_[node].queue.clear();
    units_[node].preemption = 0;
  }
  // The jobs that the reset aborts, as the scheduler sees it; the fence of the last is in unit().completed.
  std::vector<Job*> reset_engine(uint32_t node, bool spare) {
    Unit& unit = units_[node];
    std::vector<Job*> aborted = unit.unreported;
    if (!unit.queue.empty() && !spare) {
      aborted.push_back(unit.queue.front().job);
      unit.completed = unit.queue.front().fence;
    }
    unit.queue.clear();
    unit.unreported.clear();
    unit.reported = unit.completed;
    unit.preemption = 0;
    return aborted;
  }
  void reset(uint32_t node, FenceId last_submitted) {
    Unit& unit = units_[node];
    for (Job* job : unit.unreported) job->executed = false;  // its end was never reported; it runs again
    unit.queue.clear();
    unit.unreported.clear();
    unit.completed = unit.reported = last_submitted;
    unit.preemption = 0;
  }

 private:
  // A submission that was refused is over when everything before it is.
  static void skip_refused(Unit& unit) {
    while (!unit.queue.empty() && unit.queue.front().refused) {
      unit.completed = unit.queue.front().fence;
      unit.queue.pop_front();
    }
  }

  std::vector<Unit> units_;
};

}  // namespace vidsch
