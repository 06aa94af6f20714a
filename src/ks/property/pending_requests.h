#pragma once

#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"

namespace ks {

// Create and close requests that a driver's routine is working on. The driver may complete one on another thread while
// the routine runs. The completion is then held back until the routine has returned, because the class still reads the
// IRP and a completed IRP must not be read. Owned by the system; any thread at DISPATCH_LEVEL or below.
class PendingRequests {
 public:
  // The routine is about to be called with the request, and has returned. left() returns whether the driver completed
  // the request in between.
  void entering(IRP& irp);
  bool left(IRP& irp);
  // KsCompletePendingRequest. True: the routine still runs, and left() will return true.
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
