#pragma once

#include "base/sanitizer.h"
#include "nt/edge.h"
#include "nt/thread.h"

namespace ks {

// While one lives, code of ours runs where a driver's would: in a DPC that the machine takes for a driver's.
class OwnCode {
 public:
  OwnCode() {
    base::stop_watching_races();
    nt::t_edge.called = true;
#if DRYDOCK_TSAN
    ++nt::Thread::current()->calls;
#endif
  }
  ~OwnCode() {
#if DRYDOCK_TSAN
    --nt::Thread::current()->calls;
#endif
    base::watch_races();
  }
  OwnCode(const OwnCode&) = delete;
  OwnCode& operator=(const OwnCode&) = delete;
};

}  // namespace ks
