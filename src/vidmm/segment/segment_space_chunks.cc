#include <algorithm>
#include <bit>

#include "vidmm/segment/segment_space.h"

// The index by address, for rare requests, apart from the path of plain requests; and the checks of the whole.
namespace vidmm {

void SegmentSpace::refresh_chunks() {
  if (chunk_gaps_.empty()) {
    chunk_gaps_ = MaxTree(chunk_first_.size());
    chunk_changed_.assign(chunk_first_.size() / 64 + 1, 0);
    for (uint32_t i = 0; i < chunk_first_.size(); ++i) chunk_gaps_.set(i, largest_in_chunk(i));
    return;
  }
  for (uint32_t word = 0; word < chunk_changed_.size(); ++word) {
    for (uint64_t bits = chunk_changed_[word]; bits != 0; bits &= bits - 1) {
      uint32_t chunk = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
      chunk_gaps_.set(chunk, largest_in_chunk(chunk));
    }
    chunk_changed_[word] = 0;
  }
}

uint32_t SegmentSpace::largest_in_chunk(uint32_t chunk) const {
  uint32_t largest = 0;
  for (uint32_t i = chunk_first_[chunk]; chunk_of(blocks_[i].page) == chunk; i = blocks_[i].next) {
    if (blocks_[i].is_gap()) largest = std::max(largest, blocks_[i].pages);
  }
  return largest;
}

// The block that holds a page. A block that spans many chunks is found by passing over those in which nothing starts.
uint32_t SegmentSpace::block_at(uint32_t page) const {
  uint32_t chunk = chunk_of(page);
  while (chunk_first_[chunk] == kNone) --chunk;
  uint32_t index = chunk_first_[chunk];
  if (blocks_[index].page > page) return blocks_[index].prev;
  while (blocks_[index].end() <= page) index = blocks_[index].next;
  return index;
}

// The lowest place. A gap that begins before the range is met only by asking for the block there.
SegmentSpace::Place SegmentSpace::find_upward(const Need& need) {
  refresh_chunks();
  uint32_t here = block_at(need.begin);
  if (blocks_[here].is_gap()) {
    Place place = place_in(here, need);
    if (place.gap != kNone) return place;
  }
  size_t last = chunk_of(need.end - 1);
  for (size_t chunk = chunk_of(need.begin);; ++chunk) {
    chunk = chunk_gaps_.first_from(chunk, need.pages);
    if (chunk > last) return {};  // kNowhere too
    for (uint32_t i = chunk_first_[chunk]; chunk_of(blocks_[i].page) == chunk; i = blocks_[i].next) {
      if (!blocks_[i].is_gap()) continue;
      Place place = place_in(i, need);
      if (place.gap != kNone) return place;
    }
  }
}

SegmentSpace::Place SegmentSpace::find_downward(const Need& need) {
  refresh_chunks();
  size_t first = chunk_of(need.begin);
  for (size_t chunk = chunk_of(need.end - 1);; --chunk) {
    chunk = chunk_gaps_.last_until(chunk, need.pages);
    if (chunk == MaxTree::kNowhere || chunk < first) break;
    Place highest;
    for (uint32_t i = chunk_first_[chunk]; chunk_of(blocks_[i].page) == chunk; i = blocks_[i].next) {
      if (!blocks_[i].is_gap()) continue;
      Place place = place_in(i, need);
      if (place.gap != kNone) highest = place;
    }
    if (highest.gap != kNone) return highest;
    if (chunk == 0) break;
  }
  uint32_t here = block_at(need.begin);
  return blocks_[here].is_gap() ? place_in(here, need) : Place{};
}

void SegmentSpace::set_owner(const Extent& extent, void* owner) {
  uint32_t index = buckets_[bucket_of(page_of(extent.offset))];
  while (blocks_[index].page != page_of(extent.offset)) index = blocks_[index].link;
  if (owners_.size() <= index) owners_.resize(blocks_.capacity());
  owners_[index] = owner;
}

// ---- Validation ----

bool SegmentSpace::validate() const {
  return validate_blocks() && validate_bins() && validate_buckets() && validate_chunks();
}

bool SegmentSpace::validate_blocks() const {
  uint32_t page = 0;
  uint32_t free = 0;
  uint32_t prev = kEnds;
  for (uint32_t i = blocks_[kEnds].next; i != kEnds; prev = i, i = blocks_[i].next) {
    const Block& block = blocks_[i];
    if (block.page != page || block.pages == 0 || block.prev != prev) return false;
    if (block.is_gap() && blocks_[prev].is_gap()) return false;
    if (block.is_gap()) free += block.pages;
    page = block.end();
  }
  return page == pages_ && free == free_pages_ && blocks_[kEnds].prev == prev;
}

bool SegmentSpace::validate_bins() const {
  uint32_t binned = 0;
  for (unsigned bin = 0; bin < kBins; ++bin) {
    bool marked = bins_[bin >> kSubBits] >> (bin & (kSubBins - 1)) & 1;
    if (marked != (heads_[bin] != kNone)) return false;
    uint32_t prev = kNone;
    for (uint32_t i = heads_[bin]; i != kNone; prev = i, i = blocks_[i].link) {
      if (blocks_[i].state != prev || bin_of(blocks_[i].pages) != bin) return false;
      binned += blocks_[i].pages;
    }
  }
  for (unsigned group = 0; group < kGroups; ++group) {
    if ((groups_ >> group & 1) != (bins_[group] != 0)) return false;
  }
  return binned == free_pages_;
}

bool SegmentSpace::validate_buckets() const {
  size_t found = 0;
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (uint32_t i = buckets_[bucket]; i != kNone; i = blocks_[i].link) {
      if (blocks_[i].state != kLive || bucket_of(blocks_[i].page) != bucket) return false;
      ++found;
    }
  }
  size_t live = 0;
  for_each_live([&](const Extent&) { ++live; });
  return found == live && live == live_;
}

bool SegmentSpace::validate_chunks() const {
  std::vector<uint32_t> first(chunk_first_.size(), kNone);
  for (uint32_t i = blocks_[kEnds].prev; i != kEnds; i = blocks_[i].prev) first[chunk_of(blocks_[i].page)] = i;
  if (first != chunk_first_) return false;
  for (uint32_t i = 0; !chunk_gaps_.empty() && i < first.size(); ++i) {
    bool behind = chunk_changed_[i / 64] >> (i % 64) & 1;
    if (!behind && chunk_gaps_.at(i) != largest_in_chunk(i)) return false;
  }
  return true;
}

}  // namespace vidmm
