#include "vidmm/address/page_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vidmm/testing/simulated_tables.h"

namespace vidmm {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;

// Three levels of 9 bits and a root of 9: 48 bits, large pages of 2 MiB, 1 GiB and 512 GiB.
std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> usual_levels() { return levels_of({9, 9, 9, 9}); }

DXGK_GPUMMUCAPS usual_caps() {
  DXGK_GPUMMUCAPS caps{};
  caps.VirtualAddressBitCount = 48;
  caps.PageTableLevelCount = 4;
  caps.ReadOnlyMemorySupported = caps.NoExecuteMemorySupported = caps.ZeroInPteSupported = 1;
  caps.InvalidTlbEntriesNotCached = 1;
  return caps;
}

class PageTablesTest : public testing::Test {
 protected:
  using Kind = TableOp::Kind;

  ~PageTablesTest() override {
    if (!tables_) return;
    EXPECT_TRUE(tables_->validate());
    EXPECT_TRUE(memory_->faults().empty()) << memory_->faults()[0];
    tables_.reset();
    EXPECT_EQ(memory_->table_count(), 0u);
  }

  void start(const DXGK_GPUMMUCAPS& caps, std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels = usual_levels()) {
    memory_ = std::make_unique<SimulatedTables>(caps, levels);
    tables_ = PageTables::create(caps, levels, *memory_, ops_).take();
    base_ = tables_->first_va();
    memory_->set_root(tables_->root());
    perform();
  }

  // The operations of the last call, in short, and performed.
  std::string perform() {
    static constexpr const char* kNames[] = {"Initialise", "Update", "SetRoot", "Suspend", "Flush", "Resume", "Free"};
    std::string text;
    for (const TableOp& op : ops_.ops()) {
      if (!text.empty()) text += ", ";
      text += kNames[static_cast<size_t>(op.kind)];
      if (op.table) text += " " + std::to_string(op.table->level) + (op.table->pages_64k ? "big" : "");
      if (op.kind == Kind::Update)
        text += "[" + std::to_string(op.start) + "+" + std::to_string(op.count) + (op.repeat ? " same]" : "]");
      memory_->perform(ops_, op);
    }
    ops_.clear();
    return text;
  }

  NTSTATUS map(uint64_t va, std::vector<PageRun> runs, VaProtection protection = {.write = true}) {
    uint64_t bytes = 0;
    for (const PageRun& run : runs) bytes += run.count * kPageBytes;
    return tables_->map(va, bytes, runs, protection, ops_).status();
  }

  std::unique_ptr<SimulatedTables> memory_;
  TableOpList ops_;
  std::unique_ptr<PageTables> tables_;
  uint64_t base_ = 0;
};

TEST_F(PageTablesTest, TheRootIsInitialisedInvalid) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  memory_ = std::make_unique<SimulatedTables>(caps, usual_levels());
  tables_ = PageTables::create(caps, usual_levels(), *memory_, ops_).take();
  EXPECT_EQ(perform(), "Initialise 3");
  EXPECT_EQ(tables_->first_va(), 512 * kGiB);
}

TEST_F(PageTablesTest, LevelsThatMakeNoAddressAreRefused) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  SimulatedTables memory(caps, usual_levels());
  auto status = [&](size_t levels, UINT bits) {
    caps.VirtualAddressBitCount = bits;
    auto all = levels_of(std::vector<unsigned>(levels, 9));
    return PageTables::create(caps, all, memory, ops_).status();
  };
  EXPECT_EQ(status(1, 21), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(7, 63), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(4, 47), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(2, 29), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(2, 42), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(2, 40), STATUS_SUCCESS);  // the root grows
}

TEST_F(PageTablesTest, TablesAreCompleteBeforeAnEntryPointsToThem) {
  start(usual_caps());
  EXPECT_EQ(map(base_ + 0x3000, {{.segment = 1, .page = 7, .count = 2}}), STATUS_SUCCESS);
  EXPECT_EQ(perform(),
            "Initialise 2, Initialise 1, Initialise 0, Update 0[3+2], Update 1[0+1], Update 2[0+1], Update 3[1+1]");
  auto found = tables_->translate(base_ + 0x4fff);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->page, 8u);
  EXPECT_EQ(found->entry.Segment, 1u);
  EXPECT_FALSE(tables_->translate(base_ + 0x5000));
}

TEST_F(PageTablesTest, OneUpdatePerTableAndCall) {
  start(usual_caps());
  std::vector<PageRun> scattered;
  for (uint64_t i = 0; i < 1024; ++i) scattered.push_back({.page = 5 * i, .count = 1});
  EXPECT_EQ(map(base_ + kMiB, scattered), STATUS_SUCCESS);
  EXPECT_EQ(perform(),
            "Initialise 2, Initialise 1, Initialise 0, Update 0[256+256], Initialise 0, Update 0[0+512], "
            "Initialise 0, Update 0[0+256], Update 1[0+3], Update 2[0+1], Update 3[1+1]");
}

TEST_F(PageTablesTest, MappingTheSameAgainWritesNothing) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 7, .count = 2}});
  perform();
  EXPECT_EQ(map(base_, {{.segment = 1, .page = 7, .count = 1}, {.segment = 1, .page = 8, .count = 1}}), STATUS_SUCCESS);
  EXPECT_EQ(perform(), "");
}

TEST_F(PageTablesTest, TheLastPageTakesItsTablesAlong) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 7, .count = 2}});
  perform();
  EXPECT_TRUE(tables_->unmap(base_, 0x1000, ops_).ok());
  EXPECT_EQ(perform(), "Update 0[0+1], Flush");
  EXPECT_TRUE(tables_->unmap(base_ + 0x1000, 0x1000, ops_).ok());
  EXPECT_EQ(perform(), "Update 3[1+1], Flush, Free 2, Free 1, Free 0");
  EXPECT_EQ(tables_->table_count(), 1u);
}

TEST_F(PageTablesTest, ExplicitInvalidationWritesEveryEntryBeforeItsTableGoes) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  caps.ExplicitPageTableInvalidation = 1;
  start(caps);
  map(base_, {{.segment = 1, .page = 7, .count = 600}});
  perform();
  EXPECT_TRUE(tables_->unmap(base_, 512 * kGiB, ops_).ok());
  EXPECT_EQ(perform(),
            "Update 3[1+1], Update 2[0+512 same], Update 1[0+512 same], Update 0[0+512 same], Update 0[0+512 same], "
            "Flush, Free 2, Free 1, Free 0, Free 0");
}

TEST_F(PageTablesTest, WhatWasInvalidIsFlushedUnlessTheGpuDoesNotCacheIt) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  caps.InvalidTlbEntriesNotCached = 0;
  start(caps);
  map(base_ + 0x3000, {{.segment = 1, .page = 7, .count = 2}});
  const TableOp& last = ops_.ops().back();
  EXPECT_EQ(last.kind, Kind::Flush);
  EXPECT_EQ(last.va, base_ + 0x3000);
  EXPECT_EQ(last.end, base_ + 0x5000);
  perform();
}

TEST_F(PageTablesTest, ARemapFlushesWhatChanged) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 0, .count = 64}});
  perform();
  map(base_ + 0x4000, {{.segment = 2, .page = 9, .count = 1}});
  const TableOp& last = ops_.ops().back();
  EXPECT_EQ(last.kind, Kind::Flush);
  EXPECT_EQ(last.va, base_ + 0x4000);
  EXPECT_EQ(last.end, base_ + 0x5000);
  EXPECT_EQ(perform(), "Update 0[4+1], Flush");
}

TEST_F(PageTablesTest, ProtectionIsWrittenWhereTheDriverSupportsIt) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 1, .count = 1, .cache_coherent = true}}, {});
  perform();
  auto found = tables_->translate(base_);
  EXPECT_TRUE(found->entry.ReadOnly);
  EXPECT_TRUE(found->entry.NoExecute);
  EXPECT_FALSE(found->entry.CacheCoherent);  // no such cap
  map(base_, {{.segment = 1, .page = 1, .count = 1}}, {.write = true, .execute = true});
  perform();
  found = tables_->translate(base_);
  EXPECT_FALSE(found->entry.ReadOnly);
  EXPECT_FALSE(found->entry.NoExecute);
}

TEST_F(PageTablesTest, DriverProtectionGoesWithTheUpdateOfTheLeaf) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 1, .count = 2}}, {.driver_protection = 42});
  for (const TableOp& op : ops_.ops())
    EXPECT_EQ(op.driver_protection, op.kind == Kind::Update && op.table->level == 0 ? 42u : 0u);
  perform();
}

class LargePagesTest : public PageTablesTest {
 protected:
  void start_with(UINT more_caps = 0) {
    DXGK_GPUMMUCAPS caps = usual_caps();
    caps.Value |= more_caps;
    caps.LargePageSupported = 1;
    start(caps);
  }
  unsigned level_at_base() {
    perform();
    return tables_->translate(base_)->level;
  }
};

TEST_F(LargePagesTest, AlignedMemoryIsMappedByOneEntry) {
  start_with();
  map(base_, {{.segment = 1, .page = 512, .count = 512}});
  EXPECT_EQ(perform(), "Initialise 2, Initialise 1, Update 1[0+1], Update 2[0+1], Update 3[1+1]");
  EXPECT_TRUE(tables_->translate(base_)->entry.LargePage);
  EXPECT_EQ(tables_->translate(base_ + kMiB)->page, 512u + 256);
}

TEST_F(LargePagesTest, TheLargestThatFitsIsUsed) {
  start_with();
  map(base_, {{.segment = 1, .page = 0, .count = kGiB / kPageBytes}});
  EXPECT_EQ(level_at_base(), 2u);
}

TEST_F(LargePagesTest, NotWhereItDoesNotFit) {
  start_with();
  map(base_, {{.segment = 1, .page = 256, .count = 512}});
  EXPECT_EQ(level_at_base(), 0u);  // the memory is not aligned
  map(base_, {{.segment = 1, .page = 512, .count = 256}, {.segment = 1, .page = 1024, .count = 256}});
  EXPECT_EQ(level_at_base(), 0u);  // the memory is not in one piece
  map(base_, {{.segment = 0, .page = 512, .count = 512}});
  EXPECT_EQ(level_at_base(), 0u);  // system memory
  map(base_, {{.segment = 1, .page = 512, .count = 512, .large = false}});
  EXPECT_EQ(level_at_base(), 0u);  // the allocation forbids it
  map(base_, {{.segment = 1, .page = 512, .count = 512}}, {.driver_protection = 1});
  EXPECT_EQ(level_at_base(), 0u);  // only leaf entries have a driver protection
  map(base_, {{.segment = 1, .page = 512, .count = 512}});
  EXPECT_EQ(level_at_base(), 1u);
}

TEST_F(LargePagesTest, CapsAllowUnalignedAndSystemMemory) {
  DXGK_GPUMMUCAPS more{};
  more.AllowNonAlignedLargePageAddress = 1;
  more.SysMemLargePageSupported = 1;
  start_with(more.Value);
  map(base_, {{.segment = 0, .page = 256, .count = 512}});
  EXPECT_EQ(level_at_base(), 1u);
  EXPECT_EQ(tables_->translate(base_ + 0x1000)->page, 257u);
}

TEST_F(LargePagesTest, ACutLargePageBecomesATableThatSaysTheSame) {
  start_with();
  map(base_, {{.segment = 1, .page = 512, .count = 512}});
  perform();
  EXPECT_TRUE(tables_->unmap(base_ + 0x1000, 0x1000, ops_).ok());
  EXPECT_EQ(perform(), "Initialise 0, Update 0[0+512], Update 1[0+1], Flush");
  EXPECT_EQ(tables_->translate(base_ + 0x2000)->page, 514u);
  EXPECT_FALSE(tables_->translate(base_ + 0x1000));
}

TEST_F(LargePagesTest, CuttingAPageNeedsMemoryAndCanFail) {
  start_with();
  map(base_, {{.segment = 1, .page = 512, .count = 512}});
  perform();
  memory_->set_room(memory_->table_count());
  EXPECT_EQ(tables_->unmap(base_, 0x1000, ops_).status(), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_EQ(perform(), "");
  EXPECT_EQ(tables_->translate(base_)->page, 512u);
  EXPECT_TRUE(tables_->unmap(base_, 2 * kMiB, ops_).ok());
  perform();
}

TEST_F(PageTablesTest, ZeroesOfATerabyteAreTwoEntries) {
  start(usual_caps());
  EXPECT_TRUE(tables_->map_zero(base_, 1024 * kGiB, ops_).ok());
  EXPECT_EQ(perform(), "Update 3[1+2 same]");
  EXPECT_TRUE(tables_->translate(base_ + 700 * kGiB)->entry.Zero);
  map(base_, {{.segment = 1, .page = 7, .count = 1}});
  perform();
  EXPECT_EQ(tables_->translate(base_)->page, 7u);
  EXPECT_TRUE(tables_->translate(base_ + 0x1000)->entry.Zero);
}

TEST_F(PageTablesTest, ZeroNeedsTheCap) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  caps.ZeroInPteSupported = 0;
  start(caps);
  EXPECT_EQ(tables_->map_zero(base_, kMiB, ops_).status(), STATUS_NOT_SUPPORTED);
}

TEST_F(PageTablesTest, MisuseIsRefused) {
  start(usual_caps());
  EXPECT_EQ(map(base_ - 0x1000, {{.segment = 1, .page = 0, .count = 1}}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(map(base_ + 1, {{.segment = 1, .page = 0, .count = 1}}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(map(tables_->end_va() - 0x1000, {{.segment = 1, .page = 0, .count = 2}}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(map(base_, {{.segment = 32, .page = 0, .count = 1}}), STATUS_INVALID_PARAMETER);
  PageRun short_run{.segment = 1, .count = 1};
  EXPECT_EQ(tables_->map(base_, 0x2000, {&short_run, 1}, {}, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(tables_->unmap(base_, 0, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(ops_.empty());
}

TEST_F(PageTablesTest, AFailureHalfWayLeavesNoTableBehind) {
  start(usual_caps());
  memory_->set_room(3);  // the root and two of the three that it takes
  EXPECT_EQ(map(base_, {{.segment = 1, .page = 0, .count = 1}}), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_TRUE(ops_.empty());
  EXPECT_EQ(memory_->table_count(), 1u);
}

TEST_F(PageTablesTest, ATableThatMovedIsWrittenAnew) {
  start(usual_caps());
  map(base_, {{.segment = 1, .page = 7, .count = 3}});
  perform();
  Table& leaf = *tables_->root().children[1]->children[0]->children[0];
  memory_->move(leaf);
  tables_->moved(leaf, ops_);
  EXPECT_EQ(perform(), "Initialise 0, Update 0[0+3], Update 1[0+1], Flush");
  EXPECT_EQ(memory_->walk(base_ + 0x2000)->page, 9u);
}

TEST_F(PageTablesTest, TheRootOfTwoLevelsGrows) {
  DXGK_GPUMMUCAPS caps = usual_caps();
  caps.VirtualAddressBitCount = 40;
  caps.PageTableLevelCount = 2;
  start(caps, levels_of({10, 2}));
  ASSERT_EQ(base_, 4 * kMiB);
  map(base_, {{.segment = 1, .page = 7, .count = 1}});
  EXPECT_EQ(perform(), "Initialise 0, Update 0[0+1], Update 1[1+1]");
  map(kGiB, {{.segment = 1, .page = 8, .count = 1}});
  EXPECT_EQ(perform(), "Initialise 1, Initialise 0, Update 0[0+1], Update 1[1+256], SetRoot 1, Free 1");
  EXPECT_EQ(tables_->root().count, 512u);
  EXPECT_EQ(memory_->walk(base_)->page, 7u);
  EXPECT_EQ(memory_->walk(kGiB)->page, 8u);
  EXPECT_TRUE(tables_->unmap(base_, uint64_t{1} << 39, ops_).ok());  // further than the root reaches
  perform();
  EXPECT_FALSE(memory_->walk(kGiB));
}

class BigPagesTest : public PageTablesTest {
 protected:
  void start_with(bool dual) {
    DXGK_GPUMMUCAPS caps = usual_caps();
    caps.LeafPageTableSizeFor64KPagesInBytes = 4096;
    caps.DualPteSupported = dual;
    start(caps);
  }
  static PageRun big(uint64_t page, uint64_t count) {
    return {.segment = 2, .page = page, .count = count, .pages_64k = true};
  }
};

TEST_F(BigPagesTest, ALeafOfBigPages) {
  start_with(false);
  map(base_, {big(64, 32)});
  EXPECT_EQ(perform(),
            "Initialise 2, Initialise 1, Initialise 0big, Update 0big[0+2], Update 1[0+1], Update 2[0+1], "
            "Update 3[1+1]");
  auto found = tables_->translate(base_ + 0x1'3000);
  EXPECT_TRUE(found->pages_64k);
  EXPECT_EQ(found->page, 64u + 19);
  const Table& above = *tables_->root().children[1]->children[0];
  EXPECT_EQ(above.entries[0].PageTablePageSize, static_cast<unsigned>(DXGK_PTE_PAGE_TABLE_PAGE_64KB));
}

TEST_F(BigPagesTest, OnlyWhereAlignmentSizeAndSegmentAllow) {
  start_with(false);
  auto is_big = [&](uint64_t va) {
    perform();
    bool pages_64k = tables_->translate(va)->pages_64k;
    EXPECT_TRUE(tables_->unmap(base_, kGiB, ops_).ok());
    perform();
    return pages_64k;
  };
  map(base_, {big(64, 16)});
  EXPECT_TRUE(is_big(base_));
  map(base_ + 0x1000, {big(64, 16)});
  EXPECT_FALSE(is_big(base_ + 0x1000));
  map(base_, {big(64, 17)});
  EXPECT_FALSE(is_big(base_));
  map(base_, {big(65, 16)});
  EXPECT_FALSE(is_big(base_));
  map(base_, {{.segment = 1, .page = 64, .count = 16}});
  EXPECT_FALSE(is_big(base_));
  map(base_, {{.segment = 0, .page = 64, .count = 16, .pages_64k = true}});
  EXPECT_FALSE(is_big(base_));
}

TEST_F(BigPagesTest, SomethingSmallerConvertsTheLeaf) {
  start_with(false);
  map(base_, {big(64, 32)}, {.driver_protection = 5});
  perform();
  map(base_ + 0x4'0000, {{.segment = 0, .page = 3, .count = 1}});
  EXPECT_EQ(perform(),
            "Suspend, Initialise 0, Update 0[0+32], Update 0[32+33], Update 1[0+1], Flush, Resume, Free 0big");
  EXPECT_EQ(tables_->translate(base_ + 0x1'3000)->page, 64u + 19);
  EXPECT_EQ(memory_->walk(base_ + 0x1'3000)->driver_protection, 5u);
  map(base_ + 0x10'0000, {big(64, 16)});  // and there is no way back
  perform();
  EXPECT_FALSE(tables_->translate(base_ + 0x10'0000)->pages_64k);
}

TEST_F(BigPagesTest, UnmappingNothingConvertsNothing) {
  start_with(false);
  map(base_, {big(64, 16)});
  perform();
  EXPECT_TRUE(tables_->unmap(base_ + 0x2'1000, 0x1000, ops_).ok());
  EXPECT_EQ(perform(), "");
}

TEST_F(BigPagesTest, BothLeavesBesideEachOther) {
  start_with(true);
  map(base_, {big(64, 16)});
  perform();
  map(base_ + 0x1'0000, {{.segment = 0, .page = 3, .count = 1}});
  EXPECT_EQ(perform(), "Initialise 0, Update 0[16+1], Update 1[0+1], Flush");
  EXPECT_TRUE(tables_->translate(base_)->pages_64k);
  EXPECT_FALSE(tables_->translate(base_ + 0x1'0000)->pages_64k);
}

TEST_F(BigPagesTest, ABigPageThatIsCutMovesToTheOtherLeaf) {
  start_with(true);
  map(base_, {big(64, 32)});
  perform();
  EXPECT_TRUE(tables_->unmap(base_, 0x1000, ops_).ok());
  EXPECT_EQ(perform(), "Suspend, Initialise 0, Update 0big[0+1], Update 0[0+16], Update 1[0+1], Flush, Resume");
  EXPECT_EQ(tables_->translate(base_ + 0x1000)->page, 65u);
  EXPECT_TRUE(tables_->translate(base_ + 0x1'0000)->pages_64k);
}

}  // namespace
}  // namespace vidmm
