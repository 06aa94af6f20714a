#pragma once

#include <array>
#include <memory>
#include <vector>

#include "nt/mm/address_space.h"
#include "nt/mm/pool_block.h"

namespace nt {

// Where pool blocks lie. The arena is reserved once per process and used by one pool at a time; each pool begins with
// an empty one, so that equal runs get equal addresses. Guarded by the pool's lock. Four zones:
//
//   small   pages of equal cells: up to 4064 bytes. No block crosses a page, as Windows documents.
//   paged   the same for small blocks of paged pool, so that their pages can be closed (paged_guard.h).
//   medium  spans of whole pages, each block page-aligned. The span begins 16 bytes before it, with its guard.
//   big     the same from 64 KiB on. While free, these have no memory: they read as zero when taken.
//
// Cells are never split or joined: a free one waits in the list of its size class.
class PoolArena {
 public:
  static PoolArena& instance();

  // For one pool, from begin() to end(). end() costs what was used.
  void begin();
  void end();

  // A free cell for `bytes`, with address, bytes, guard and class set; null when the zone is full.
  PoolBlock* take(size_t bytes, bool paged);
  void give(PoolBlock& block);

  // The cell, used at least once, that holds `address`, guards included.
  PoolBlock* find(uintptr_t address) const;

  template <typename F>
  void for_each_used(F&& f) {
    for (size_t i = 0; i < records_used_; ++i) {
      PoolBlock& block = record(i);
      if (block.state != PoolBlock::State::Unused) f(block);
    }
  }

 private:
  struct Zone {
    Region region;
    uintptr_t cursor;
  };
  struct Page {
    PoolBlock* first;
    uint8_t size_class;
  };
  static constexpr size_t kSmallClasses = 22;
  static constexpr size_t kSpanClasses = 96;
  static constexpr size_t kChunk = 4096;  // records

  struct SmallZone {
    Zone zone;
    std::vector<Page> pages;
    std::array<PoolBlock*, kSmallClasses> free{};
    bool holds(uintptr_t address) const { return address >= zone.region.base && address < zone.cursor; }
    void begin();
  };

  PoolArena();
  PoolBlock* take_small(SmallZone& small, size_t bytes);
  PoolBlock* take_span(size_t bytes);
  bool carve_page(SmallZone& small, size_t size_class);
  PoolBlock* carve_span(size_t size_class, size_t pages);
  static PoolBlock* find_small(const SmallZone& small, uintptr_t address);
  PoolBlock* find_span(const std::vector<PoolBlock*>& spans, uintptr_t address) const;
  // The free blocks of its size.
  PoolBlock*& free_list(const PoolBlock& block);
  void push(PoolBlock& block);
  static PoolBlock* pop(PoolBlock*& list);
  PoolBlock* make_records(size_t count);
  PoolBlock& record(size_t index) { return records_[index / kChunk][index % kChunk]; }

  SmallZone small_, paged_;
  Zone medium_, big_;
  bool in_use_ = false;
  std::array<PoolBlock*, kSpanClasses> free_spans_{};
  // In order of address, because they are carved in that order.
  std::vector<PoolBlock*> medium_spans_, big_spans_;
  std::vector<std::unique_ptr<PoolBlock[]>> records_;
  size_t records_used_ = 0;
};

}  // namespace nt
