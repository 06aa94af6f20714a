#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/debug/stack_table.h"

namespace ob {

// The thread that closes a handle, and its stack.
struct CloseSite {
  base::StackId stack = 0;
  uint32_t thread = 0;  // the task's ordinal; 0 outside the machine

  // The current task, without a stack.
  static CloseSite current();
};

// The last closes of one table, so that a use after the close can be answered with "closed by thread 7 at this stack,
// 12 closes ago". A ring: a close costs two uncontended atomic operations and four stores, memory is fixed, and the
// oldest are forgotten. Owned by its table; any thread. A record is lost when its place in the ring is being written at
// that instant, which takes a writer that sleeps through a whole round.
class ClosedShadow {
 public:
  struct Record {
    CloseSite site;
    uint64_t closes_ago = 0;  // closes of this table since: 0 for the latest
  };

  explicit ClosedShadow(uint32_t capacity);  // a power of two

  void record(uint64_t handle, CloseSite site);
  // The latest close of this handle value that is still remembered. Walks the ring: for reports, not for hot paths.
  std::optional<Record> find(uint64_t handle) const;
  // Every entry belongs where it lies. Only while no other thread is inside.
  bool validate() const;

 private:
  struct Entry {
    std::atomic<uint64_t> turn{0};  // the number of the close it holds, from 1; 0 empty, kBusy while written
    std::atomic<uint64_t> handle{0};
    std::atomic<uint64_t> site{0};
  };

  static constexpr uint64_t kBusy = ~uint64_t{0};

  Entry& entry(uint64_t turn) const { return entries_[turn & (capacity_ - 1)]; }

  const uint32_t capacity_;
  std::unique_ptr<Entry[]> entries_;
  std::atomic<uint64_t> last_turn_{0};
};

}  // namespace ob
