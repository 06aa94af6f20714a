#include "vidmm/segment/segment_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace vidmm {
namespace {

using Request = SegmentSpace::Request;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMiB = 1 << 20;

Extent pages(uint64_t first, uint64_t count) { return {first * kPage, count * kPage}; }

std::vector<Extent> allocate(SegmentSpace& space, const Request& request) {
  ExtentList out;
  bool granted = space.allocate(request, out);
  EXPECT_EQ(granted, !out.empty());
  EXPECT_TRUE(space.validate());
  return {out.begin(), out.end()};
}

std::optional<Extent> allocate_one(SegmentSpace& space, const Request& request) {
  std::vector<Extent> extents = allocate(space, request);
  EXPECT_LE(extents.size(), 1u);
  if (extents.empty()) return {};
  return extents.front();
}

std::vector<Extent> gaps_of(const SegmentSpace& space) {
  std::vector<Extent> gaps;
  space.for_each_gap([&](const Extent& gap) { gaps.push_back(gap); });
  return gaps;
}

// Takes everything but the given gaps, which are in address order.
void leave_gaps(SegmentSpace& space, std::initializer_list<Extent> gaps) {
  uint64_t from = 0;
  for (const Extent& gap : gaps) {
    ASSERT_TRUE(gap.offset == from || space.allocate_at(from, gap.offset - from));
    from = gap.end();
  }
  ASSERT_TRUE(from == space.size() || space.allocate_at(from, space.size() - from));
}

TEST(SegmentSpace, HandsOutWholePagesAndTakesThemBack) {
  SegmentSpace space(kMiB + 100, kPage);
  EXPECT_EQ(space.size(), kMiB);
  EXPECT_EQ(space.free_bytes(), kMiB);
  auto extent = allocate_one(space, {kPage + 1});
  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->bytes, 2 * kPage);
  EXPECT_EQ(space.free_bytes(), kMiB - 2 * kPage);
  EXPECT_EQ(space.extents_live(), 1u);
  space.free(*extent);
  EXPECT_EQ(space.largest_gap(), kMiB);
  EXPECT_EQ(space.extents_live(), 0u);
  EXPECT_TRUE(space.validate());
}

TEST(SegmentSpace, RefusesWhatCannotBe) {
  SegmentSpace space(kMiB, kPage);
  EXPECT_FALSE(allocate_one(space, {0}));
  EXPECT_FALSE(allocate_one(space, {kMiB + 1}));
  EXPECT_FALSE(allocate_one(space, {UINT64_MAX}));
  EXPECT_FALSE(allocate_one(space, {.bytes = kPage, .begin = kMiB}));
  EXPECT_FALSE(allocate_one(space, {.bytes = kPage, .begin = 1, .end = 2 * kPage - 1}));
  EXPECT_FALSE(allocate_one(space, {.bytes = kPage, .alignment = UINT64_MAX, .begin = kPage}));
  EXPECT_EQ(space.free_bytes(), kMiB);
  EXPECT_EQ(SegmentSpace(100, kPage).size(), 0u);
  SegmentSpace empty(0, kPage);
  EXPECT_FALSE(allocate_one(empty, {kPage}));
  EXPECT_FALSE(allocate_one(empty, {.bytes = kPage, .from_end = true}));
  EXPECT_FALSE(empty.allocate_at(0, kPage));
  EXPECT_EQ(empty.largest_gap(), 0u);
}

TEST(SegmentSpace, PagesOf64KiB) {
  SegmentSpace space(kMiB, 65536);
  auto first = allocate_one(space, {4096});
  auto second = allocate_one(space, {65537});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->bytes, 65536u);
  EXPECT_EQ(second->bytes, 2 * 65536u);
  EXPECT_EQ(second->offset % 65536, 0u);
  EXPECT_FALSE(space.allocate_at(8 * 65536 + 4096, 65536));
}

TEST(SegmentSpace, PrefersTheGapThatFits) {
  SegmentSpace space(kMiB, kPage);
  leave_gaps(space, {pages(10, 40), pages(60, 34), pages(100, 90)});
  EXPECT_EQ(allocate_one(space, {33 * kPage}), pages(60, 33));
  EXPECT_EQ(allocate_one(space, {40 * kPage}), pages(10, 40));
  EXPECT_EQ(allocate_one(space, {40 * kPage}), pages(100, 40));
}

// More gaps of one bin that are too small than are looked at for the best fit.
TEST(SegmentSpace, FindsTheOneGapBehindManyTooSmall) {
  SegmentSpace space(64 * kMiB, kPage);
  leave_gaps(space, {pages(0, 65), pages(100, 64), pages(200, 64), pages(300, 64), pages(400, 64), pages(500, 64),
                     pages(600, 64), pages(700, 64), pages(800, 64), pages(900, 64), pages(1000, 64)});
  EXPECT_EQ(allocate_one(space, {65 * kPage}), pages(0, 65));
  EXPECT_FALSE(allocate_one(space, {65 * kPage}));
}

TEST(SegmentSpace, AlignsToAnything) {
  SegmentSpace space(64 * kMiB, kPage);
  ASSERT_TRUE(space.allocate_at(0, kPage));
  auto power = allocate_one(space, {kPage, 2 * kMiB});
  ASSERT_TRUE(power);
  EXPECT_EQ(power->offset % (2 * kMiB), 0u);
  auto odd = allocate_one(space, {kPage, 3 * 1000});  // a multiple of 3000 that is one of 4096 too
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->offset % 3000, 0u);
  EXPECT_EQ(odd->offset % kPage, 0u);
  EXPECT_FALSE(allocate_one(space, {kPage, 64 * kMiB}));  // only offset 0 would do
  space.free(pages(0, 1));
  EXPECT_EQ(allocate_one(space, {kPage, uint64_t{1} << 62}), pages(0, 1));
  EXPECT_TRUE(allocate_one(space, {kPage, 0}));
}

TEST(SegmentSpace, FromTheEndTakesTheHighestPlace) {
  SegmentSpace space(8 * kMiB, kPage);
  EXPECT_EQ(allocate_one(space, {.bytes = kPage, .from_end = true}), pages(2047, 1));
  EXPECT_EQ(allocate_one(space, {.bytes = kPage, .alignment = 2 * kMiB, .from_end = true}), pages(1536, 1));
  EXPECT_EQ(allocate_one(space, {.bytes = 511 * kPage, .from_end = true}), pages(1025, 511));
  EXPECT_EQ(allocate_one(space, {.bytes = 3 * kMiB, .from_end = true}), pages(257, 768));
  EXPECT_EQ(allocate_one(space, {.bytes = kPage, .from_end = true}), pages(2046, 1));
}

TEST(SegmentSpace, StaysInsideTheRange) {
  SegmentSpace space(16 * kMiB, kPage);
  uint64_t begin = 5 * kMiB + 1;
  uint64_t end = 12 * kMiB - 1;
  EXPECT_EQ(allocate_one(space, {.bytes = kPage, .begin = begin, .end = end}), pages(1281, 1));
  EXPECT_EQ(allocate_one(space, {.bytes = kPage, .from_end = true, .begin = begin, .end = end}), pages(3070, 1));
  EXPECT_FALSE(allocate_one(space, {.bytes = 7 * kMiB - 3 * kPage, .begin = begin, .end = end}));
  EXPECT_EQ(allocate_one(space, {.bytes = 7 * kMiB - 4 * kPage, .begin = begin, .end = end}), pages(1282, 1788));
  EXPECT_FALSE(allocate_one(space, {.bytes = kPage, .begin = begin, .end = end}));
}

TEST(SegmentSpace, CarvedRangesAreNeverHandedOut) {
  SegmentSpace space(kMiB, kPage);
  EXPECT_TRUE(space.carve(0, kPage));
  EXPECT_TRUE(space.carve(100 * kPage, 10 * kPage));
  EXPECT_FALSE(space.carve(109 * kPage, kPage));
  EXPECT_FALSE(space.carve(90 * kPage, 30 * kPage));
  EXPECT_FALSE(space.carve(50 * kPage + 1, kPage));
  EXPECT_FALSE(space.carve(50 * kPage, 0));
  EXPECT_FALSE(space.carve(255 * kPage, 2 * kPage));
  EXPECT_FALSE(space.carve(UINT64_MAX & ~(kPage - 1), kPage));
  EXPECT_EQ(space.free_bytes(), 245 * kPage);
  EXPECT_FALSE(space.allocate_at(99 * kPage, 2 * kPage));
  EXPECT_EQ(allocate(space, {.bytes = 245 * kPage, .contiguous = false}).size(), 2u);
  EXPECT_EQ(space.free_bytes(), 0u);
}

TEST(SegmentSpace, ASetTakesTheLargestGapsFirst) {
  SegmentSpace space(kMiB, kPage);
  leave_gaps(space, {pages(0, 8), pages(20, 50), pages(80, 3), pages(100, 12)});
  Request request = {.bytes = 60 * kPage, .alignment = 16 * kPage, .contiguous = false};
  EXPECT_EQ(allocate(space, request), (std::vector<Extent>{pages(20, 50), pages(100, 10)}));
  request.bytes = 14 * kPage;
  EXPECT_TRUE(allocate(space, request).empty());  // 13 are left
  request.bytes = 13 * kPage;
  EXPECT_EQ(allocate(space, request).size(), 3u);
  EXPECT_EQ(space.free_bytes(), 0u);
}

TEST(SegmentSpace, ASetIsOneAlignedExtentIfItCanBe) {
  SegmentSpace space(kMiB, kPage);
  leave_gaps(space, {pages(1, 15), pages(31, 17)});
  EXPECT_EQ(allocate(space, {.bytes = 9 * kPage, .alignment = 16 * kPage, .contiguous = false}),
            (std::vector<Extent>{pages(32, 9)}));
}

TEST(SegmentSpace, ASetInARangeFromTheEnd) {
  SegmentSpace space(kMiB, kPage);
  leave_gaps(space, {pages(0, 40), pages(50, 5), pages(60, 9), pages(80, 40)});
  Request request = {.bytes = 20 * kPage, .contiguous = false, .from_end = true, .begin = 38 * kPage};
  request.end = 90 * kPage;
  EXPECT_EQ(allocate(space, request), (std::vector<Extent>{pages(80, 10), pages(60, 9), pages(39, 1)}));

  SegmentSpace equal(kMiB, kPage);
  leave_gaps(equal, {pages(10, 4), pages(20, 4), pages(30, 4)});
  EXPECT_EQ(allocate(equal, {.bytes = 6 * kPage, .contiguous = false, .from_end = true}),
            (std::vector<Extent>{pages(30, 4), pages(22, 2)}));
}

TEST(SegmentSpace, AllocatesExactlyThere) {
  SegmentSpace space(kMiB, kPage);
  EXPECT_TRUE(space.allocate_at(10 * kPage, 5 * kPage));
  EXPECT_FALSE(space.allocate_at(14 * kPage, kPage));
  EXPECT_FALSE(space.allocate_at(5 * kPage, 6 * kPage));
  EXPECT_FALSE(space.allocate_at(20 * kPage, 0));
  EXPECT_FALSE(space.allocate_at(kMiB, kPage));
  EXPECT_TRUE(space.allocate_at(15 * kPage, 241 * kPage));
  EXPECT_EQ(gaps_of(space), (std::vector<Extent>{pages(0, 10)}));
  space.free(pages(10, 5));
  EXPECT_EQ(gaps_of(space), (std::vector<Extent>{pages(0, 15)}));
  EXPECT_TRUE(space.validate());
}

TEST(SegmentSpace, WalksInAddressOrder) {
  SegmentSpace space(kMiB, kPage);
  ASSERT_TRUE(space.carve(0, kPage));
  ASSERT_TRUE(space.allocate_at(50 * kPage, kPage));
  ASSERT_TRUE(space.allocate_at(20 * kPage, 2 * kPage));
  std::vector<Extent> live;
  space.for_each_live([&](const Extent& extent) { live.push_back(extent); });
  EXPECT_EQ(live, (std::vector<Extent>{pages(20, 2), pages(50, 1)}));
  EXPECT_EQ(gaps_of(space), (std::vector<Extent>{pages(1, 19), pages(22, 28), pages(51, 205)}));
}

TEST(SegmentSpaceDeathTest, WrongFreesAbort) {
  SegmentSpace space(kMiB, kPage);
  ASSERT_TRUE(space.allocate_at(10 * kPage, 4 * kPage));
  EXPECT_DEATH(space.free(pages(11, 3)), "never handed out");
  EXPECT_DEATH(space.free(pages(0, 1)), "never handed out");
  EXPECT_DEATH(space.free(pages(10, 3)), "otherwise than handed out");
  EXPECT_DEATH(space.free({10 * kPage + 1, 4 * kPage}), "otherwise than handed out");
  EXPECT_DEATH(space.free({10 * kPage + (uint64_t{1} << 44), 4 * kPage}), "otherwise than handed out");
  space.free(pages(10, 4));
  EXPECT_DEATH(space.free(pages(10, 4)), "freed twice");
  ASSERT_TRUE(space.allocate_at(0, kPage));
  EXPECT_DEATH((void)space.carve(kPage, kPage), "before the first allocation");
}

// What a segment is, the slow way: one flag for each page.
class Oracle {
 public:
  explicit Oracle(uint64_t count) : taken_(count) {}

  bool is_free(uint64_t first, uint64_t count) const {
    return first + count <= taken_.size() &&
           std::none_of(taken_.begin() + static_cast<ptrdiff_t>(first),
                        taken_.begin() + static_cast<ptrdiff_t>(first + count), [](bool taken) { return taken; });
  }
  void set(const Extent& extent, uint64_t page, bool taken) {
    for (uint64_t i = extent.offset / page; i < extent.end() / page; ++i) taken_[i] = taken;
  }
  uint64_t free_in(uint64_t begin, uint64_t end) const {
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; ++i) count += !taken_[i];
    return count;
  }
  uint64_t largest_gap() const {
    uint64_t largest = 0;
    uint64_t run = 0;
    for (bool taken : taken_) {
      run = taken ? 0 : run + 1;
      largest = std::max(largest, run);
    }
    return largest;
  }
  // The lowest and the highest place for so many pages whose offset is a multiple of `alignment` bytes.
  std::optional<uint64_t> lowest(uint64_t count, uint64_t alignment, uint64_t page, uint64_t begin,
                                 uint64_t end) const {
    for (uint64_t i = begin; i + count <= end; ++i) {
      if (i * page % alignment == 0 && is_free(i, count)) return i;
    }
    return {};
  }
  std::optional<uint64_t> highest(uint64_t count, uint64_t alignment, uint64_t page, uint64_t begin,
                                  uint64_t end) const {
    for (uint64_t i = end; i >= begin + count; --i) {
      if ((i - count) * page % alignment == 0 && is_free(i - count, count)) return i - count;
    }
    return {};
  }
  uint64_t size() const { return taken_.size(); }

 private:
  std::vector<bool> taken_;
};

// One random history of a space, each step compared with the oracle.
class History {
 public:
  explicit History(uint64_t seed)
      : rng_(seed),
        page_(rng_.chance(1, 2) ? 4096 : 65536),
        oracle_(rng_.below(1500) + 1),
        space_(oracle_.size() * page_ + rng_.below(page_), static_cast<uint32_t>(page_)) {}

  void run(int steps) {
    for (uint64_t i = rng_.below(4); i != 0; --i) carve();
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      // Phases of growth and of decline, so that both a full and an empty segment are met.
      bool grow = rng_.chance(i / 64 % 2 ? 1 : 3, 4);
      if (!grow && !live_.empty()) {
        free();
      } else if (rng_.chance(1, 8)) {
        allocate_at();
      } else {
        allocate();
      }
      check_whole();
    }
  }

 private:
  void carve() {
    Extent extent = random_extent();
    bool fits = oracle_.is_free(extent.offset / page_, extent.bytes / page_);
    ASSERT_EQ(space_.carve(extent.offset, extent.bytes), fits);
    if (fits) oracle_.set(extent, page_, true);
  }

  void allocate_at() {
    Extent extent = random_extent();
    bool fits = oracle_.is_free(extent.offset / page_, extent.bytes / page_);
    ASSERT_EQ(space_.allocate_at(extent.offset, extent.bytes), fits);
    if (fits) add(extent);
  }

  void free() {
    size_t victim = rng_.below(live_.size());
    space_.free(live_[victim]);
    oracle_.set(live_[victim], page_, false);
    live_[victim] = live_.back();
    live_.pop_back();
  }

  void allocate() {
    Request request = random_request();
    uint64_t count = (request.bytes + page_ - 1) / page_;
    uint64_t begin = std::min((request.begin + page_ - 1) / page_, oracle_.size());
    uint64_t end = std::max(begin, std::min(request.end / page_, oracle_.size()));
    uint64_t alignment = std::max<uint64_t>(request.alignment, 1);
    auto lowest = oracle_.lowest(count, alignment, page_, begin, end);

    ExtentList out;
    bool granted = space_.allocate(request, out);
    bool possible = lowest || (!request.contiguous && oracle_.free_in(begin, end) >= count);
    ASSERT_EQ(granted, possible);
    ASSERT_EQ(granted, !out.empty());
    if (!granted) return;
    uint64_t total = 0;
    for (const Extent& extent : out) {
      ASSERT_EQ(extent.offset % page_, 0u);
      ASSERT_GE(extent.offset, begin * page_);
      ASSERT_LE(extent.end(), end * page_);
      ASSERT_TRUE(oracle_.is_free(extent.offset / page_, extent.bytes / page_));
      add(extent);
      total += extent.bytes;
    }
    ASSERT_EQ(total, count * page_);
    if (!lowest) return;
    ASSERT_EQ(out.size(), 1u);
    check_place(request, *out.begin(), count, begin, end, *lowest);
  }

  void check_place(const Request& request, const Extent& extent, uint64_t count, uint64_t begin, uint64_t end,
                   uint64_t lowest) {
    uint64_t alignment = std::max<uint64_t>(request.alignment, 1);
    ASSERT_EQ(extent.offset % alignment, 0u);
    if (!request.from_end) {
      bool by_size = begin == 0 && end == oracle_.size();
      ASSERT_TRUE(by_size || extent.offset == lowest * page_);
      return;
    }
    oracle_.set(extent, page_, false);
    ASSERT_EQ(extent.offset, oracle_.highest(count, alignment, page_, begin, end).value() * page_);
    oracle_.set(extent, page_, true);
  }

  void check_whole() {
    ASSERT_TRUE(space_.validate());
    ASSERT_EQ(space_.free_bytes(), oracle_.free_in(0, oracle_.size()) * page_);
    ASSERT_EQ(space_.largest_gap(), oracle_.largest_gap() * page_);
    ASSERT_EQ(space_.extents_live(), live_.size());
    uint64_t free_bytes = 0;
    space_.for_each_gap([&](const Extent& gap) {
      EXPECT_TRUE(oracle_.is_free(gap.offset / page_, gap.bytes / page_));
      free_bytes += gap.bytes;
    });
    ASSERT_EQ(free_bytes, space_.free_bytes());
  }

  Request random_request() {
    static constexpr uint64_t kAlignments[] = {0, 1, 4096, 4096, 4096, 65536, 65536, 3000, 1 << 18, 3 << 16, 1 << 30};
    Request request = {random_count() * page_ - rng_.below(page_)};
    request.alignment = kAlignments[rng_.below(std::size(kAlignments))];
    request.contiguous = rng_.chance(2, 3);
    request.from_end = rng_.chance(1, 4);
    if (rng_.chance(1, 3)) {
      request.begin = rng_.below(space_.size());
      request.end = request.begin + rng_.below(space_.size());
    }
    return request;
  }

  Extent random_extent() {
    uint64_t first = rng_.below(oracle_.size());
    return {first * page_, random_count() * page_};
  }
  // Small ones mostly.
  uint64_t random_count() { return rng_.below(uint64_t{1} << rng_.below(10)) + 1; }

  void add(const Extent& extent) {
    oracle_.set(extent, page_, true);
    live_.push_back(extent);
  }

  base::Rng rng_;
  uint64_t page_;
  Oracle oracle_;
  SegmentSpace space_;
  std::vector<Extent> live_;
};

TEST(SegmentSpace, AgreesWithABitmapOfPages) {
  uint64_t first_seed = base::seed_for_test(1);
  for (uint64_t seed = first_seed; seed < first_seed + 60; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    History(seed).run(400);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace vidmm
