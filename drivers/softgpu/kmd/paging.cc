// DxgkDdiBuildPagingBuffer: the memory manager's operations as packets for the paging engine.
//
// The only failure is STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER: what was written so far is run, and the same operation
// comes again with a new buffer and MultipassOffset as it was left. Here that counts the pages, entries or units of 4
// KiB that are done.
#include "adapter.h"
#include "context_image.h"
#include "driver.h"
#include "mmu.h"
#include "writer.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT64 kPage = SOFTGPU_PAGE_BYTES;
constexpr UINT kMaxPages = SOFTGPU_OPERAND_MAX_BYTES / SOFTGPU_PAGE_BYTES;

UINT pages_of(UINT64 bytes) { return static_cast<UINT>((bytes + kPage - 1) / kPage); }

// --- Between two addresses ---

NTSTATUS copy(CommandWriter& writer, UINT64 source, UINT64 destination, UINT64 bytes, UINT& done) {
  while (done < pages_of(bytes)) {
    auto* packet = writer.add<SOFTGPU_COPY>(SOFTGPU_CMD_COPY, 0, 0);
    if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    packet->source = source + done * kPage;
    packet->destination = destination + done * kPage;
    packet->bytes = lesser<UINT64>(bytes - done * kPage, SOFTGPU_OPERAND_MAX_BYTES);
    done += lesser(pages_of(bytes) - done, kMaxPages);
  }
  return STATUS_SUCCESS;
}

NTSTATUS fill(CommandWriter& writer, UINT64 destination, UINT64 bytes, UINT pattern, UINT& done) {
  while (done < pages_of(bytes)) {
    auto* packet = writer.add<SOFTGPU_FILL>(SOFTGPU_CMD_FILL, 0, pattern);
    if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    packet->destination = destination + done * kPage;
    packet->bytes = lesser<UINT64>(bytes - done * kPage, SOFTGPU_OPERAND_MAX_BYTES);
    done += lesser(pages_of(bytes) - done, kMaxPages);
  }
  return STATUS_SUCCESS;
}

// --- Between an address and locked pages ---

struct LockedPages {
  const PFN_NUMBER* frames;  // of the page where the transfer begins
  UCHAR flags;               // SOFTGPU_FLAG_TO_PAGES if they are the destination
};

NTSTATUS copy_pages(CommandWriter& writer, UINT64 linear, const LockedPages& pages, UINT64 bytes, UINT& done) {
  while (done < pages_of(bytes)) {
    UINT count = lesser<UINT>(pages_of(bytes) - done, SOFTGPU_COPY_PAGES_MAX);
    count = lesser(count, writer.room_behind<SOFTGPU_COPY_PAGES>());
    if (count == 0) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    auto* packet = writer.add<SOFTGPU_COPY_PAGES>(SOFTGPU_CMD_COPY_PAGES, pages.flags, 0, count);
    packet->linear = linear + done * kPage;
    packet->bytes = lesser<UINT64>(bytes - done * kPage, count * kPage);
    for (UINT i = 0; i < count; ++i) {
      CommandWriter::behind(packet)[i] = softgpu_address(SOFTGPU_SPACE_SYSTEM, pages.frames[done + i] * kPage);
    }
    done += count;
  }
  return STATUS_SUCCESS;
}

// TransferOffset is for the side in a segment, MdlOffset (pages) for the locked one. A size of 0 is the notice that the
// content was lost.
NTSTATUS transfer(const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer, UINT& done) {
  const auto& t = args.Transfer;
  if (t.TransferSize == 0) return STATUS_SUCCESS;
  auto address = [&t](const auto& side) {
    return softgpu_segment_address(side.SegmentId,
                                   static_cast<UINT64>(side.SegmentAddress.QuadPart) + t.TransferOffset);
  };
  if (t.Source.SegmentId == SOFTGPU_SEGMENT_SYSTEM) {
    LockedPages pages = {MmGetMdlPfnArray(t.Source.pMdl) + t.MdlOffset, 0};
    return copy_pages(writer, address(t.Destination), pages, t.TransferSize, done);
  }
  if (t.Destination.SegmentId == SOFTGPU_SEGMENT_SYSTEM) {
    LockedPages pages = {MmGetMdlPfnArray(t.Destination.pMdl) + t.MdlOffset, SOFTGPU_FLAG_TO_PAGES};
    return copy_pages(writer, address(t.Source), pages, t.TransferSize, done);
  }
  return copy(writer, address(t.Source), address(t.Destination), t.TransferSize, done);
}

// --- The aperture ---

// Without a DMA buffer it happens at once, by the CPU. `frame_at` gives the physical address of a page.
template <typename FrameAt>
NTSTATUS write_aperture(Adapter& adapter, const DXGKARG_BUILDPAGINGBUFFER& args, SIZE_T offset, SIZE_T pages,
                        FrameAt frame_at, CommandWriter& writer, UINT& done) {
  if (args.pDmaBuffer == nullptr) {
    for (SIZE_T i = 0; i < pages; ++i) adapter.aperture[offset + i] = softgpu_aperture_entry(frame_at(i));
    return STATUS_SUCCESS;
  }
  UINT64 table = softgpu_address(SOFTGPU_SPACE_SYSTEM, static_cast<UINT64>(adapter.aperture_physical.QuadPart));
  while (done < pages) {
    UINT count = static_cast<UINT>(lesser<SIZE_T>(pages - done, SOFTGPU_WRITE_PTES_MAX));
    count = lesser(count, writer.room_behind<SOFTGPU_WRITE_PTES>());
    if (count == 0) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    auto* packet = writer.add<SOFTGPU_WRITE_PTES>(SOFTGPU_CMD_WRITE_PTES, 0, count, count);
    packet->address = table + (offset + done) * sizeof(UINT64);
    for (UINT i = 0; i < count; ++i) CommandWriter::behind(packet)[i] = softgpu_aperture_entry(frame_at(done + i));
    done += count;
  }
  return STATUS_SUCCESS;
}

NTSTATUS map_aperture(Adapter& adapter, const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer, UINT& done) {
  const auto& map = args.MapApertureSegment;
  const PFN_NUMBER* frames = MmGetMdlPfnArray(map.pMdl) + map.MdlOffset;
  auto frame_at = [frames](SIZE_T page) { return frames[page] * kPage; };
  return write_aperture(adapter, args, map.OffsetInPages, map.NumberOfPages, frame_at, writer, done);
}

NTSTATUS unmap_aperture(Adapter& adapter, const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer, UINT& done) {
  const auto& unmap = args.UnmapApertureSegment;
  UINT64 dummy = static_cast<UINT64>(unmap.DummyPage.QuadPart);
  auto frame_at = [dummy](SIZE_T) { return dummy; };
  return write_aperture(adapter, args, unmap.OffsetInPages, unmap.NumberOfPages, frame_at, writer, done);
}

// --- Small ones ---

// Of every address space: which engine has this one at the moment is the rings' business. Without a DMA buffer at once.
NTSTATUS flush_tlb(const Adapter& adapter, const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer) {
  const DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush = args.FlushTlb;
  if (args.pDmaBuffer == nullptr) {
    adapter.registers.write(SOFTGPU_REG_TLB_INVALIDATE, SOFTGPU_TLB_ALL);
    return STATUS_SUCCESS;
  }
  auto* packet = writer.add<SOFTGPU_TLB_FLUSH>(SOFTGPU_CMD_TLB_FLUSH, 0, SOFTGPU_TLB_ALL);
  if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  packet->first = flush.StartVirtualAddress;
  packet->bytes = flush.EndVirtualAddress - flush.StartVirtualAddress;
  return STATUS_SUCCESS;
}

NTSTATUS signal_fence(const DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE& signal, CommandWriter& writer) {
  auto* packet = writer.add<SOFTGPU_SIGNAL>(SOFTGPU_CMD_SIGNAL, SOFTGPU_FLAG_INTERRUPT, 0);
  if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  packet->address = signal.MonitoredFenceGpuVa;
  packet->value = signal.MonitoredFenceValue;
  return STATUS_SUCCESS;
}

NTSTATUS build(Adapter& adapter, const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer, UINT& done) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return transfer(args, writer, done);
    case DXGK_OPERATION_FILL:
      return fill(writer,
                  softgpu_segment_address(args.Fill.Destination.SegmentId,
                                          static_cast<UINT64>(args.Fill.Destination.SegmentAddress.QuadPart)),
                  args.Fill.FillSize, args.Fill.FillPattern, done);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return map_aperture(adapter, args, writer, done);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return unmap_aperture(adapter, args, writer, done);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return copy(writer, args.TransferVirtual.SourceVirtualAddress, args.TransferVirtual.DestinationVirtualAddress,
                  args.TransferVirtual.TransferSizeInBytes, done);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return fill(writer, args.FillVirtual.DestinationVirtualAddress, args.FillVirtual.FillSizeInBytes,
                  args.FillVirtual.FillPattern, done);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return update_page_table(args.UpdatePageTable, writer, done);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return copy_page_table_entries(args.CopyPageTableEntries, writer, done);
    case DXGK_OPERATION_FLUSH_TLB:
      return flush_tlb(adapter, args, writer);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      return signal_fence(args.SignalMonitoredFence, writer);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
      return init_image(args, writer);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
      return update_image(args.UpdateContextAllocation, writer);
    default:
      return STATUS_SUCCESS;  // notices, and requests about caches and swizzling, of which there are none
  }
}

}  // namespace

NTSTATUS build_paging_buffer(IN_CONST_HANDLE hAdapter, IN_PDXGKARG_BUILDPAGINGBUFFER pBuildPagingBuffer) {
  PAGED_CODE();
  DXGKARG_BUILDPAGINGBUFFER& args = *pBuildPagingBuffer;
  CommandWriter writer(args.pDmaBuffer, args.DmaSize);
  follow_image(args);
  NTSTATUS status = build(adapter_of(hAdapter), args, writer, args.MultipassOffset);
  args.pDmaBuffer = writer.at();
  return status;
}

}  // namespace softgpu
