#include "vidmm/backing/backing_pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "base/align.h"
#include "base/check.h"
#include "base/sanitizer.h"

namespace vidmm {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 46;
// To poison memory costs an eighth of it.
constexpr uint64_t kMostPoisoned = uint64_t{1} << 20;

std::atomic<uint32_t> g_forks{0};

uint64_t whole_pages(uint64_t bytes) { return base::round_up(std::max<uint64_t>(bytes, 1), base::kPageBytes); }

struct SizeClass {
  size_t index;
  uint64_t cell_bytes;  // with the page after it
};

SizeClass class_of(uint64_t bytes) {
  uint64_t pages = whole_pages(bytes) / base::kPageBytes;
  if (pages <= 4) return {pages - 1, (pages + 1) * base::kPageBytes};
  int shift = std::bit_width(pages - 1) - 3;
  uint64_t quarters = ((pages - 1) >> shift) + 1;  // 5 to 8
  return {4 + static_cast<size_t>(shift) * 4 + (quarters - 5), ((quarters << shift) + 1) * base::kPageBytes};
}

void unmap(BackingSlab& slab) {
  base::unpoison(slab.base, slab.used);
  munmap(slab.base, slab.bytes);
}

}  // namespace

BackingPool& BackingPool::instance() {
  static BackingPool& pool = *[] {
    pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
    return new BackingPool;
  }();
  return pool;
}

BackingPool::~BackingPool() {
  base::Guard guard(lock_);
  for (auto& slab : clear()) unmap(*slab);
}

// --- Cells ---

base::Result<BackingCell> BackingPool::take(uint64_t bytes) {
  if (bytes > kMostBytes) return base::Failure(STATUS_NO_MEMORY, "the system gives no memory of that size");
  base::Result<BackingCell> guarded = take_guarded(bytes);
  return guarded.ok() ? std::move(guarded) : take_plain(bytes);
}

base::Result<BackingCell> BackingPool::take_guarded(uint64_t bytes) {
  BackingCell cell;
  {
    base::Guard guard(lock_);
    leave_parents_slabs();
    if (taken_guarded_ >= kMostGuarded) return base::Failure(STATUS_NO_MEMORY, "no more cells are guarded");
    auto& free = guarded_.free[class_of(bytes).index];
    if (free.size() > kResting) {
      cell = free.front();
      free.pop_front();
    } else {
      cell = TRY(carve(guarded_, class_of(bytes).cell_bytes));
    }
    ++taken_;
    ++taken_guarded_;
  }
  if (mprotect(cell.address, whole_pages(bytes), PROT_READ | PROT_WRITE) == 0) return cell;
  put_back(cell, bytes);
  return base::Failure(STATUS_NO_MEMORY, "the process has no more mappings");
}

base::Result<BackingCell> BackingPool::take_plain(uint64_t bytes) {
  BackingCell cell;
  bool used_before = false;
  {
    base::Guard guard(lock_);
    leave_parents_slabs();
    auto& free = plain_.free[class_of(bytes).index];
    used_before = !free.empty();
    if (used_before) {
      cell = free.front();
      free.pop_front();
    } else {
      cell = TRY(carve(plain_, class_of(bytes).cell_bytes));
    }
    ++taken_;
  }
  base::unpoison(cell.address, whole_pages(bytes));
  base::poison(cell.address + whole_pages(bytes), base::kPageBytes);
  // A pointer kept too long may have written there meanwhile.
  if (used_before) zero(cell, bytes);
  return cell;
}

void BackingPool::give(BackingCell cell, uint64_t bytes) {
  if (cell.slab->process != g_forks.load(std::memory_order_relaxed)) return;
  // Nothing can write there between the two.
  if (cell.slab->guarded) mprotect(cell.address, whole_pages(bytes), PROT_NONE);
  zero(cell, bytes);
  if (!cell.slab->guarded) base::poison(cell.address, std::min(whole_pages(bytes), kMostPoisoned));
  put_back(cell, bytes);
}

void BackingPool::zero(BackingCell cell, uint64_t bytes) {
  CHECK(fallocate(cell.slab->file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, cell.address - cell.slab->base,
                  static_cast<off_t>(whole_pages(bytes))) == 0);
}

void BackingPool::put_back(BackingCell cell, uint64_t bytes) {
  Slabs empty;
  {
    base::Guard guard(lock_);
    --taken_;
    if (cell.slab->guarded) --taken_guarded_;
    Kind& kind = cell.slab->guarded ? guarded_ : plain_;
    kind.free[class_of(bytes).index].push_back(cell);
    // One slab of each kind stays for the next that comes.
    if (taken_ == 0 && slabs_.size() > 2) empty = clear();
  }
  for (auto& slab : empty) unmap(*slab);
}

// --- Slabs ---

base::Result<BackingCell> BackingPool::carve(Kind& kind, uint64_t bytes) {
  if (!kind.newest || kind.newest->bytes - kind.newest->used < bytes) TRY(grow(kind, bytes));
  BackingSlab& slab = *kind.newest;
  BackingCell cell{slab.base + slab.used, &slab};
  slab.used += bytes;
  return cell;
}

// Each is twice as large as the one before, so that there are few. A slab costs memory only where it is touched.
base::Result<> BackingPool::grow(Kind& kind, uint64_t bytes) {
  auto slab = std::make_unique<BackingSlab>();
  slab->file.reset(memfd_create("allocations", MFD_CLOEXEC));
  if (!slab->file) return base::Failure(STATUS_NO_MEMORY, "the system gives no memory object");
  slab->guarded = &kind == &guarded_;
  slab->process = process_;
  const int protection = slab->guarded ? PROT_NONE : PROT_READ | PROT_WRITE;
  for (uint64_t size : {std::max(bytes, kind.next_bytes), bytes}) {
    if (ftruncate(slab->file.get(), static_cast<off_t>(size)) != 0) continue;
    void* base = mmap(nullptr, size, protection, MAP_SHARED | MAP_NORESERVE, slab->file.get(), 0);
    if (base == MAP_FAILED) continue;
    slab->base = static_cast<char*>(base);
    slab->bytes = size;
    kind.newest = slab.get();
    kind.next_bytes = std::min(kMostSlabBytes, kind.next_bytes * 2);
    slabs_.push_back(std::move(slab));
    return {};
  }
  return base::Failure(STATUS_NO_MEMORY, "the system maps no more memory");
}

void BackingPool::leave_parents_slabs() {
  uint32_t process = g_forks.load(std::memory_order_relaxed);
  if (std::exchange(process_, process) == process) return;
  for (auto& slab : clear()) inherited_.push_back(std::move(slab));
}

BackingPool::Slabs BackingPool::clear() {
  guarded_ = {};
  plain_ = {};
  taken_ = taken_guarded_ = 0;
  return std::exchange(slabs_, {});
}

size_t BackingPool::taken() {
  base::Guard guard(lock_);
  return taken_;
}

size_t BackingPool::slab_count() {
  base::Guard guard(lock_);
  return slabs_.size();
}

}  // namespace vidmm
