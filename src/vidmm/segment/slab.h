#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"

namespace vidmm {

// Objects of one kind out of blocks of them: once the blocks are there, no object needs the heap, and freed objects are
// used first. Objects still alive when the slab goes are not destroyed. One thread at a time.
template <typename T>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  template <typename... Args>
  T* make(Args&&... args) {
    if (!free_) grow();
    Cell* cell = free_;
    free_ = cell->next;
    return new (cell->bytes) T(std::forward<Args>(args)...);
  }

  void give_back(T* object) {
    object->~T();
    Cell* cell = new (object) Cell;
    cell->next = free_;
    free_ = cell;
  }

 private:
  union Cell {
    Cell* next;  // of the free cells. By hand: a free cell holds no object that could have a hook of Boost.Intrusive.
    alignas(T) std::byte bytes[sizeof(T)];
  };

  struct Release {
    void operator()(void* block) const { std::free(block); }
  };
  // A huge page: with many objects, most of a random access would otherwise be the look-up of its page.
  static constexpr size_t kHugeBytes = 2 << 20;

  // Small at first (most processes map little), then ever larger.
  void grow() {
    bytes_ = std::min(bytes_ * 2, kHugeBytes);
    size_t alignment = bytes_ == kHugeBytes ? kHugeBytes : alignof(Cell);
    void* block = std::aligned_alloc(alignment, bytes_);
    CHECK(block);
    if (bytes_ == kHugeBytes) ::madvise(block, bytes_, MADV_HUGEPAGE);
    blocks_.emplace_back(block);
    auto* cells = static_cast<Cell*>(block);
    for (size_t i = bytes_ / sizeof(Cell); i-- > 0;) {
      cells[i].next = free_;
      free_ = &cells[i];
    }
  }

  std::vector<std::unique_ptr<void, Release>> blocks_;
  size_t bytes_ = std::bit_ceil(4 * sizeof(Cell));
  Cell* free_ = nullptr;
};

}  // namespace vidmm
