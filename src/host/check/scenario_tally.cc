#include "host/check/scenario_tally.h"

#include "host/check/batch.h"

namespace host {
namespace {

void count_reason(const std::string& why, uint64_t& seeds, std::string& first) {
  if (why.empty()) return;
  if (!seeds++) first = why;
}

}  // namespace

uint32_t ScenarioTally::failures_left() const {
  const uint64_t spent = result_.failing_seeds + kHangingSeed * result_.hanging_seeds;
  return spent >= max_failing_ ? 0 : max_failing_ - static_cast<uint32_t>(spent);
}

void ScenarioTally::add(uint64_t seed, SeedRecord record) {
  if (seed >= next_ && !has_failed_enough()) waiting_.emplace(seed, std::move(record));
}

std::optional<std::pair<uint64_t, SeedRecord>> ScenarioTally::count_next() {
  auto first = waiting_.begin();
  if (first == waiting_.end() || has_failed_enough() || (first->first != next_ && !closed_)) return std::nullopt;
  std::pair<uint64_t, SeedRecord> counted(first->first, std::move(first->second));
  waiting_.erase(first);
  next_ = counted.first + 1;
  count(counted.second);
  return counted;
}

void ScenarioTally::count(const SeedRecord& record) {
  ++result_.seeds_run;
  result_.activity += record.activity;
  count_reason(record.skipped, result_.skipped_seeds, result_.skipped_why);
  count_reason(record.idle, result_.idle_seeds, result_.idle_why);
  if (!record.failing && record.skipped.empty()) {
    ++result_.working_seeds;
    result_.work += record.activity;
  }
  result_.hanging_seeds += record.hung;
  result_.warned_seeds += record.warned;
  if (record.failing) ++result_.failing_seeds;
  count_reason(record.incomplete, result_.incomplete_seeds, result_.incomplete_why);
  if (!record.death.empty()) deaths_.push_back(record.death);
  if (!record.our_fault.empty()) our_faults_.push_back(record.our_fault);
  result_.our_fault |= !record.our_fault.empty();
}

}  // namespace host
