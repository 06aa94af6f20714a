#include "nt/machine/choice_source.h"

#include <fmt/format.h>

namespace nt {
namespace {

constexpr uint32_t kMaxFuel = 1 << 16;

const char* question(Decision kind) {
  switch (kind) {
    case Decision::Pick:
      return "which task goes on";
    case Decision::Fuel:
      return "how long the driver runs";
    case Decision::Choice:
      return "a choice";
  }
  return "";
}

}  // namespace

PolicyKind policy_for_seed(uint64_t seed) {
  if (seed == 0) return PolicyKind::RoundRobin;
  return seed % 3 == 2 ? PolicyKind::Pct : PolicyKind::Random;
}

const char* to_string(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::RoundRobin:
      return "round-robin";
    case PolicyKind::Random:
      return "random";
    case PolicyKind::Pct:
      return "pct";
  }
  return "";
}

ChoiceSource::ChoiceSource(uint64_t seed, PolicyKind policy) : rng_(seed), policy_(policy) {
  // Short intervals find races inside a few instructions, long ones let whole operations pass each other.
  mean_fuel_ = uint32_t{4} << rng_.below(10);
  next_change_ = 1 + rng_.below(200);
}

uint32_t ChoiceSource::fuel() {
  if (replay_) return 1 + static_cast<uint32_t>(played(Decision::Fuel, kMaxFuel));
  uint32_t edges = policy_ == PolicyKind::RoundRobin ? 1000 : 1 + static_cast<uint32_t>(rng_.below(2 * mean_fuel_));
  if (record_) note(Decision::Fuel, kMaxFuel, edges - 1);
  return edges;
}

uint64_t ChoiceSource::choose(uint64_t bound) {
  if (bound == 0) bound = 1;  // a choice has at least one value
  if (replay_) return played(Decision::Choice, bound);
  uint64_t value = bound > 1 ? rng_.below(bound) : 0;
  if (record_) note(Decision::Choice, bound, value);
  return value;
}

bool ChoiceSource::change_point() {
  if (policy_ != PolicyKind::Pct || ++steps_ < next_change_) return false;
  // Distances grow: a few changes early, fewer later, so that short and long runs both get some.
  next_change_ = steps_ + 1 + rng_.below(2 * steps_ + 50);
  return true;
}

uint64_t ChoiceSource::played(Decision kind, uint64_t bound) {
  if (divergence_) return 0;
  if (replay_at_ >= replay_->entries.size()) {
    divergence_ = Divergence{replay_at_, fmt::format("the schedule ends at decision {} but the program still asks {}",
                                                     replay_at_, question(kind))};
    return 0;
  }
  const Schedule::Entry& entry = replay_->entries[replay_at_];
  if (entry.kind != kind || entry.bound != bound) {
    divergence_ = Divergence{
        replay_at_, fmt::format("decision {} of the schedule answers {} among {}, but the program asks {} among {}",
                                replay_at_, question(entry.kind), entry.bound, question(kind), bound)};
    return 0;
  }
  ++replay_at_;
  if (record_) note(kind, bound, entry.value);
  return entry.value;
}

void ChoiceSource::note(Decision kind, uint64_t bound, uint64_t value) {
  record_->entries.push_back({kind, bound, value});
}

void ChoiceSource::finished() {
  if (!replay_ || divergence_ || replay_at_ == replay_->entries.size()) return;
  divergence_ = Divergence{replay_at_, fmt::format("the program ended at decision {} but the schedule has {}",
                                                   replay_at_, replay_->entries.size())};
}

}  // namespace nt
