#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/scoped.h"

namespace vidmm {

// A memory file, mapped once and whole, of which cells are handed out from the start to the end.
struct BackingSlab {
  base::ScopedFd file;
  char* base = nullptr;
  uint64_t bytes = 0;
  uint64_t used = 0;
  bool guarded = false;  // nothing in it can be touched but the cells that are taken
  uint32_t process = 0;  // which process made it: the number of forks before it
};

struct BackingCell {
  char* address = nullptr;
  BackingSlab* slab = nullptr;
};

// The system memory of all backings of this process. File descriptors and mappings of the process do not grow with the
// number of cells, which would end at 1,024 and 65,530 of them.
//
//   cells    A cell has a size class, four to each power of two, and one page more than that. It is never split or
//            joined: a cell that was given back waits in the queue of its class. This costs addresses, not memory: the
//            pages of a free cell go back to the system, and the page after the content is never touched.
//   guards   As long as few cells are taken, they come from guarded slabs: a cell is readable while it is taken, and
//            the page after it and the cells given back fault. Each of these cells splits a mapping of the process. So
//            from kMostGuarded on cells come from plain slabs, where only AddressSanitizer sees such an access.
//   zero     Each cell that is taken reads as zero.
//   fork     Slabs are shared with a child that a fork makes. The child takes cells from slabs of its own and leaves
//            those of its parent as they are.
//
// One for the process; any thread.
class BackingPool {
 public:
  static constexpr size_t kMostGuarded = 8192;
  static constexpr uint64_t kFirstSlabBytes = uint64_t{64} << 20;
  static constexpr uint64_t kMostSlabBytes = uint64_t{64} << 30;

  BackingPool() = default;
  ~BackingPool();
  BackingPool(const BackingPool&) = delete;
  BackingPool& operator=(const BackingPool&) = delete;

  static BackingPool& instance();

  // STATUS_NO_MEMORY.
  base::Result<BackingCell> take(uint64_t bytes);
  // `bytes` as when it was taken.
  void give(BackingCell cell, uint64_t bytes);
  // The content goes and is zero when next read; the cell stays taken.
  static void zero(BackingCell cell, uint64_t bytes);

  size_t taken();
  size_t slab_count();

 private:
  static constexpr size_t kClasses = 144;  // enough for cells of 2^48 bytes
  // As many free guarded cells of a class stay untouched, so that a pointer kept too long meets none that is in use.
  static constexpr size_t kResting = 32;

  struct Kind {
    std::array<std::deque<BackingCell>, kClasses> free;
    BackingSlab* newest = nullptr;
    uint64_t next_bytes = kFirstSlabBytes;
  };

  using Slabs = std::vector<std::unique_ptr<BackingSlab>>;

  base::Result<BackingCell> take_guarded(uint64_t bytes);
  base::Result<BackingCell> take_plain(uint64_t bytes);
  base::Result<BackingCell> carve(Kind& kind, uint64_t bytes) REQUIRES(lock_);
  base::Result<> grow(Kind& kind, uint64_t bytes) REQUIRES(lock_);
  void put_back(BackingCell cell, uint64_t bytes);
  void leave_parents_slabs() REQUIRES(lock_);
  Slabs clear() REQUIRES(lock_);

  base::Mutex<base::LockRank::Pool> lock_;
  Kind guarded_ GUARDED_BY(lock_);
  Kind plain_ GUARDED_BY(lock_);
  Slabs slabs_ GUARDED_BY(lock_);
  Slabs inherited_ GUARDED_BY(lock_);  // of the process that this one was forked from
  size_t taken_ GUARDED_BY(lock_) = 0;
  size_t taken_guarded_ GUARDED_BY(lock_) = 0;
  uint32_t process_ GUARDED_BY(lock_) = 0;
};

}  // namespace vidmm
