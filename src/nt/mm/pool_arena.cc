#include "nt/mm/pool_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "base/check.h"
#include "base/sanitizer.h"
#include "nt/mm/paged_guard.h"

namespace nt {
namespace {

// Sizes of small cells, guards included: the largest multiples of 16 of which so and so many fit a page.
constexpr std::array<uint16_t, 22> kCells = {64,  80,  96,  112, 128, 144, 160, 192,  224,  256,  288,
                                             336, 400, 448, 512, 576, 672, 816, 1024, 1360, 2048, 4096};
constexpr size_t kUnit = 16;
constexpr size_t kGuards = 2 * kPoolGuard;
constexpr size_t kBigPages = 16;

// The class of a cell of n units.
constexpr auto kClassOfUnits = [] {
  std::array<uint8_t, base::kPageBytes / kUnit + 1> table{};
  for (size_t units = 0, c = 0; units < table.size(); ++units) {
    while (kCells[c] < units * kUnit) ++c;
    table[units] = static_cast<uint8_t>(c);
  }
  return table;
}();

// Spans come in sizes of 1, 2, 3, 4, then four to each power of two, so at most a quarter of the address space is
// waste.
struct SpanSize {
  size_t index, pages;
};
constexpr SpanSize span_size(size_t pages) {
  if (pages <= 4) return {pages - 1, pages};
  auto shift = static_cast<size_t>(std::bit_width(pages - 1)) - 3;
  size_t quarters = base::round_up(pages, size_t{1} << shift) >> shift;  // 5 to 8
  return {4 * shift + quarters - 1, quarters << shift};
}
static_assert(span_size(5).index == 4 && span_size(8).index == 7 && span_size(9).index == 8 &&
              span_size(9).pages == 10);

constexpr Region part(size_t from_gib, size_t to_gib) {
  return {kPoolArena.base + from_gib * kGiB, (to_gib - from_gib) * kGiB};
}

}  // namespace

PoolArena& PoolArena::instance() {
  static PoolArena& arena = *new PoolArena;
  return arena;
}

PoolArena::PoolArena()
    : small_{{part(0, 3), 0}, {}, {}}, paged_{{part(3, 4), 0}, {}, {}}, medium_{part(4, 6), 0}, big_{part(6, 16), 0} {
  static_assert(kCells.size() == kSmallClasses);
  static_assert(span_size(kPoolArena.bytes / base::kPageBytes).index < kSpanClasses);
  reserve(kPoolArena, PROT_READ | PROT_WRITE);
}

void PoolArena::begin() {
  CHECK_MSG(!in_use_, "two pools at once");
  in_use_ = true;
  small_.begin();
  paged_.begin();
  // The first page holds the guard of the first span.
  medium_.cursor = medium_.region.base + base::kPageBytes;
  big_.cursor = big_.region.base + base::kPageBytes;
  free_spans_ = {};
  medium_spans_.clear();
  big_spans_.clear();
  records_used_ = 0;
}

void PoolArena::SmallZone::begin() {
  zone.cursor = zone.region.base;
  pages.clear();
  free = {};
}

void PoolArena::end() {
  PagedGuard::instance().forget();
  for (PoolBlock* block : big_spans_) {
    if (block->state == PoolBlock::State::Kept) reuse(*block);
    if (block->state == PoolBlock::State::Live) base::poison(reinterpret_cast<void*>(block->address), block->bytes);
  }
  discard(big_.region.base, big_.cursor - big_.region.base);
  for (const Zone* zone : {&small_.zone, &paged_.zone, &medium_}) {
    base::poison(reinterpret_cast<void*>(zone->region.base), zone->cursor - zone->region.base);
  }
  in_use_ = false;
}

PoolBlock* PoolArena::take(size_t bytes, bool paged) {
  if (bytes <= base::kPageBytes - kGuards) return take_small(paged ? paged_ : small_, bytes);
  return bytes <= kPoolArena.bytes ? take_span(bytes) : nullptr;
}

void PoolArena::give(PoolBlock& block) {
  block.state = PoolBlock::State::Free;
  push(block);
}

PoolBlock*& PoolArena::free_list(const PoolBlock& block) {
  if (block.size_class >= kSmallClasses) return free_spans_[block.size_class - kSmallClasses];
  return (paged_.zone.region.contains(block.address) ? paged_ : small_).free[block.size_class];
}

void PoolArena::push(PoolBlock& block) {
  PoolBlock*& list = free_list(block);
  block.next = list;
  list = &block;
}

PoolBlock* PoolArena::pop(PoolBlock*& list) {
  PoolBlock* block = list;
  if (block) list = block->next;
  return block;
}

// --- Small cells ---

PoolBlock* PoolArena::take_small(SmallZone& small, size_t bytes) {
  size_t size_class = kClassOfUnits[(bytes + kGuards + kUnit - 1) / kUnit];
  if (!small.free[size_class] && !carve_page(small, size_class)) return nullptr;
  PoolBlock* block = pop(small.free[size_class]);
  block->bytes = bytes;
  block->guard = static_cast<uint32_t>(kCells[size_class] - kPoolGuard - bytes);
  return block;
}

bool PoolArena::carve_page(SmallZone& small, size_t size_class) {
  Zone& zone = small.zone;
  if (zone.cursor == zone.region.end()) return false;
  size_t count = base::kPageBytes / kCells[size_class];
  PoolBlock* blocks = make_records(count);
  for (size_t i = count; i-- > 0;) {
    blocks[i].address = zone.cursor + i * kCells[size_class] + kPoolGuard;
    blocks[i].size_class = static_cast<uint8_t>(size_class);
    push(blocks[i]);
  }
  base::poison(reinterpret_cast<void*>(zone.cursor), base::kPageBytes);
  small.pages.push_back({blocks, static_cast<uint8_t>(size_class)});
  zone.cursor += base::kPageBytes;
  if (&small == &paged_) PagedGuard::instance().cover(zone.region.base, zone.cursor);
  return true;
}

PoolBlock* PoolArena::find_small(const SmallZone& small, uintptr_t address) {
  const Page& page = small.pages[(address - small.zone.region.base) / base::kPageBytes];
  size_t cell = address % base::kPageBytes / kCells[page.size_class];
  return cell < base::kPageBytes / kCells[page.size_class] ? page.first + cell : nullptr;
}

// --- Spans ---

PoolBlock* PoolArena::take_span(size_t bytes) {
  auto [index, pages] = span_size(base::page_count(bytes + kGuards));
  PoolBlock* block = pop(free_spans_[index]);
  if (!block) block = carve_span(kSmallClasses + index, pages);
  if (!block) return nullptr;
  block->bytes = bytes;
  block->guard = static_cast<uint32_t>(base::round_up(bytes + kGuards, base::kPageBytes) - kPoolGuard - bytes);
  return block;
}

PoolBlock* PoolArena::carve_span(size_t size_class, size_t pages) {
  bool big = pages > kBigPages;
  Zone& zone = big ? big_ : medium_;
  // The next span's guard is in the last page of this one, so the zone's last page cannot be used up.
  if (pages * base::kPageBytes >= zone.region.end() - zone.cursor) return nullptr;
  PoolBlock* block = make_records(1);
  block->address = zone.cursor;
  block->size_class = static_cast<uint8_t>(size_class);
  block->big = big;
  base::poison(reinterpret_cast<void*>(block->guard_begin()), pages * base::kPageBytes);
  zone.cursor += pages * base::kPageBytes;
  (big ? big_spans_ : medium_spans_).push_back(block);
  return block;
}

PoolBlock* PoolArena::find_span(const std::vector<PoolBlock*>& spans, uintptr_t address) const {
  auto after = std::upper_bound(spans.begin(), spans.end(), address,
                                [](uintptr_t wanted, const PoolBlock* block) { return wanted < block->guard_begin(); });
  return after == spans.begin() ? nullptr : *(after - 1);
}

// --- Records ---

// Records that lie one after another. The memory of earlier runs is used again.
PoolBlock* PoolArena::make_records(size_t count) {
  if (records_used_ % kChunk + count > kChunk) {
    for (size_t end = base::round_up(records_used_, kChunk); records_used_ < end;) record(records_used_++) = {};
  }
  if (records_used_ / kChunk == records_.size()) records_.push_back(std::make_unique<PoolBlock[]>(kChunk));
  PoolBlock* first = &record(records_used_);
  std::fill_n(first, count, PoolBlock{});
  records_used_ += count;
  return first;
}

PoolBlock* PoolArena::find(uintptr_t address) const {
  PoolBlock* block = nullptr;
  if (small_.holds(address)) {
    block = find_small(small_, address);
  } else if (paged_.holds(address)) {
    block = find_small(paged_, address);
  } else if (address >= medium_.region.base && address < medium_.cursor) {
    block = find_span(medium_spans_, address);
  } else if (big_.region.contains(address) && address < big_.cursor) {
    block = find_span(big_spans_, address);
  }
  return block && block->state != PoolBlock::State::Unused && address < block->guard_end() ? block : nullptr;
}

}  // namespace nt
