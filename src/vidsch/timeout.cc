#include "vidsch/timeout.h"

namespace vidsch {

bool ResetHistory::admit(base::TimeNs now) {
  while (!times_.empty() && now - times_.front() >= limit_ns_) times_.pop_front();
  if (times_.size() >= limit_count_) return false;
  times_.push_back(now);
  return true;
}

}  // namespace vidsch
