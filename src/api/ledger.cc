#include "drydock/ledger.h"

#include "api/public_ledger.h"
#include "ob/object_kind.h"

namespace drydock {

Ledger::Objects Ledger::of(const std::string& kind) const {
  for (const Objects& line : objects) {
    if (line.kind == kind) return line;
  }
  return {kind, 0, 0, 0};
}

namespace internal {

Ledger public_ledger(const dxgk::Ledger& from) {
  Ledger ledger;
  for (uint32_t i = 1; i < ob::kFirstNtKind + 32; ++i) {
    auto kind = static_cast<ob::ObjectKind>(i);
    const dxgk::Ledger::Count& count = from.of(kind);
    if (count.created.load() == 0) continue;
    ledger.objects.push_back({ob::kind_name(kind), count.created.load(), count.live.load(), count.peak.load()});
  }
  for (const dxgk::Ledger::Refusal& refusal : from.refusals()) {
    ledger.refusals.push_back({refusal.function, refusal.status, refusal.reason, refusal.times});
  }
  ledger.bytes = from.bytes();
  ledger.peak_bytes = from.peak_bytes();
  ledger.leaks = from.leaks().size();
  return ledger;
}

}  // namespace internal
}  // namespace drydock
