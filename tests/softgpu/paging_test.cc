// Paging operations, from the memory manager's words to bytes in memory.
#include <cstring>

#include "nt/store/registry.h"
#include "softgpu/driver_fixture.h"

namespace softgpu {
namespace {

class PagingTest : public DriverTest {
 protected:
  static constexpr uint64_t kPage = SOFTGPU_PAGE_BYTES;
  static constexpr uint64_t kSource = 0x8000, kBack = 0x10000, kPages = 5;

  static DXGKARG_BUILDPAGINGBUFFER transfer(uint64_t first_page, uint64_t pages) {
    DXGKARG_BUILDPAGINGBUFFER args = {};
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer.TransferOffset = static_cast<UINT>(first_page * kPage);
    args.Transfer.TransferSize = pages * kPage;
    args.Transfer.MdlOffset = static_cast<UINT>(first_page);
    return args;
  }
  // Pages of system memory to an allocation that lies at `address`, or back.
  static uint32_t page_in(TestKernel& kernel, int64_t address, uint64_t first_page, uint64_t pages, uint32_t room) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(first_page, pages);
    args.Transfer.Source.pMdl = kernel.mdl(kSource, kPages * kPage);
    args.Transfer.Destination.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    args.Transfer.Destination.SegmentAddress.QuadPart = address;
    return kernel.page(args, room);
  }
  static uint32_t page_out(TestKernel& kernel, uint32_t segment, int64_t address, uint32_t room = 0x1000) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(0, kPages);
    args.Transfer.Source.SegmentId = segment;
    args.Transfer.Source.SegmentAddress.QuadPart = address;
    args.Transfer.Destination.pMdl = kernel.mdl(kBack, kPages * kPage);
    return kernel.page(args, room);
  }
  static void fill_source(TestKernel& kernel) {
    for (uint64_t i = 0; i < kPages * kPage; i += 8) kernel.at(kSource + i) = i * 0x9E3779B97F4A7C15;
  }
  static bool same(TestKernel& kernel) {
    return std::memcmp(&kernel.at(kSource), &kernel.at(kBack), kPages * kPage) == 0;
  }
};

TEST_F(PagingTest, TransfersGoOnInTheNextBuffer) {
  for (uint32_t room : {32u, 40u, 56u, 0x1000u}) {
    SCOPED_TRACE(room);
    on_physical([room](TestKernel& kernel) {
      fill_source(kernel);
      uint32_t buffers = page_in(kernel, 0x3000, 0, kPages, room);
      EXPECT_EQ(buffers, room == 32 ? 5u : room == 40 ? 3u : room == 56 ? 2u : 1u);
      EXPECT_EQ(page_out(kernel, SOFTGPU_SEGMENT_LOCAL, 0x3000, room), buffers);
      EXPECT_TRUE(same(kernel));
    });
  }
}

TEST_F(PagingTest, ATransferComesInParts) {
  on_physical([](TestKernel& kernel) {
    fill_source(kernel);
    page_in(kernel, 0x3000, 0, 2, 0x1000);
    page_in(kernel, 0x3000, 2, 1, 0x1000);
    page_in(kernel, 0x3000, 3, 2, 0x1000);
    page_out(kernel, SOFTGPU_SEGMENT_LOCAL, 0x3000);
    EXPECT_TRUE(same(kernel));
  });
}

TEST_F(PagingTest, TransfersBetweenSegments) {
  on_physical([](TestKernel& kernel) {
    fill_source(kernel);
    page_in(kernel, 0x3000, 0, kPages, 0x1000);
    DXGKARG_BUILDPAGINGBUFFER args = transfer(0, kPages);
    args.Transfer.Source.SegmentId = args.Transfer.Destination.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    args.Transfer.Source.SegmentAddress.QuadPart = 0x3000;
    args.Transfer.Destination.SegmentAddress.QuadPart = 0x40000;
    kernel.page(args);
    page_out(kernel, SOFTGPU_SEGMENT_LOCAL, 0x40000);
    EXPECT_TRUE(same(kernel));
  });
}

TEST_F(PagingTest, TheApertureLeadsToItsPagesAndThenToTheDummy) {
  on_physical([](TestKernel& kernel) {
    constexpr uint64_t kDummy = 0x1F000;
    fill_source(kernel);
    DXGKARG_BUILDPAGINGBUFFER map = {};
    map.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    map.MapApertureSegment.SegmentId = SOFTGPU_SEGMENT_APERTURE;
    map.MapApertureSegment.OffsetInPages = 9;
    map.MapApertureSegment.NumberOfPages = kPages;
    map.MapApertureSegment.pMdl = kernel.mdl(kSource, kPages * kPage);
    EXPECT_EQ(kernel.page(map, 32), 3u);  // two entries a buffer
    page_out(kernel, SOFTGPU_SEGMENT_APERTURE, 9 * kPage);
    EXPECT_TRUE(same(kernel));

    DXGKARG_BUILDPAGINGBUFFER unmap = {};
    unmap.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    unmap.UnmapApertureSegment.SegmentId = SOFTGPU_SEGMENT_APERTURE;
    unmap.UnmapApertureSegment.OffsetInPages = 9;
    unmap.UnmapApertureSegment.NumberOfPages = kPages;
    unmap.UnmapApertureSegment.DummyPage.QuadPart = static_cast<LONGLONG>(kernel.physical(kDummy));
    kernel.page(unmap);
    kernel.at(kDummy) = 0xD0;
    page_out(kernel, SOFTGPU_SEGMENT_APERTURE, 9 * kPage);
    for (uint64_t page = 0; page < kPages; ++page) EXPECT_EQ(kernel.at(kBack + page * kPage), 0xD0u);
  });
}

TEST_F(PagingTest, VirtualTransfersAndFills) {
  on_virtual([](TestKernel& kernel) {
    fill_source(kernel);
    DXGKARG_BUILDPAGINGBUFFER args = {};
    args.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    args.TransferVirtual.SourceVirtualAddress = kernel.gpu(kSource);
    args.TransferVirtual.DestinationVirtualAddress = kernel.gpu(kBack);
    args.TransferVirtual.TransferSizeInBytes = kPages * kPage;
    kernel.page(args);
    EXPECT_TRUE(same(kernel));
    args = {};
    args.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    args.FillVirtual.DestinationVirtualAddress = kernel.gpu(kBack);
    args.FillVirtual.FillSizeInBytes = kPage;
    args.FillVirtual.FillPattern = 0x01020304;
    kernel.page(args);
    EXPECT_EQ(kernel.at(kBack + kPage - 8), 0x0102030401020304u);
    EXPECT_EQ(kernel.at(kBack + kPage), kernel.at(kSource + kPage));
  });
}

// Entries by the GPU, then what the TLB had of them is dropped: a new page is seen.
TEST_F(PagingTest, PageTablesAreUpdatedAndFlushed) {
  on_virtual([](TestKernel& kernel) {
    kernel.at(kSource) = 1;
    kernel.at(kSource + kPage) = 2;
    DXGK_PTE entry = {};
    entry.Valid = 1;
    entry.PageAddress = kernel.physical(kSource + kPage) / kPage;
    DXGKARG_BUILDPAGINGBUFFER args = {};
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentId = SOFTGPU_SEGMENT_SYSTEM;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset = kernel.physical(3 * kPage);
    args.UpdatePageTable.StartIndex = kSource / kPage;
    args.UpdatePageTable.NumPageTableEntries = 1;
    args.UpdatePageTable.pPageTableEntries = &entry;
    kernel.page(args);
    HANDLE context = kernel.create_context(kRender);
    auto look = [&](uint32_t fence) {
      kernel.submit(context, fence,
                    [&](SOFTGPU_BUILDER& b) { softgpu_add_copy(&b, kernel.gpu(kSource), kernel.gpu(kBack), 8); });
      kernel.wait();
      return kernel.at(kBack);
    };
    EXPECT_EQ(look(1), 2u);

    // Without a buffer it happens at once, by the CPU.
    entry.PageAddress = kernel.physical(kSource) / kPage;
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    args.UpdatePageTable.PageTableAddress.CpuVirtual = &kernel.at(3 * kPage);
    EXPECT_EQ(kernel.call(kernel.table().DxgkDdiBuildPagingBuffer, kernel.adapter(), &args), STATUS_SUCCESS);
    DXGKARG_BUILDPAGINGBUFFER flush = {};
    flush.Operation = DXGK_OPERATION_FLUSH_TLB;
    EXPECT_EQ(kernel.call(kernel.table().DxgkDdiBuildPagingBuffer, kernel.adapter(), &flush), STATUS_SUCCESS);
    EXPECT_EQ(look(2), 1u);
    kernel.destroy_context(context);
  });
}

// --- How much memory there is ---

TEST_F(PagingTest, MemoryCanBeMadeSmaller) {
  before_start = [](nt::Machine& machine) {
    constexpr char16_t kKey[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";
    ASSERT_TRUE(machine.registry().set_dword(kKey, u"LocalBytes", 0x200000).ok());
    ASSERT_TRUE(machine.registry().set_dword(kKey, u"ApertureBytes", 0x100001).ok());  // no page multiple
  };
  on_each([](TestKernel& kernel) {
    SOFTGPU_ADAPTER answer = {};
    DXGKARG_QUERYADAPTERINFO query = {};
    query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
    query.pOutputData = &answer;
    query.OutputDataSize = sizeof(answer);
    EXPECT_EQ(kernel.call(kernel.table().DxgkDdiQueryAdapterInfo, kernel.adapter(), &query), STATUS_SUCCESS);
    EXPECT_EQ(answer.local_bytes, 0x200000u);
    EXPECT_EQ(answer.aperture_bytes, 0x4000000u);
  });
}

}  // namespace
}  // namespace softgpu
