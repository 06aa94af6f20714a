#include "dxgk/paging/paging_operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/align.h"

namespace dxgk {
namespace {

const HANDLE kAllocation = reinterpret_cast<HANDLE>(0x50);
MDL g_mdl;

DXGKARG_BUILDPAGINGBUFFER described(const PagingOperation& operation) {
  DXGKARG_BUILDPAGINGBUFFER args;
  std::memset(&args, 0, sizeof(args));
  describe(operation, args);
  EXPECT_EQ(args.Operation, kind_of(operation));
  return args;
}

// --- What a driver sees ---

TEST(PagingOperation, TransferTellsASegmentByItsAddressAndSystemMemoryByItsMdl) {
  paging::Transfer transfer;
  transfer.allocation = kAllocation;
  transfer.offset = 0x3000;
  transfer.bytes = 0x2000;
  transfer.source = {2, 0x10'0000, nullptr};
  transfer.destination = {0, 0, &g_mdl};
  transfer.mdl_page = 3;
  transfer.flags.TransferEnd = 1;
  auto args = described(transfer);
  EXPECT_EQ(args.Operation, DXGK_OPERATION_TRANSFER);
  EXPECT_EQ(args.Transfer.hAllocation, kAllocation);
  EXPECT_EQ(args.Transfer.TransferOffset, 0x3000u);
  EXPECT_EQ(args.Transfer.TransferSize, 0x2000u);
  EXPECT_EQ(args.Transfer.Source.SegmentId, 2u);
  EXPECT_EQ(args.Transfer.Source.SegmentAddress.QuadPart, 0x10'0000);
  EXPECT_EQ(args.Transfer.Destination.SegmentId, 0u);
  EXPECT_EQ(args.Transfer.Destination.pMdl, &g_mdl);
  EXPECT_EQ(args.Transfer.MdlOffset, 3u);
  EXPECT_EQ(args.Transfer.Flags.Value, 0x10u);
  set_idle(args);
  EXPECT_EQ(args.Transfer.Flags.Value, 0x14u);
}

TEST(PagingOperation, FillAndDiscardNameTheirPlace) {
  auto fill = described(paging::Fill{kAllocation, 0x5000, 0xABCD, 2, 0x9000});
  EXPECT_EQ(fill.Operation, DXGK_OPERATION_FILL);
  EXPECT_EQ(fill.Fill.hAllocation, kAllocation);
  EXPECT_EQ(fill.Fill.FillSize, 0x5000u);
  EXPECT_EQ(fill.Fill.FillPattern, 0xABCDu);
  EXPECT_EQ(fill.Fill.Destination.SegmentId, 2u);
  EXPECT_EQ(fill.Fill.Destination.SegmentAddress.QuadPart, 0x9000);
  auto discard = described(paging::Discard{kAllocation, 2, 0xA000});
  EXPECT_EQ(discard.Operation, DXGK_OPERATION_DISCARD_CONTENT);
  EXPECT_EQ(discard.DiscardContent.hAllocation, kAllocation);
  EXPECT_EQ(discard.DiscardContent.SegmentId, 2u);
  EXPECT_EQ(discard.DiscardContent.SegmentAddress.QuadPart, 0xA000);
  set_idle(discard);
  EXPECT_EQ(discard.DiscardContent.Flags.Value, 1u);
}

TEST(PagingOperation, ApertureRangesAreInPages) {
  HANDLE device = reinterpret_cast<HANDLE>(0x60);
  auto map = described(paging::MapAperture{device, kAllocation, 1, 7, 3, &g_mdl, 2, true});
  EXPECT_EQ(map.Operation, DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_EQ(map.MapApertureSegment.hDevice, device);
  EXPECT_EQ(map.MapApertureSegment.hAllocation, kAllocation);
  EXPECT_EQ(map.MapApertureSegment.SegmentId, 1u);
  EXPECT_EQ(map.MapApertureSegment.OffsetInPages, 7u);
  EXPECT_EQ(map.MapApertureSegment.NumberOfPages, 3u);
  EXPECT_EQ(map.MapApertureSegment.pMdl, &g_mdl);
  EXPECT_EQ(map.MapApertureSegment.MdlOffset, 2u);
  EXPECT_EQ(map.MapApertureSegment.Flags.CacheCoherent, 1u);
  auto unmap = described(paging::UnmapAperture{device, kAllocation, 1, 7, 3, 0xF000});
  EXPECT_EQ(unmap.Operation, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
  EXPECT_EQ(unmap.UnmapApertureSegment.hDevice, device);
  EXPECT_EQ(unmap.UnmapApertureSegment.hAllocation, kAllocation);
  EXPECT_EQ(unmap.UnmapApertureSegment.SegmentId, 1u);
  EXPECT_EQ(unmap.UnmapApertureSegment.OffsetInPages, 7u);
  EXPECT_EQ(unmap.UnmapApertureSegment.NumberOfPages, 3u);
  EXPECT_EQ(unmap.UnmapApertureSegment.DummyPage.QuadPart, 0xF000);
}

TEST(PagingOperation, ListsAreTheCallers) {
  DXGK_PTE entries[3] = {}, entries_64k[3] = {};
  paging::UpdatePageTable update;
  update.table.PageTableLevel = 2;
  update.entries = entries;
  update.entries_64k = entries_64k;
  update.count = 3;
  auto args = described(update);
  EXPECT_EQ(args.UpdatePageTable.PageTableLevel, 2u);
  EXPECT_EQ(args.UpdatePageTable.pPageTableEntries, entries);
  EXPECT_EQ(args.UpdatePageTable.pPageTableEntries64KB, entries_64k);
  EXPECT_EQ(args.UpdatePageTable.NumPageTableEntries, 3u);

  DXGK_BUILDPAGINGBUFFER_COPY_RANGE ranges[2] = {};
  args = described(paging::CopyPageTableEntries{ranges});
  EXPECT_EQ(args.CopyPageTableEntries.NumRanges, 2u);
  EXPECT_EQ(args.CopyPageTableEntries.pRanges, ranges);

  const uint8_t data[] = {1, 2, 3};
  args = described(paging::UpdateContextAllocation{0x77000, 0x2000, data});
  EXPECT_EQ(args.UpdateContextAllocation.ContextAllocation, 0x77000u);
  EXPECT_EQ(args.UpdateContextAllocation.ContextAllocationSize, 0x2000u);
  EXPECT_EQ(args.UpdateContextAllocation.pDriverPrivateData, data);
  EXPECT_EQ(args.UpdateContextAllocation.DriverPrivateDataSize, 3u);
}

TEST(PagingOperation, OneEntryIsEnoughWhenItIsRepeated) {
  DXGK_PTE entry = {};
  paging::UpdatePageTable update;
  update.table.Flags.Repeat = 1;
  update.entries = {&entry, 1};
  update.count = 512;
  EXPECT_EQ(described(update).UpdatePageTable.NumPageTableEntries, 512u);
  EXPECT_EQ(units_of(update), 512u);
}

TEST(PagingOperation, ContextResourceHasAllItsAddresses) {
  paging::InitContextResource init{kAllocation, {2, 0x8000, nullptr}, &g_mdl, 0x123000};
  auto args = described(init);
  EXPECT_EQ(args.InitContextResource.hAllocation, kAllocation);
  EXPECT_EQ(args.InitContextResource.Destination.SegmentId, 2u);
  EXPECT_EQ(args.InitContextResource.Destination.SegmentAddress.QuadPart, 0x8000);
  EXPECT_EQ(args.InitContextResource.Destination.VirtualAddress, &g_mdl);
  EXPECT_EQ(args.InitContextResource.Destination.GpuVirtualAddress, 0x123000u);
}

TEST(PagingOperation, PlainStructuresArePassedOn) {
  paging::TransferVirtual transfer{};
  transfer.TransferSizeInBytes = 0x3001;
  EXPECT_EQ(described(transfer).TransferVirtual.TransferSizeInBytes, 0x3001u);
  EXPECT_EQ(units_of(transfer), 4u);
  paging::FillVirtual fill{};
  fill.FillPattern = 9;
  EXPECT_EQ(described(fill).FillVirtual.FillPattern, 9u);
  paging::FlushTlb flush{};
  flush.EndVirtualAddress = 0x5000;
  EXPECT_EQ(described(flush).FlushTlb.EndVirtualAddress, 0x5000u);
  paging::NotifyResidency notify{};
  notify.Resident = 1;
  EXPECT_EQ(described(notify).NotifyResidency.Resident, 1u);
  paging::SignalMonitoredFence signal{};
  signal.MonitoredFenceValue = 42;
  EXPECT_EQ(described(signal).SignalMonitoredFence.MonitoredFenceValue, 42u);
}

TEST(PagingOperation, HasTheNameOfItsValue) {
  EXPECT_STREQ(name_of(paging::Transfer{}), "TRANSFER");
  EXPECT_STREQ(name_of(paging::FlushTlb{}), "FLUSH_TLB");
  EXPECT_STREQ(name_of(paging::SignalMonitoredFence{}), "SIGNAL_MONITORED_FENCE");
}

TEST(PagingOperation, OnlyTransfersAndDiscardsMayBeBusy) {
  EXPECT_TRUE(may_be_busy(paging::Transfer{}));
  EXPECT_TRUE(may_be_busy(paging::Discard{}));
  EXPECT_FALSE(may_be_busy(paging::Fill{}));
  EXPECT_FALSE(may_be_busy(paging::UnmapAperture{}));
}

// --- Cutting ---

MDL* const kMdls[] = {&g_mdl};

WholeTransfer to_system(uint64_t bytes) {
  WholeTransfer whole;
  whole.allocation = kAllocation;
  whole.bytes = bytes;
  whole.source = {2, {{0x10'0000, bytes}}, {}};
  whole.destination = {0, {}, kMdls};
  return whole;
}

TEST(Cut, OnePieceStartsAndEnds) {
  auto pieces = cut(to_system(0x3000), 0x10000);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].bytes, 0x3000u);
  EXPECT_TRUE(pieces[0].flags.TransferStart && pieces[0].flags.TransferEnd);
}

TEST(Cut, CountsOffsetAndMdlPagesAndLeavesTheAddress) {
  WholeTransfer whole = to_system(0x5800);
  whole.mdl_page = 10;
  whole.flags.Swizzle = 1;
  auto pieces = cut(whole, 0x2000);
  ASSERT_EQ(pieces.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces[i].allocation, kAllocation);
    EXPECT_EQ(pieces[i].offset, i * 0x2000);
    EXPECT_EQ(pieces[i].source.address, 0x10'0000u);
    EXPECT_EQ(pieces[i].destination.mdl, &g_mdl);
    EXPECT_EQ(pieces[i].mdl_page, 10 + i * 2);
    EXPECT_TRUE(pieces[i].flags.Swizzle);
    EXPECT_EQ(pieces[i].flags.TransferStart, i == 0);
    EXPECT_EQ(pieces[i].flags.TransferEnd, i == 2);
  }
  EXPECT_EQ(pieces[2].bytes, 0x1800u);
}

TEST(Cut, NothingIsOnePieceOfNothing) {
  auto pieces = cut(to_system(0), 0x1000);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].bytes, 0u);
  EXPECT_EQ(pieces[0].source.address, 0x10'0000u);
  EXPECT_TRUE(pieces[0].flags.TransferStart && pieces[0].flags.TransferEnd);
}

TEST(Cut, CountsBeyondFourGigabytesInTheAddress) {
  uint64_t gigabyte = uint64_t{1} << 30;
  auto pieces = cut(to_system(6 * gigabyte), gigabyte);
  ASSERT_EQ(pieces.size(), 6u);
  EXPECT_EQ(pieces[3].offset, 3 * gigabyte);
  EXPECT_EQ(pieces[5].offset, gigabyte);
  EXPECT_EQ(pieces[5].source.address, 0x10'0000u + 4 * gigabyte);
}

// System memory that is too large for one MDL: a piece ends where an MDL does, and is described by its page of that
// MDL.
TEST(Cut, NamesTheMdlThatAPieceLiesIn) {
  MDL second{};
  MDL* const mdls[] = {&g_mdl, &second};
  WholeTransfer whole = to_system(5 * base::kPageBytes);
  whole.destination = {0, {}, mdls, 3};
  auto pieces = cut(whole, 2 * base::kPageBytes);
  ASSERT_EQ(pieces.size(), 3u);
  MDL* const named[] = {&g_mdl, &g_mdl, &second};
  const uint64_t bytes[] = {2 * base::kPageBytes, base::kPageBytes, 2 * base::kPageBytes};
  const uint32_t pages[] = {0, 2, 0};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces[i].destination.mdl, named[i]);
    EXPECT_EQ(pieces[i].bytes, bytes[i]);
    EXPECT_EQ(pieces[i].mdl_page, pages[i]);
  }
  EXPECT_EQ(pieces[2].offset, 3 * base::kPageBytes);
}

TEST(Cut, FillsEachPieceForItself) {
  auto pieces = cut(paging::Fill{kAllocation, 0x2800, 5, 2, 0x10'0000}, 0x1000);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].address, 0x10'1000u);
  EXPECT_EQ(pieces[1].bytes, 0x1000u);
  EXPECT_EQ(pieces[2].address, 0x10'2000u);
  EXPECT_EQ(pieces[2].bytes, 0x800u);
  EXPECT_EQ(pieces[2].pattern, 5u);
}

// Where a byte of the allocation lies on one side, whichever way it is told.
uint64_t address_at(const std::vector<PagingExtent>& extents, uint64_t at) {
  for (const PagingExtent& extent : extents) {
    if (at < extent.bytes) return extent.address + at;
    at -= extent.bytes;
  }
  return 0;
}

std::vector<PagingExtent> random_extents(std::mt19937& random, uint64_t pages) {
  std::vector<PagingExtent> extents;
  uint64_t next = random() % 1000;
  while (pages > 0) {
    uint64_t take = random() % 2 ? pages : 1 + random() % pages;
    next += 1 + random() % 5;
    extents.push_back({next * base::kPageBytes, take * base::kPageBytes});
    next += take;
    pages -= take;
  }
  return extents;
}

TEST(Cut, MovesEveryPageOnceWhateverThePieces) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    uint64_t pages = 1 + random() % 40;
    WholeTransfer whole;
    whole.bytes = pages * base::kPageBytes;
    whole.source = {2, random_extents(random, pages), {}};
    bool system = random() % 2;
    if (system) {
      whole.destination = {0, {}, kMdls};
      whole.mdl_page = random() % 9;
    } else {
      whole.destination = {3, random_extents(random, pages), {}};
    }
    uint64_t most = (1 + random() % 10) * base::kPageBytes;
    auto pieces = cut(whole, most);
    uint64_t done = 0;
    for (const paging::Transfer& piece : pieces) {
      EXPECT_LE(piece.bytes, most);
      EXPECT_EQ(piece.flags.TransferStart, done == 0);
      for (uint64_t at = 0; at < piece.bytes; at += base::kPageBytes) {
        EXPECT_EQ(piece.source.address + piece.offset + at, address_at(whole.source.extents, done + at));
        if (system) {
          EXPECT_EQ(piece.mdl_page + at / base::kPageBytes, whole.mdl_page + (done + at) / base::kPageBytes);
        } else {
          EXPECT_EQ(piece.destination.address + piece.offset + at, address_at(whole.destination.extents, done + at));
        }
      }
      done += piece.bytes;
      EXPECT_EQ(piece.flags.TransferEnd, done == whole.bytes);
    }
    EXPECT_EQ(done, whole.bytes);
  }
}

}  // namespace
}  // namespace dxgk
