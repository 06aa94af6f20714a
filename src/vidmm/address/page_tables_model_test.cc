#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "vidmm/testing/simulated_tables.h"

// PageTables against one entry per page: operations are performed one by one in simulated memory, which is walked as a
// GPU would. After each operation, addresses that the call is not about translate as before (unless contexts are
// suspended); after each call every address does what the model says, and nothing that the GPU may have cached is
// stale.

namespace vidmm {
namespace {

struct Shape {
  const char* name;
  std::vector<unsigned> bits;  // from the leaf up; the last one as it begins when there are two
  unsigned va_bits;
  unsigned caps;  // a sum of those below
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

enum : unsigned { kLarge = 1, kBig = 2, kDual = 4, kExplicit = 8, kNotCached = 16, kProtections = 32, kUnaligned = 64 };

const Shape kShapes[] = {
    {"TwoLevels", {6, 2}, 23, 0},
    {"TwoLevelsBig", {6, 1}, 23, kBig | kLarge | kProtections},
    {"TwoLevelsDual", {6, 3}, 23, kBig | kDual | kLarge | kExplicit},
    {"ThreeLevels", {5, 3, 2}, 22, kLarge | kNotCached},
    {"ThreeLevelsBig", {6, 2, 2}, 22, kBig | kLarge | kExplicit | kProtections},
    {"ThreeLevelsDual", {6, 2, 2}, 22, kBig | kDual | kLarge | kProtections | kNotCached},
    {"FourLevels", {5, 2, 2, 2}, 23, kExplicit | kProtections},
    {"FourLevelsBig", {5, 2, 2, 2}, 23, kBig | kLarge | kUnaligned | kNotCached},
    {"FourLevelsDual", {5, 2, 2, 2}, 23, kBig | kDual | kLarge | kExplicit | kNotCached},
};

DXGK_GPUMMUCAPS caps_of(const Shape& shape) {
  DXGK_GPUMMUCAPS caps{};
  caps.VirtualAddressBitCount = shape.va_bits;
  caps.PageTableLevelCount = static_cast<UINT>(shape.bits.size());
  caps.ZeroInPteSupported = 1;
  caps.LargePageSupported = (shape.caps & kLarge) != 0;
  caps.LeafPageTableSizeFor64KPagesInBytes = shape.caps & kBig ? 4096 : 0;
  caps.DualPteSupported = (shape.caps & kDual) != 0;
  caps.ExplicitPageTableInvalidation = (shape.caps & kExplicit) != 0;
  caps.InvalidTlbEntriesNotCached = (shape.caps & kNotCached) != 0;
  caps.ReadOnlyMemorySupported = caps.NoExecuteMemorySupported = caps.CacheCoherentMemorySupported =
      (shape.caps & kProtections) != 0;
  caps.AllowNonAlignedLargePageAddress = (shape.caps & kUnaligned) != 0;
  return caps;
}

class PageTablesModelTest : public testing::TestWithParam<Shape> {
 protected:
  using View = std::optional<SimulatedTables::Seen>;

  PageTablesModelTest()
      : caps_(caps_of(GetParam())),
        memory_(caps_, levels_of(GetParam().bits)),
        tables_(PageTables::create(caps_, levels_of(GetParam().bits), memory_, ops_).take()),
        pages_(tables_->end_va() / kPageBytes),
        model_(pages_),
        cached_(pages_) {
    memory_.set_root(tables_->root());
    for (const TableOp& op : ops_.ops()) memory_.perform(ops_, op);
    ops_.clear();
  }

  void run(uint64_t seed) {
    base::Rng rng(seed);
    for (int step = 0; step < 200; ++step) {
      memory_.set_room(rng.chance(1, 8) ? memory_.table_count() + rng.below(3) : SIZE_MAX);
      if (rng.chance(1, 20))
        move_a_table(rng);
      else
        one_call(rng);
      if (HasFatalFailure()) FAIL() << "step " << step;
      ASSERT_TRUE(tables_->validate()) << "step " << step;
      ASSERT_TRUE(memory_.faults().empty()) << memory_.faults()[0] << ", step " << step;
      ASSERT_EQ(memory_.table_count(), tables_->table_count());
    }
  }

  void one_call(base::Rng& rng) {
    uint64_t first = tables_->first_va() / kPageBytes;
    uint64_t unit = rng.chance(1, 2) ? 16 : 1;
    uint64_t page = (first + rng.below(pages_ - first)) / unit * unit;
    uint64_t count = std::min((1 + rng.below(rng.chance(1, 4) ? 512 : 48)) * unit, pages_ - page);
    std::vector<PageRun> runs;
    VaProtection protection;
    std::vector<View> wanted(count);
    uint64_t what = rng.below(4);
    base::Result<> result;
    if (what < 2) {
      protection = {.write = rng.chance(1, 2), .execute = rng.chance(1, 2), .driver_protection = rng.below(3) / 2 * 7};
      runs = any_runs(rng, count, unit);
      expect_pages(runs, protection, wanted);
      result = tables_->map(page * kPageBytes, count * kPageBytes, runs, protection, ops_);
    } else if (what == 2) {
      result = tables_->map_zero(page * kPageBytes, count * kPageBytes, ops_);
      for (View& view : wanted) view = zero();
    } else {
      result = tables_->unmap(page * kPageBytes, count * kPageBytes, ops_);
    }
    if (!result.ok()) {
      ASSERT_EQ(result.status(), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
      ASSERT_TRUE(ops_.empty());
      return;
    }
    perform(page, page + count);
    std::copy(wanted.begin(), wanted.end(), model_.begin() + static_cast<ptrdiff_t>(page));
    compare();
  }

  std::vector<PageRun> any_runs(base::Rng& rng, uint64_t count, uint64_t unit) {
    std::vector<PageRun> runs;
    while (count > 0) {
      uint64_t length = std::min(count, unit * (1 + rng.below(rng.chance(1, 2) ? 512 : 4)));
      auto segment = static_cast<uint32_t>(rng.below(3));
      uint64_t page = rng.below(1 << 16) / unit * unit;
      if (rng.chance(1, 2)) page = page / 512 * 512;
      runs.push_back({.segment = segment,
                      .page = page,
                      .count = length,
                      .cache_coherent = segment == 0,
                      .pages_64k = segment == 2,
                      .large = rng.chance(7, 8)});
      count -= length;
    }
    return runs;
  }

  void expect_pages(const std::vector<PageRun>& runs, const VaProtection& protection, std::vector<View>& wanted) {
    size_t at = 0;
    for (const PageRun& run : runs) {
      for (uint64_t i = 0; i < run.count; ++i) {
        SimulatedTables::Seen seen{{}, 0, run.page + i, protection.driver_protection};
        seen.entry.Segment = run.segment & 31;
        seen.entry.ReadOnly = caps_.ReadOnlyMemorySupported && !protection.write;
        seen.entry.NoExecute = caps_.NoExecuteMemorySupported && !protection.execute;
        seen.entry.CacheCoherent = caps_.CacheCoherentMemorySupported && run.cache_coherent;
        wanted[at++] = seen;
      }
    }
  }

  static View zero() {
    SimulatedTables::Seen seen{};
    seen.entry.Zero = 1;
    return seen;
  }

  void move_a_table(base::Rng& rng) {
    const Table* table = &tables_->root();
    while (table->level > 0) {
      const Table* child = table->children[rng.below(table->count)];
      if (!child || rng.chance(1, 4)) break;
      table = child;
    }
    // Tables move while the GPU is idle: nothing is looked at until all is written.
    idle_ = true;
    Table& moving = const_cast<Table&>(*table);
    memory_.move(moving);
    tables_->moved(moving, ops_);
    perform(0, pages_);
    idle_ = false;
    compare();
  }

  void perform(uint64_t first, uint64_t end) {
    for (const TableOp& op : ops_.ops()) {
      memory_.perform(ops_, op);
      if (op.kind == TableOp::Kind::Flush)
        for (uint64_t i = op.va / kPageBytes; i < std::min(op.end / kPageBytes, pages_); ++i) cached_[i].reset();
      if (memory_.suspended() || idle_) continue;
      for (uint64_t i = ++looks_ % 4; i < pages_; i += 4) {
        View seen = memory_.walk(i * kPageBytes);  // and whatever it complains about
        if (i >= first && i < end) continue;
        ASSERT_EQ(seen, model_[i]) << "page " << i << " outside " << first << " to " << end;
      }
    }
    ASSERT_FALSE(memory_.suspended());
    ops_.clear();
  }

  void compare() {
    for (uint64_t i = 0; i < pages_; ++i) {
      View seen = memory_.walk(i * kPageBytes);
      ASSERT_EQ(seen, model_[i]) << "page " << i;
      auto mirror = tables_->translate(i * kPageBytes);
      ASSERT_EQ(mirror.has_value(), seen.has_value()) << "page " << i;
      if (seen) {
        ASSERT_EQ(mirror->entry.Flags, seen->entry.Flags) << "page " << i;
        ASSERT_EQ(mirror->level, seen->level) << "page " << i;
        if (!seen->entry.Zero) {
          ASSERT_EQ(mirror->page, seen->page) << "page " << i;
        }
      }
      if (cached_[i]) {
        ASSERT_EQ(*cached_[i], seen) << "page " << i << " is cached and stale";
      }
      if (seen || !caps_.InvalidTlbEntriesNotCached) cached_[i] = seen;
    }
  }

  DXGK_GPUMMUCAPS caps_;
  SimulatedTables memory_;
  TableOpList ops_;
  std::unique_ptr<PageTables> tables_;
  uint64_t pages_;
  std::vector<View> model_;
  std::vector<std::optional<View>> cached_;
  bool idle_ = false;
  uint64_t looks_ = 0;  // a quarter of the pages each time
};

TEST_P(PageTablesModelTest, AgreesWithTheModel) {
  uint64_t seed = base::seed_for_test(7000);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  run(seed);
}
INSTANTIATE_TEST_SUITE_P(Shapes, PageTablesModelTest, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace vidmm
