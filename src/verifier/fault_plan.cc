#include "verifier/fault_plan.h"

namespace verifier {

bool FailNth::fails(const nt::PoolRequest& request) {
  if (request.stack >= seen_.size()) seen_.resize(request.stack + 1);
  if (seen_[request.stack]) return false;
  seen_[request.stack] = true;
  return ++stacks_ == n_;
}

void FailNth::reset() {
  stacks_ = 0;
  seen_.clear();
}

}  // namespace verifier
