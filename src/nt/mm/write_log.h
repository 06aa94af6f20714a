#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace nt {

// What devices have written to watched pages (PhysicalMemory::watch_writes), until it is taken. Owned by the watcher,
// which must end the watch before it is destroyed. Any thread, any IRQL.
class WriteLog {
 public:
  struct Range {
    uintptr_t address;
    size_t bytes;
    friend bool operator==(const Range&, const Range&) = default;
  };
  static constexpr size_t kKept = 4096;

  void note(const Range& range) {
    base::Guard guard(lock_);
    if (!ranges_.empty() && ranges_.back() == range) return;
    if (ranges_.size() == kKept) {
      overflowed_ = true;
      return;
    }
    ranges_.push_back(range);
  }
  // Replaces what `out` has, and begins anew. False: there was more than is kept, and any of the pages may have
  // changed.
  [[nodiscard]] bool take(std::vector<Range>& out) {
    out.clear();
    base::Guard guard(lock_);
    out.swap(ranges_);
    return !std::exchange(overflowed_, false);
  }

 private:
  base::Mutex<base::LockRank::Trace> lock_;
  std::vector<Range> ranges_ GUARDED_BY(lock_);
  bool overflowed_ GUARDED_BY(lock_) = false;
};

}  // namespace nt
