#include "dxgk/adapter/ledger.h"

#include <algorithm>
#include <cstring>

namespace dxgk {

void Ledger::raise(std::atomic<uint64_t>& peak, uint64_t value) {
  uint64_t before = peak.load(std::memory_order_relaxed);
  while (before < value && !peak.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

void Ledger::created(ob::ObjectKind kind) {
  Count& count = counts_[static_cast<uint8_t>(kind)];
  count.created.fetch_add(1, std::memory_order_relaxed);
  raise(count.peak, count.live.fetch_add(1, std::memory_order_relaxed) + 1);
}

void Ledger::gone(ob::ObjectKind kind) {
  counts_[static_cast<uint8_t>(kind)].live.fetch_sub(1, std::memory_order_relaxed);
}

void Ledger::memory(int64_t bytes) {
  uint64_t now =
      bytes_.live.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed) + static_cast<uint64_t>(bytes);
  if (bytes > 0) raise(bytes_.peak, now);
}

void Ledger::refused(const char* function, const base::Failure& failure) {
  base::Guard guard(lock_);
  auto same = std::find_if(refusals_.begin(), refusals_.end(), [&](const Refusal& refusal) {
    return refusal.status == failure.code() && refusal.function == function && refusal.reason == failure.why();
  });
  if (same != refusals_.end()) {
    ++same->times;
  } else {
    refusals_.push_back({function, failure.code(), failure.why(), failure.where(), 1});
  }
}

void Ledger::leaked(Leak leak) {
  base::Guard guard(lock_);
  leaks_.push_back(leak);
}

std::vector<Ledger::Refusal> Ledger::refusals() const {
  base::Guard guard(lock_);
  return refusals_;
}

std::vector<Ledger::Leak> Ledger::leaks() const {
  base::Guard guard(lock_);
  return leaks_;
}

}  // namespace dxgk
