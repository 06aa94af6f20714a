#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vidmm/segment/max_tree.h"

namespace vidmm {

// A part of a segment, in bytes from the segment's start; whole pages.
struct Extent {
  uint64_t offset;
  uint64_t bytes;

  uint64_t end() const { return offset + bytes; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

using ExtentList = boost::container::small_vector<Extent, 2>;

// Which offsets of one segment are in use. Owned by the segment's manager, under whose lock every call is made; pure
// bookkeeping, no memory of the segment is touched.
//
// The segment is cut into blocks without holes between them: gaps, live extents, and carved ranges, never given out.
//
//   |carved|--live--|  gap  |live|live|      gap      |--live--|        two gaps are never neighbours
//
// Three indices over the blocks, each for one question:
//   bins     which gap has about this size? Lists of gaps by size, 32 to each power of two; a gap is chosen as the best
//            of the first few that fit. Answers the ordinary request.
//   buckets  which block starts here? A hash of the live blocks, chained through their unused bin links. Answers
//            free().
//   chunks   which gap lies here? For each 2 MiB its first block, and a tree of the largest gap that starts in it.
//            Answers from_end, sub-ranges and allocate_at(). The ordinary request only marks chunks as changed; the
//            tree is brought up to date when it is asked.
class SegmentSpace {
 public:
  struct Request {
    uint64_t bytes;
    uint64_t alignment = 4096;  // of the offset; any number, 0 for none
    bool contiguous = true;     // one extent; otherwise a set of pages
    bool from_end = false;      // as high as possible instead of where it fits best
    uint64_t begin = 0;         // wholly inside [begin, end)
    uint64_t end = UINT64_MAX;
  };

  // A page has 4 KiB or 64 KiB. A last part of the segment that is no whole page is never handed out.
  SegmentSpace(uint64_t size, uint32_t page_bytes);

  // Takes a reserved or bad range out for good, before the first allocation. False, and nothing happens, if it is
  // empty, not of whole pages, outside the segment, or overlaps a range already taken.
  [[nodiscard]] bool carve(uint64_t offset, uint64_t bytes);

  // Appends what was allocated, `bytes` rounded up to whole pages; false, and nothing happens, if that is not to be
  // had. A contiguous request fails only if no gap has room for it. A set fails only if too few pages are free in
  // [begin, end): it is one aligned extent where there is room for one, otherwise as few extents as taking the largest
  // gaps first gives, each aligned to a page only.
  [[nodiscard]] bool allocate(const Request& request, ExtentList& out);
  // Exactly there. False if any of it is not free, or not of whole pages.
  [[nodiscard]] bool allocate_at(uint64_t offset, uint64_t bytes);
  // An extent as it was handed out: a whole one, once.
  void free(const Extent& extent);

  uint64_t size() const { return uint64_t{pages_} * page_bytes(); }  // in whole pages
  uint32_t page_bytes() const { return uint32_t{1} << page_shift_; }
  uint64_t free_bytes() const { return uint64_t{free_pages_} * page_bytes(); }
  uint64_t largest_gap() const;
  size_t extents_live() const { return live_; }

  // Calls visit(const Extent&) in address order. The space must not change meanwhile.
  template <typename F>
  void for_each_gap(F&& visit) const {
    for (uint32_t i = blocks_[kEnds].next; i != kEnds; i = blocks_[i].next) {
      if (blocks_[i].is_gap()) visit(extent_of(blocks_[i]));
    }
  }
  template <typename F>
  void for_each_live(F&& visit) const {
    for (uint32_t i = blocks_[kEnds].next; i != kEnds; i = blocks_[i].next) {
      if (blocks_[i].state == kLive) visit(extent_of(blocks_[i]));
    }
  }

  // A walk by address that begins anywhere, for searches in a part of a large segment. A step is one block.
  struct Step {
    enum class Kind : uint8_t { Gap, Live, Carved };
    Extent extent;
    Kind kind;
    uint32_t block;
  };
  bool at_end(uint32_t block) const { return block == kEnds; }
  uint32_t first_at(uint64_t offset) const { return offset < size() ? block_at(page_of(offset)) : kEnds; }
  uint32_t next_of(uint32_t block) const { return blocks_[block].next; }
  Step step(uint32_t block) const {
    const Block& at = blocks_[block];
    Step::Kind kind = at.is_gap() ? Step::Kind::Gap : at.state == kLive ? Step::Kind::Live : Step::Kind::Carved;
    return {extent_of(at), kind, block};
  }
  // A pointer that a live extent carries, for such a walk. Set for all live extents or for none.
  void set_owner(const Extent& extent, void* owner);
  void* owner(uint32_t block) const { return owners_[block]; }

  // True if all indices agree with the blocks. For tests: reads everything.
  bool validate() const;

 private:
  // Two entries are no real blocks: kNone, into which links may be written that are never read, and kEnds, which closes
  // the ring of neighbours and is never a gap.
  static constexpr uint32_t kNone = 0;
  static constexpr uint32_t kEnds = 1;
  static constexpr uint32_t kLive = UINT32_MAX;
  static constexpr uint32_t kCarved = UINT32_MAX - 1;

  struct Block {
    uint32_t page;  // the first
    uint32_t pages;
    uint32_t prev;  // neighbours by address
    uint32_t next;
    uint32_t state;  // kLive, kCarved, or of a gap the previous in its bin
    uint32_t link;   // of a gap the next in its bin, of a live block in its bucket, of an unused one among the unused

    uint32_t end() const { return page + pages; }
    bool is_gap() const { return state < kCarved; }
  };
  static_assert(sizeof(Block) == 24);

  static constexpr unsigned kSubBits = 5;
  static constexpr unsigned kSubBins = 1u << kSubBits;
  static constexpr unsigned kGroups = 32 - kSubBits + 1;
  static constexpr unsigned kBins = kGroups * kSubBins;
  static constexpr unsigned kNoBin = kBins;

  // A request in pages. `align` is in pages, at least 1.
  struct Need {
    uint32_t pages;
    uint32_t align;
    uint32_t begin;
    uint32_t end;
    bool from_end;
  };
  struct Place {
    uint32_t gap = kNone;
    uint32_t page = 0;
  };

  Extent extent_of(const Block& block) const {
    return {uint64_t{block.page} << page_shift_, uint64_t{block.pages} << page_shift_};
  }
  uint32_t page_of(uint64_t offset) const { return static_cast<uint32_t>(offset >> page_shift_); }
  bool is_whole_pages(uint64_t offset, uint64_t bytes) const;
  bool is_plain(const Request& request) const;
  bool allocate_particular(const Request& request, ExtentList& out);
  bool make_need(const Request& request, Need& need) const;
  Place find_place(const Need& need);
  Place place_in(uint32_t gap, const Need& need) const;
  uint32_t gap_around(uint64_t offset, uint64_t bytes) const;

  bool allocate_set_anywhere(uint32_t pages, ExtentList& out);
  bool allocate_set_inside(const Need& need, ExtentList& out);
  void hand_out(const Place& place, uint32_t pages, ExtentList& out);

  // Blocks.
  uint32_t take_front(uint32_t gap, uint32_t pages);
  uint32_t take(const Place& place, uint32_t pages);
  void release(uint32_t index);
  uint32_t new_block(uint32_t page, uint32_t pages);
  void drop_block(uint32_t index);
  void insert_after(uint32_t prev, uint32_t index);
  void resize_gap(uint32_t index, uint32_t page, uint32_t pages);

  // Bins.
  static unsigned bin_of(uint32_t pages);
  unsigned next_bin(unsigned bin) const;
  unsigned last_bin() const;
  void push_gap(uint32_t index);
  void remove_gap(uint32_t index);
  uint32_t find_gap(uint32_t pages) const;
  uint32_t best_in_bin(unsigned bin, uint32_t pages, unsigned limit) const;
  Place find_by_size(const Need& need) const;
  uint32_t largest_in_bin(unsigned bin, unsigned limit) const;

  // Buckets.
  // Sixteen neighbouring pages have their buckets in one cache line: what was placed together mostly goes together.
  size_t bucket_of(uint32_t page) const {
    return (((page / 16) * uint32_t{0x9E3779B1}) >> bucket_shift_) ^ (page % 16);
  }
  void push_live(uint32_t index);
  uint32_t pop_live(uint32_t page);
  void resize_buckets(unsigned bits);

  // Chunks.
  uint32_t chunk_of(uint32_t page) const { return page >> chunk_shift_; }
  void note_start(uint32_t index);
  void forget_start(uint32_t index);
  void touch_chunk(uint32_t page);
  void refresh_chunks();
  uint32_t largest_in_chunk(uint32_t chunk) const;
  uint32_t block_at(uint32_t page) const;
  Place find_upward(const Need& need);
  Place find_downward(const Need& need);

  bool validate_blocks() const;
  bool validate_bins() const;
  bool validate_buckets() const;
  bool validate_chunks() const;

  unsigned page_shift_;
  unsigned chunk_shift_;  // of a page number
  uint32_t pages_;
  uint32_t free_pages_;
  uint32_t unused_ = kNone;
  size_t live_ = 0;
  std::vector<Block> blocks_;
  std::vector<void*> owners_;  // of live blocks, once set_owner() was called

  uint32_t groups_ = 0;  // which have a gap, as bits; below, which of a group's bins
  std::array<uint32_t, kGroups> bins_{};
  std::array<uint32_t, kBins> heads_{};

  unsigned bucket_shift_ = 0;
  std::vector<uint32_t> buckets_;

  std::vector<uint32_t> chunk_first_;    // the first block that starts in the chunk, or kNone
  std::vector<uint64_t> chunk_changed_;  // as bits: the tree is behind
  MaxTree chunk_gaps_;                   // made when it is first asked
};

}  // namespace vidmm
