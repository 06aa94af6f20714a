#pragma once

#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"

namespace ks {

// Create and close requests that a driver's routine is looking at. One that the driver completes while the routine
// runs, on another thread, is completed when the routine has returned: nobody may look at it after that, and the class
// still has to. Owned by the system; any thread at DISPATCH_LEVEL or below.
class PendingRequests {
 public:
  // The routine is called with the request; it has returned. Whether the driver completed the request in between.
  void entering(IRP& irp);
  bool left(IRP& irp);
  // KsCompletePendingRequest. True: not yet, left() will tell.
  bool defer(IRP& irp);

 private:
  struct Entry {
    IRP* irp;
    bool completed;
  };
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<Entry> entries_ GUARDED_BY(lock_);  // few at a time
};

}  // namespace ks
