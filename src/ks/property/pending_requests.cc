#include "ks/property/pending_requests.h"

#include <algorithm>

namespace ks {

void PendingRequests::entering(IRP& irp) {
  base::Guard guard(lock_);
  entries_.push_back({&irp, false});
}

bool PendingRequests::left(IRP& irp) {
  base::Guard guard(lock_);
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.irp == &irp; });
  CHECK(found != entries_.end());
  bool completed = found->completed;
  entries_.erase(found);
  return completed;
}

bool PendingRequests::defer(IRP& irp) {
  base::Guard guard(lock_);
  for (Entry& entry : entries_) {
    if (entry.irp != &irp) continue;
    entry.completed = true;
    return true;
  }
  return false;
}

}  // namespace ks
