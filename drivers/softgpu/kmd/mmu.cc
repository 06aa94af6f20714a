#include "mmu.h"

#include "device.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

const DXGK_PTE& entry_at(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, UINT index) {
  return update.pPageTableEntries[update.Flags.Repeat ? 0 : index];
}

// At once: the tables of the paging process, which nothing uses while they change.
void update_by_cpu(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
  UINT64* table = static_cast<UINT64*>(update.PageTableAddress.CpuVirtual) + update.StartIndex;
  for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
    table[i] = hardware_entry(entry_at(update, i), update.PageTableLevel);
  }
}

UINT64 table_address(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
  if (update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) return update.PageTableAddress.GpuVirtual;
  const D3DGPU_PHYSICAL_ADDRESS& physical = update.PageTableAddress.GpuPhysical;
  return softgpu_segment_address(physical.SegmentId, physical.SegmentOffset);
}

NTSTATUS repeat_entry(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, CommandWriter& writer, UINT64 address) {
  auto* packet =
      writer.add<SOFTGPU_WRITE_PTES>(SOFTGPU_CMD_WRITE_PTES, SOFTGPU_FLAG_REPEAT, update.NumPageTableEntries, 1);
  if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  packet->address = address;
  *CommandWriter::behind(packet) = hardware_entry(entry_at(update, 0), update.PageTableLevel);
  return STATUS_SUCCESS;
}

}  // namespace

// An entry of a table counts 4 KiB pages of its segment, or of physical memory if that is 0: as the hardware does.
UINT64 hardware_entry(const DXGK_PTE& entry, UINT level) {
  if (!entry.Valid) return 0;
  UINT64 flags = SOFTGPU_PTE_VALID;
  if (entry.Zero) return flags | SOFTGPU_PTE_ZERO;
  if (entry.CacheCoherent) flags |= SOFTGPU_PTE_COHERENT;
  if (entry.ReadOnly) flags |= SOFTGPU_PTE_READONLY;
  if (entry.NoExecute) flags |= SOFTGPU_PTE_NOEXEC;
  if (level == 1 && entry.LargePage) flags |= SOFTGPU_PTE_LARGE;
  if (level == 1 && !entry.LargePage && entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB) {
    flags |= SOFTGPU_PTE_TABLE_64K;
  }
  return softgpu_pte(entry.Segment, entry.PageAddress, flags);
}

NTSTATUS update_page_table(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, CommandWriter& writer, UINT& done) {
  if (update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
    update_by_cpu(update);
    return STATUS_SUCCESS;
  }
  UINT64 first = table_address(update) + update.StartIndex * sizeof(UINT64);
  if (update.NumPageTableEntries == 0) return STATUS_SUCCESS;
  if (update.Flags.Repeat) return repeat_entry(update, writer, first);
  while (done < update.NumPageTableEntries) {
    UINT count = lesser<UINT>(update.NumPageTableEntries - done, SOFTGPU_WRITE_PTES_MAX);
    count = lesser(count, writer.room_behind<SOFTGPU_WRITE_PTES>());
    if (count == 0) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    auto* packet = writer.add<SOFTGPU_WRITE_PTES>(SOFTGPU_CMD_WRITE_PTES, 0, count, count);
    packet->address = first + done * sizeof(UINT64);
    for (UINT i = 0; i < count; ++i) {
      CommandWriter::behind(packet)[i] = hardware_entry(entry_at(update, done + i), update.PageTableLevel);
    }
    done += count;
  }
  return STATUS_SUCCESS;
}

NTSTATUS copy_page_table_entries(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES& copy, CommandWriter& writer,
                                 UINT& done) {
  for (; done < copy.NumRanges; ++done) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE& range = copy.pRanges[done];
    auto* packet = writer.add<SOFTGPU_COPY>(SOFTGPU_CMD_COPY, 0, 0);
    if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    packet->source = range.SrcPageTableAddress + range.SrcStartPteIndex * sizeof(UINT64);
    packet->destination = range.DstPageTableAddress + range.DstStartPteIndex * sizeof(UINT64);
    packet->bytes = range.NumPageTableEntries * sizeof(UINT64);
  }
  return STATUS_SUCCESS;
}

// The context is idle: its next submission takes the root along.
void set_root_page_table(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable) {
  PAGED_CODE();
  Context& context = *static_cast<Context*>(pSetPageTable->hContext);
  context.root = softgpu_segment_address(pSetPageTable->Address.SegmentId, pSetPageTable->Address.SegmentOffset);
  context.root_entries = pSetPageTable->NumEntries;
}

// With four levels the root does not grow.
SIZE_T get_root_page_table_size(IN_CONST_HANDLE, INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs) {
  PAGED_CODE();
  pArgs->NumberOfPte = SOFTGPU_TABLE_ENTRIES;
  return SOFTGPU_TABLE_BYTES;
}

}  // namespace softgpu
