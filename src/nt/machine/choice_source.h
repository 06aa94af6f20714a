#pragma once

#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "nt/machine/schedule.h"

namespace nt {

// How the SimulatedExecutor chooses the task that runs next.
enum class PolicyKind : uint8_t {
  RoundRobin,  // each task in turn, preempted at a fixed interval
  Random,      // any task, preempted at random intervals whose mean the seed chooses
  Pct,         // random priorities with a few change points: finds bugs that need few, rare orderings
};

// The seed also selects the policy, so that the seed alone determines a run.
PolicyKind policy_for_seed(uint64_t seed);
const char* to_string(PolicyKind kind);

// The only source of choices in a run. Every choice is made here, so that it can be recorded and played back.
// Owned by one SimulatedExecutor.
class ChoiceSource {
 public:
  ChoiceSource(uint64_t seed, PolicyKind policy);

  // Plays `schedule` back instead of drawing. It must outlive the run.
  void replay(const Schedule& schedule) { replay_ = &schedule; }
  // Appends every decision to `schedule`. It must outlive the run.
  void record(Schedule& schedule) { record_ = &schedule; }

  // Which of `count` tasks goes on. `current` is the index of the one that runs now, or count. `priority(i)` is the
  // task's PCT priority.
  template <typename Priority>
  uint32_t pick(uint32_t count, uint32_t current, Priority&& priority) {
    if (replay_) return static_cast<uint32_t>(played(Decision::Pick, count));
    uint32_t choice = 0;
    if (count > 1) {
      switch (policy_) {
        case PolicyKind::RoundRobin:
          choice = current + 1 < count ? current + 1 : 0;
          break;
        case PolicyKind::Random:
          choice = static_cast<uint32_t>(rng_.below(count));
          break;
        case PolicyKind::Pct:
          for (uint32_t i = 1; i < count; ++i) {
            if (priority(i) > priority(choice)) choice = i;
          }
          break;
      }
    }
    if (record_) note(Decision::Pick, count, choice);
    return choice;
  }

  // How many edges the driver runs until its next scheduling point.
  uint32_t fuel();
  // A number below `bound`.
  uint64_t choose(uint64_t bound);

  // PCT: a new task's priority; and whether the running task must now fall behind all others.
  uint64_t new_priority() { return policy_ == PolicyKind::Pct ? kPctBase + rng_.below(kPctBase) : 0; }
  bool change_point();
  uint64_t lowest_priority() { return --lowest_; }

  PolicyKind policy() const { return policy_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }
  // A replayed run has ended: it has diverged if choices are left in the schedule.
  void finished();

 private:
  static constexpr uint64_t kPctBase = uint64_t{1} << 40;

  uint64_t played(Decision kind, uint64_t bound);
  void note(Decision kind, uint64_t bound, uint64_t value);

  base::Rng rng_;
  PolicyKind policy_;
  uint32_t mean_fuel_;
  uint64_t lowest_ = kPctBase;
  uint64_t steps_ = 0;
  uint64_t next_change_ = 0;
  const Schedule* replay_ = nullptr;
  size_t replay_at_ = 0;
  std::optional<Divergence> divergence_;
  Schedule* record_ = nullptr;
};

}  // namespace nt
