#include "verifier/watch/fault_plan.h"

namespace verifier {

bool FailNth::fails(const nt::FaultSite& site) {
  if (!(kinds_ & fault_bit(site.kind))) return false;
  if (site.stack >= seen_.size()) seen_.resize(site.stack + 1);
  if (seen_[site.stack]) return false;
  seen_[site.stack] = true;
  places_.push_back(site.stack);
  return ++stacks_ == n_;
}

void FailNth::reset() {
  stacks_ = 0;
  seen_.clear();
  places_.clear();
}

}  // namespace verifier
