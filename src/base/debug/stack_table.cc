#include "base/debug/stack_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace base {
namespace {

// Four lanes, so that their multiplications overlap.
uint32_t hash_of(const Stack& stack) {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;
  uint64_t lane[4] = {stack.count, 1, 2, 3};
  uint32_t i = 0;
  for (; i + 4 <= stack.count; i += 4) {
    for (uint32_t k = 0; k < 4; ++k) lane[k] = (lane[k] ^ stack.pc[i + k]) * kPrime;
  }
  for (; i < stack.count; ++i) lane[0] = (lane[0] ^ stack.pc[i]) * kPrime;
  uint64_t hash = 0;
  for (uint64_t word : lane) {
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  return static_cast<uint32_t>(hash);
}

}  // namespace

StackTable::StackTable(size_t expected_stacks) {
  slots_.resize(std::bit_ceil(std::max<size_t>(expected_stacks, 1) * 2));
  records_.reserve(expected_stacks);
  pcs_.reserve(expected_stacks * Stack::kMax / 2);
}

StackId StackTable::intern(const Stack& stack) {
  if (stack.count == 0) return 0;
  uint32_t hash = hash_of(stack);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].epoch == epoch_; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && same(slots_[at].id, stack)) return slots_[at].id;
  }
  StackId id = add(stack);
  slots_[at] = {epoch_, id, hash};
  if (records_.size() * 2 > slots_.size()) grow();
  return id;
}

Stack StackTable::get(StackId id) const {
  Stack stack;
  if (id == 0) return stack;
  CHECK(id <= records_.size());
  const Record& record = records_[id - 1];
  stack.count = record.count;
  std::memcpy(stack.pc, &pcs_[record.first], record.count * sizeof(uintptr_t));
  return stack;
}

void StackTable::reset() {
  records_.clear();
  pcs_.clear();
  ++epoch_;
}

bool StackTable::same(StackId id, const Stack& stack) const {
  const Record& record = records_[id - 1];
  return record.count == stack.count &&
         std::memcmp(&pcs_[record.first], stack.pc, stack.count * sizeof(uintptr_t)) == 0;
}

StackId StackTable::add(const Stack& stack) {
  CHECK(pcs_.size() <= UINT32_MAX - Stack::kMax);
  records_.push_back({static_cast<uint32_t>(pcs_.size()), stack.count});
  pcs_.insert(pcs_.end(), stack.pc, stack.pc + stack.count);
  return static_cast<StackId>(records_.size());
}

void StackTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.epoch != epoch_) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].epoch == epoch_) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace base
