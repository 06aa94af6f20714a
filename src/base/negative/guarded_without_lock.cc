// Must not compile under clang's thread-safety analysis: a guarded member is touched without its lock. The same file
// with WITH_GUARD must compile, so that the refusal has no other reason.
#include "base/mutex.h"

class Counter {
 public:
  void add() {
#ifdef WITH_GUARD
    base::Guard guard(lock_);
#endif
    ++value_;
  }

 private:
  base::Mutex<base::LockRank::Table> lock_;
  int value_ GUARDED_BY(lock_) = 0;
};

void touch(Counter& counter) { counter.add(); }
