#pragma once

#include <array>
#include <memory>
#include <vector>

#include "nt/mm/address_space.h"
#include "nt/mm/pool_block.h"

namespace nt {

// Where pool blocks lie. The arena is reserved once per process and used by one pool at a time; each pool begins with
// an empty one, so that equal runs get equal addresses. Guarded by the pool's lock. Three zones:
//
//   small   pages of equal cells: up to 4064 bytes. No block crosses a page, as Windows documents.
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
  PoolBlock* take(size_t bytes);
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

  PoolArena();
  PoolBlock* take_small(size_t bytes);
  PoolBlock* take_span(size_t bytes);
  bool carve_page(size_t size_class);
  PoolBlock* carve_span(size_t size_class, size_t pages);
  PoolBlock* find_small(uintptr_t address) const;
  PoolBlock* find_span(const std::vector<PoolBlock*>& spans, uintptr_t address) const;
  void push(PoolBlock& block);
  PoolBlock* pop(size_t size_class);
  PoolBlock* make_records(size_t count);
  PoolBlock& record(size_t index) { return records_[index / kChunk][index % kChunk]; }

  Zone small_, medium_, big_;
  bool in_use_ = false;
  std::array<PoolBlock*, kSmallClasses + kSpanClasses> free_{};
  std::vector<Page> pages_;  // of the small zone
  // In order of address, because they are carved in that order.
  std::vector<PoolBlock*> medium_spans_, big_spans_;
  std::vector<std::unique_ptr<PoolBlock[]>> records_;
  size_t records_used_ = 0;
};

}  // namespace nt
