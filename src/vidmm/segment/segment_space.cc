#include "vidmm/segment/segment_space.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.h"

namespace vidmm {
namespace {

constexpr uint64_t kChunkBytes = 2 << 20;
// How many gaps of a bin are looked at for the best fit. More of them fragment no less, and each may be a cache miss.
constexpr unsigned kScanLimit = 4;
constexpr unsigned kUnlimited = UINT32_MAX;
constexpr unsigned kFirstBucketBits = 4;

}  // namespace

SegmentSpace::SegmentSpace(uint64_t size, uint32_t page_bytes)
    : page_shift_(static_cast<unsigned>(std::countr_zero(page_bytes))),
      chunk_shift_(static_cast<unsigned>(std::countr_zero(kChunkBytes)) - page_shift_),
      pages_(static_cast<uint32_t>(size >> page_shift_)),
      free_pages_(pages_) {
  CHECK(page_bytes == 4096 || page_bytes == 65536);
  // kEnds is in no chunk that a page is in.
  CHECK_MSG(size >> page_shift_ < UINT32_MAX / 2, "a segment has less than 2^31 pages");
  resize_buckets(kFirstBucketBits);
  chunk_first_.resize(chunk_of(pages_) + 1, kNone);
  blocks_.resize(2, {UINT32_MAX, 0, kEnds, kEnds, kCarved, kNone});
  if (pages_ == 0) return;
  uint32_t all = new_block(0, pages_);
  insert_after(kEnds, all);
  push_gap(all);
}

bool SegmentSpace::carve(uint64_t offset, uint64_t bytes) {
  CHECK_MSG(live_ == 0, "ranges are carved out before the first allocation");
  uint32_t gap = gap_around(offset, bytes);
  if (gap == kNone) return false;
  Place place = {gap, static_cast<uint32_t>(offset >> page_shift_)};
  blocks_[take(place, static_cast<uint32_t>(bytes >> page_shift_))].state = kCarved;
  return true;
}

// Nearly every request is plain: any address, no more than a page's alignment. It has a path of its own, flattened into
// one function, as has free(): the calls would cost a seventh of the time.
[[gnu::flatten]] bool SegmentSpace::allocate(const Request& request, ExtentList& out) {
  if (!is_plain(request)) return allocate_particular(request, out);
  uint64_t wanted = ((request.bytes - 1) >> page_shift_) + 1;  // of 0 bytes, more than there are
  if (wanted > free_pages_) return false;
  auto pages = static_cast<uint32_t>(wanted);
  uint32_t gap = find_gap(pages);
  if (gap == kNone) return !request.contiguous && allocate_set_anywhere(pages, out);
  uint32_t index = take_front(gap, pages);
  push_live(index);
  out.push_back(extent_of(blocks_[index]));
  return true;
}

bool SegmentSpace::allocate_at(uint64_t offset, uint64_t bytes) {
  uint32_t gap = gap_around(offset, bytes);
  if (gap == kNone) return false;
  Place place = {gap, static_cast<uint32_t>(offset >> page_shift_)};
  push_live(take(place, static_cast<uint32_t>(bytes >> page_shift_)));
  return true;
}

[[gnu::flatten]] void SegmentSpace::free(const Extent& extent) {
  uint32_t index = pop_live(static_cast<uint32_t>(extent.offset >> page_shift_));
  CHECK_MSG(index != kNone, "freed twice, or what was never handed out");
  CHECK_MSG(extent_of(blocks_[index]) == extent, "freed otherwise than handed out");
  release(index);
}

uint64_t SegmentSpace::largest_gap() const {
  unsigned bin = last_bin();
  if (bin == kNoBin) return 0;
  // Below kSubBins pages all gaps of a bin have one size.
  return extent_of(blocks_[largest_in_bin(bin, bin < kSubBins ? 1 : kUnlimited)]).bytes;
}

// ---- Requests ----

bool SegmentSpace::is_whole_pages(uint64_t offset, uint64_t bytes) const {
  return bytes != 0 && ((offset | bytes) & (page_bytes() - 1)) == 0 && offset < size() && bytes <= size() - offset;
}

bool SegmentSpace::is_plain(const Request& request) const {
  bool power_of_two = (request.alignment & (request.alignment - 1)) == 0;
  return power_of_two && request.alignment <= page_bytes() && !request.from_end && request.begin == 0 &&
         request.end >> page_shift_ >= pages_;
}

[[gnu::noinline]] bool SegmentSpace::allocate_particular(const Request& request, ExtentList& out) {
  Need need;
  if (!make_need(request, need)) return false;
  Place place = find_place(need);
  if (place.gap == kNone) return !request.contiguous && allocate_set_inside(need, out);
  hand_out(place, need.pages, out);
  return true;
}

// False if it is clear at once that there is no room.
bool SegmentSpace::make_need(const Request& request, Need& need) const {
  if (request.bytes == 0 || request.bytes > free_bytes()) return false;
  need.pages = static_cast<uint32_t>((request.bytes + page_bytes() - 1) >> page_shift_);
  need.begin = static_cast<uint32_t>((std::min(request.begin, size()) + page_bytes() - 1) >> page_shift_);
  need.end = static_cast<uint32_t>(std::min(request.end, size()) >> page_shift_);
  need.from_end = request.from_end;
  // Only offset 0 is aligned to the segment's size and more.
  uint64_t alignment = std::clamp(request.alignment, uint64_t{1}, size());
  uint64_t pages = std::lcm(alignment, uint64_t{page_bytes()}) >> page_shift_;
  need.align = static_cast<uint32_t>(std::min(pages, uint64_t{pages_}));
  return need.begin < need.end && need.pages <= need.end - need.begin;
}

SegmentSpace::Place SegmentSpace::find_place(const Need& need) {
  if (need.from_end) return find_downward(need);
  return need.begin == 0 && need.end == pages_ ? find_by_size(need) : find_upward(need);
}

SegmentSpace::Place SegmentSpace::place_in(uint32_t gap, const Need& need) const {
  uint64_t low = std::max(blocks_[gap].page, need.begin);
  uint64_t high = std::min(blocks_[gap].end(), need.end);
  if (low + need.pages > high) return {};
  uint64_t page = need.from_end ? high - need.pages : low;
  if (need.align != 1) {
    uint64_t beyond = page % need.align;
    if (beyond != 0) page = need.from_end ? page - std::min(page, beyond) : page + need.align - beyond;
    if (page < low || page + need.pages > high) return {};
  }
  return {gap, static_cast<uint32_t>(page)};
}

// The gap that holds all of this, or kNone.
uint32_t SegmentSpace::gap_around(uint64_t offset, uint64_t bytes) const {
  if (!is_whole_pages(offset, bytes)) return kNone;
  uint32_t index = block_at(static_cast<uint32_t>(offset >> page_shift_));
  const Block& block = blocks_[index];
  return block.is_gap() && offset + bytes <= extent_of(block).end() ? index : kNone;
}

// ---- Sets of pages ----

// No gap has room for all of it, but all together have.
[[gnu::noinline]] bool SegmentSpace::allocate_set_anywhere(uint32_t pages, ExtentList& out) {
  while (pages != 0) {
    uint32_t gap = find_gap(pages);
    if (gap == kNone) gap = largest_in_bin(last_bin(), kScanLimit);
    uint32_t here = std::min(pages, blocks_[gap].pages);
    hand_out({gap, blocks_[gap].page}, here, out);
    pages -= here;
  }
  return true;
}

bool SegmentSpace::allocate_set_inside(const Need& need, ExtentList& out) {
  struct Part {
    uint32_t gap;
    uint32_t page;
    uint32_t pages;
  };
  std::vector<Part> parts;
  uint64_t total = 0;
  for (uint32_t i = block_at(need.begin); blocks_[i].page < need.end; i = blocks_[i].next) {
    if (!blocks_[i].is_gap()) continue;
    uint32_t low = std::max(blocks_[i].page, need.begin);
    parts.push_back({i, low, std::min(blocks_[i].end(), need.end) - low});
    total += parts.back().pages;
  }
  if (total < need.pages) return false;
  if (need.from_end) std::reverse(parts.begin(), parts.end());
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.pages > b.pages; });
  uint32_t left = need.pages;
  for (size_t i = 0; left != 0; ++i) {
    // The last piece goes where it fits best.
    for (size_t j = i + 1; j < parts.size() && parts[j].pages >= left; ++j) {
      if (parts[j].pages < parts[i].pages) i = j;
    }
    uint32_t here = std::min(left, parts[i].pages);
    uint32_t page = need.from_end ? parts[i].page + parts[i].pages - here : parts[i].page;
    hand_out({parts[i].gap, page}, here, out);
    left -= here;
  }
  return true;
}

void SegmentSpace::hand_out(const Place& place, uint32_t pages, ExtentList& out) {
  push_live(take(place, pages));
  out.push_back({uint64_t{place.page} << page_shift_, uint64_t{pages} << page_shift_});
}

// ---- Blocks ----

// Cuts the first pages off a gap. The block is no gap any more and in no index but the chunks'.
uint32_t SegmentSpace::take_front(uint32_t gap, uint32_t pages) {
  uint32_t page = blocks_[gap].page;
  uint32_t behind = blocks_[gap].pages - pages;
  free_pages_ -= pages;
  touch_chunk(page);
  if (behind == 0) {
    remove_gap(gap);
    return gap;
  }
  uint32_t index = new_block(page, pages);
  insert_after(blocks_[gap].prev, index);
  resize_gap(gap, page + pages, behind);
  note_start(gap);
  touch_chunk(page + pages);
  return index;
}

// The same anywhere in a gap: what is before the place becomes a gap of its own.
uint32_t SegmentSpace::take(const Place& place, uint32_t pages) {
  uint32_t first = blocks_[place.gap].page;
  if (place.page != first) {
    uint32_t before = place.page - first;
    uint32_t index = new_block(first, before);
    insert_after(blocks_[place.gap].prev, index);
    resize_gap(place.gap, place.page, blocks_[place.gap].pages - before);
    note_start(place.gap);
    push_gap(index);
    touch_chunk(first);
  }
  return take_front(place.gap, pages);
}

// Makes a gap of a block that is in no index but the chunks', one with the gaps beside it.
//   |gap|index|gap|  ->  the left gap grows over both     |gap|index|live|  ->  the left gap grows
//   |live|index|gap| ->  the right gap grows downward     otherwise         ->  the block becomes a gap
void SegmentSpace::release(uint32_t index) {
  uint32_t page = blocks_[index].page;
  uint32_t pages = blocks_[index].pages;
  uint32_t prev = blocks_[index].prev;
  uint32_t next = blocks_[index].next;
  free_pages_ += pages;
  if (blocks_[prev].is_gap()) {
    pages += blocks_[prev].pages;
    if (blocks_[next].is_gap()) {
      pages += blocks_[next].pages;
      remove_gap(next);
      touch_chunk(blocks_[next].page);
      drop_block(next);
    }
    drop_block(index);
    resize_gap(prev, blocks_[prev].page, pages);
    touch_chunk(blocks_[prev].page);
    return;
  }
  touch_chunk(page);
  if (blocks_[next].is_gap()) {
    touch_chunk(blocks_[next].page);
    forget_start(next);
    drop_block(index);
    resize_gap(next, page, pages + blocks_[next].pages);
    note_start(next);
    return;
  }
  push_gap(index);
}

uint32_t SegmentSpace::new_block(uint32_t page, uint32_t pages) {
  Block block = {page, pages, kNone, kNone, kCarved, kNone};
  uint32_t index = unused_;
  if (index == kNone) {
    blocks_.push_back(block);
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  unused_ = blocks_[index].link;
  blocks_[index] = block;
  return index;
}

void SegmentSpace::drop_block(uint32_t index) {
  forget_start(index);
  Block& block = blocks_[index];
  blocks_[block.prev].next = block.next;
  blocks_[block.next].prev = block.prev;
  block.link = unused_;
  unused_ = index;
}

void SegmentSpace::insert_after(uint32_t prev, uint32_t index) {
  uint32_t next = blocks_[prev].next;
  blocks_[index].prev = prev;
  blocks_[index].next = next;
  blocks_[prev].next = index;
  blocks_[next].prev = index;
  note_start(index);
}

// Leaves the gap where it is in its bin if the bin is still the right one.
void SegmentSpace::resize_gap(uint32_t index, uint32_t page, uint32_t pages) {
  Block& block = blocks_[index];
  bool moves = bin_of(block.pages) != bin_of(pages);
  if (moves) remove_gap(index);
  block.page = page;
  block.pages = pages;
  if (moves) push_gap(index);
}

// ---- Bins ----

// Up to kSubBins pages one size to a bin; beyond, the highest bit chooses the group and the kSubBits below it the bin.
unsigned SegmentSpace::bin_of(uint32_t pages) {
  unsigned shift = static_cast<unsigned>(std::bit_width(pages | kSubBins)) - 1 - kSubBits;
  return (shift << kSubBits) + (pages >> shift);
}

// The first bin at or after `bin` that has a gap.
unsigned SegmentSpace::next_bin(unsigned bin) const {
  unsigned group = bin >> kSubBits;
  if (group >= kGroups) return kNoBin;
  uint32_t here = bins_[group] & (UINT32_MAX << (bin & (kSubBins - 1)));
  if (here == 0) {
    uint32_t above = groups_ & (UINT32_MAX << (group + 1));
    if (above == 0) return kNoBin;
    group = static_cast<unsigned>(std::countr_zero(above));
    here = bins_[group];
  }
  return (group << kSubBits) + static_cast<unsigned>(std::countr_zero(here));
}

unsigned SegmentSpace::last_bin() const {
  if (groups_ == 0) return kNoBin;
  unsigned group = static_cast<unsigned>(std::bit_width(groups_)) - 1;
  return (group << kSubBits) + static_cast<unsigned>(std::bit_width(bins_[group])) - 1;
}

void SegmentSpace::push_gap(uint32_t index) {
  Block& block = blocks_[index];
  unsigned bin = bin_of(block.pages);
  uint32_t head = heads_[bin];
  block.state = kNone;
  block.link = head;
  blocks_[head].state = index;  // kNone's too
  heads_[bin] = index;
  bins_[bin >> kSubBits] |= 1u << (bin & (kSubBins - 1));
  groups_ |= 1u << (bin >> kSubBits);
}

void SegmentSpace::remove_gap(uint32_t index) {
  Block& block = blocks_[index];
  blocks_[block.link].state = block.state;  // kNone's too
  if (block.state != kNone) {
    blocks_[block.state].link = block.link;
  } else {
    unsigned bin = bin_of(block.pages);
    heads_[bin] = block.link;
    uint32_t& group = bins_[bin >> kSubBits];
    group &= ~(uint32_t{block.link == kNone} << (bin & (kSubBins - 1)));
    groups_ &= ~(uint32_t{group == 0} << (bin >> kSubBits));
  }
  block.state = kCarved;
}

// A gap of at least so many pages, and not many more. Only the bin of that very size may hold gaps that are too small;
// when the larger bins are empty, all of that bin is searched.
uint32_t SegmentSpace::find_gap(uint32_t pages) const {
  unsigned bin = bin_of(pages);
  if (uint32_t gap = best_in_bin(bin, pages, kScanLimit)) return gap;
  unsigned larger = next_bin(bin + 1);
  if (larger != kNoBin) return best_in_bin(larger, pages, kScanLimit);
  return bin < kSubBins ? kNone : best_in_bin(bin, pages, kUnlimited);
}

uint32_t SegmentSpace::best_in_bin(unsigned bin, uint32_t pages, unsigned limit) const {
  uint32_t head = heads_[bin];
  if (bin < kSubBins) return head;  // all of one size
  uint32_t best = kNone;
  uint32_t best_pages = UINT32_MAX;
  for (uint32_t i = head; i != kNone && limit != 0; i = blocks_[i].link, --limit) {
    if (blocks_[i].pages < pages || blocks_[i].pages >= best_pages) continue;
    best = i;
    best_pages = blocks_[i].pages;
  }
  return best;
}

// For an alignment: the first place in the smallest gaps. A gap that is larger by the alignment has one for certain, so
// it is seldom far.
SegmentSpace::Place SegmentSpace::find_by_size(const Need& need) const {
  for (unsigned bin = next_bin(bin_of(need.pages)); bin != kNoBin; bin = next_bin(bin + 1)) {
    for (uint32_t i = heads_[bin]; i != kNone; i = blocks_[i].link) {
      Place place = place_in(i, need);
      if (place.gap != kNone) return place;
    }
  }
  return {};
}

uint32_t SegmentSpace::largest_in_bin(unsigned bin, unsigned limit) const {
  uint32_t best = heads_[bin];
  for (uint32_t i = best; i != kNone && limit != 0; i = blocks_[i].link, --limit) {
    if (blocks_[i].pages > blocks_[best].pages) best = i;
  }
  return best;
}

// ---- Buckets ----

void SegmentSpace::push_live(uint32_t index) {
  if (++live_ > buckets_.size() / 2) [[unlikely]]
    resize_buckets(32 - bucket_shift_ + 1);
  uint32_t& head = buckets_[bucket_of(blocks_[index].page)];
  blocks_[index].state = kLive;
  blocks_[index].link = head;
  head = index;
}

// The live block that starts at the page, taken out; kNone if there is none.
uint32_t SegmentSpace::pop_live(uint32_t page) {
  uint32_t* from = &buckets_[bucket_of(page)];
  while (*from != kNone && blocks_[*from].page != page) from = &blocks_[*from].link;
  uint32_t index = *from;
  if (index == kNone) return kNone;
  *from = blocks_[index].link;
  blocks_[index].state = kCarved;
  --live_;
  return index;
}

[[gnu::noinline]] void SegmentSpace::resize_buckets(unsigned bits) {
  buckets_.assign(size_t{1} << bits, kNone);
  bucket_shift_ = 32 - bits;
  for (Block& block : blocks_) {
    if (block.state != kLive) continue;
    uint32_t& head = buckets_[bucket_of(block.page)];
    block.link = head;
    head = static_cast<uint32_t>(&block - blocks_.data());
  }
}

// ---- Chunks ----

// A block starts at a new page: it may be its chunk's first.
void SegmentSpace::note_start(uint32_t index) {
  uint32_t chunk = chunk_of(blocks_[index].page);
  bool is_first = chunk != chunk_of(blocks_[blocks_[index].prev].page);
  if (is_first) chunk_first_[chunk] = index;
}

// A block is about to stop starting at its page.
void SegmentSpace::forget_start(uint32_t index) {
  const Block& block = blocks_[index];
  uint32_t chunk = chunk_of(block.page);
  bool is_first = chunk != chunk_of(blocks_[block.prev].page);
  bool has_second = chunk == chunk_of(blocks_[block.next].page);
  if (is_first) chunk_first_[chunk] = has_second ? block.next : kNone;
}

// Gaps that start in this page's chunk have changed.
void SegmentSpace::touch_chunk(uint32_t page) {
  if (chunk_gaps_.empty()) return;
  uint32_t chunk = chunk_of(page);
  chunk_changed_[chunk / 64] |= uint64_t{1} << (chunk % 64);
}

}  // namespace vidmm
