#pragma once

#include "base/sanitizer.h"
#include "nt/edge.h"
#include "nt/thread.h"

namespace umd {

// While one lives, code of ours runs where a user-mode driver thinks itself in control, and races are not judged.
class RuntimeEntry {
 public:
  RuntimeEntry() {
    base::stop_watching_races();
    nt::t_edge.called = true;
#if DRYDOCK_TSAN
    ++nt::Thread::current()->calls;
#endif
  }
  ~RuntimeEntry() {
#if DRYDOCK_TSAN
    --nt::Thread::current()->calls;
#endif
    base::watch_races();
  }
  RuntimeEntry(const RuntimeEntry&) = delete;
  RuntimeEntry& operator=(const RuntimeEntry&) = delete;
};

}  // namespace umd
