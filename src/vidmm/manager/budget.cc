#include "vidmm/manager/budget.h"

#include <algorithm>

#include "base/check.h"

namespace vidmm {

ProcessMemory::ProcessMemory(Budgets& budgets, uint32_t ordinal) : budgets_(budgets), ordinal_(ordinal) {
  budgets_.processes_.push_back(this);
}

ProcessMemory::~ProcessMemory() {
  for (uint64_t bytes : usage_) CHECK_MSG(bytes == 0, "a process goes after its devices");
  std::erase(budgets_.processes_, this);
}

void Budgets::discharge(ProcessMemory& process, MemoryGroup group, uint64_t bytes) {
  CHECK(process.usage_[index(group)] >= bytes);
  process.usage_[index(group)] -= bytes;
}

bool Budgets::first_in_round(ProcessMemory& process, uint64_t round) {
  if (process.round_ == round) return false;
  process.round_ = round;
  return true;
}

uint64_t Budgets::budget(const ProcessMemory& process, MemoryGroup group) const {
  size_t g = index(group);
  uint64_t share = processes_.empty() ? capacity_[g] : capacity_[g] / processes_.size();
  uint64_t others = 0;
  for (const ProcessMemory* other : processes_) {
    if (other != &process) others += std::min(other->usage_[g], std::max(share, other->reservation_[g]));
  }
  uint64_t left = capacity_[g] > others ? capacity_[g] - others : 0;
  uint64_t budget = std::max(left, process.reservation_[g]);
  return restriction_[g] ? std::min(budget, restriction_[g]) : budget;
}

uint64_t Budgets::available(const ProcessMemory& process, MemoryGroup group) const {
  size_t g = index(group);
  uint64_t others = 0;
  for (const ProcessMemory* other : processes_) {
    if (other != &process) others += other->reservation_[g];
  }
  return capacity_[g] / 2 > others ? capacity_[g] / 2 - others : 0;
}

VideoMemoryInfo Budgets::query(const ProcessMemory& process, MemoryGroup group) const {
  return {budget(process, group), process.usage(group), process.reservation(group), available(process, group)};
}

uint64_t Budgets::excess(const ProcessMemory& process) const {
  uint64_t bytes = 0;
  for (MemoryGroup group : {MemoryGroup::Local, MemoryGroup::NonLocal}) {
    uint64_t allowed = budget(process, group);
    if (process.usage(group) > allowed) bytes += process.usage(group) - allowed;
  }
  return bytes;
}

base::Result<> Budgets::set_reservation(ProcessMemory& process, MemoryGroup group, uint64_t bytes) {
  if (bytes > available(process, group)) {
    return base::Failure(STATUS_INVALID_PARAMETER, "more than is available for reservation");
  }
  process.reservation_[index(group)] = bytes;
  return {};
}

}  // namespace vidmm
