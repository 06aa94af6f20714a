#include "softgpu/hw/mmu.h"

#include <algorithm>

namespace softgpu {
namespace {

constexpr uint64_t kPageFlags = SOFTGPU_PTE_READONLY | SOFTGPU_PTE_NOEXEC | SOFTGPU_PTE_ZERO;

// The 4 KiB page inside of a larger one.
Translation page_of(uint64_t entry, uint64_t virtual_address, uint64_t page_bytes) {
  uint64_t within = virtual_address & (page_bytes - 1) & ~uint64_t{SOFTGPU_PAGE_BYTES - 1};
  return {softgpu_segment_address(softgpu_pte_segment(entry), (entry & SOFTGPU_PTE_FRAME_MASK) + within),
          entry & kPageFlags};
}

bool aligned(uint64_t entry, uint64_t page_bytes) {
  return entry & SOFTGPU_PTE_ZERO || (entry & SOFTGPU_PTE_FRAME_MASK) % page_bytes == 0;
}

}  // namespace

void Mmu::reset() {
  roots_.fill(Root{});
  tlb_.flush(SOFTGPU_TLB_ALL);
}

void Mmu::set_root(uint32_t vmid, const Root& root) {
  roots_[vmid] = {root.address, std::min(root.entries, SOFTGPU_TABLE_ENTRIES)};
}

Outcome Mmu::translate(uint32_t vmid, uint64_t virtual_address, Access access, Translation* translation) {
  if (!features_.has(SOFTGPU_FEATURE_MMU)) return Fault{SOFTGPU_FAULT_ADDRESS, access, virtual_address};

  uint64_t page = virtual_address >> SOFTGPU_PAGE_SHIFT;
  if (auto known = tlb_.find(vmid, page)) {
    *translation = *known;
  } else {
    if (Outcome fault = walk(vmid, virtual_address, access, translation)) return fault;
    tlb_.insert(vmid, page, *translation);
  }

  if (access == Access::Write && translation->flags & SOFTGPU_PTE_READONLY)
    return Fault{SOFTGPU_FAULT_READ_ONLY, access, virtual_address};
  if (access == Access::Execute && translation->flags & SOFTGPU_PTE_NOEXEC)
    return Fault{SOFTGPU_FAULT_NO_EXECUTE, access, virtual_address};
  return {};
}

bool Mmu::well_formed(uint64_t entry, uint32_t level) const {
  uint64_t forbidden = SOFTGPU_PTE_RESERVED_MASK;
  if (level != 1 || !features_.has(SOFTGPU_FEATURE_LARGE_PAGES)) forbidden |= SOFTGPU_PTE_LARGE;
  if (level != 1 || !features_.has(SOFTGPU_FEATURE_64K_PAGES)) forbidden |= SOFTGPU_PTE_TABLE_64K;
  if (entry & forbidden) return false;
  if (entry & SOFTGPU_PTE_LARGE && entry & SOFTGPU_PTE_TABLE_64K) return false;

  bool is_table = level != 0 && !(entry & SOFTGPU_PTE_LARGE);
  uint32_t segment = softgpu_pte_segment(entry);
  return segment < SOFTGPU_SEGMENT_APERTURE || (segment == SOFTGPU_SEGMENT_APERTURE && !is_table);
}

Outcome Mmu::walk(uint32_t vmid, uint64_t virtual_address, Access access, Translation* translation) {
  const Root& root = roots_[vmid];
  uint32_t level = SOFTGPU_LEVELS - 1;
  auto fault = [&](uint32_t kind) { return Fault{kind, access, virtual_address, level}; };
  if (softgpu_table_index(virtual_address, level) >= root.entries) return fault(SOFTGPU_FAULT_NOT_PRESENT);
  if (root.address % SOFTGPU_TABLE_BYTES != 0) return fault(SOFTGPU_FAULT_ADDRESS);

  uint64_t table = root.address;
  uint64_t leaf_page_bytes = SOFTGPU_PAGE_BYTES;
  for (;; --level) {
    uint64_t index = softgpu_table_index(virtual_address, level);
    if (level == 0) index /= leaf_page_bytes / SOFTGPU_PAGE_BYTES;
    uint64_t entry = 0;
    if (Outcome unreachable = memory_.read(table + index * 8, &entry, sizeof(entry), access)) return unreachable;
    if (!(entry & SOFTGPU_PTE_VALID)) return fault(SOFTGPU_FAULT_NOT_PRESENT);
    if (!well_formed(entry, level)) return fault(SOFTGPU_FAULT_ENTRY);

    if (level == 0 || entry & SOFTGPU_PTE_LARGE) {
      uint64_t page_bytes = level == 0 ? leaf_page_bytes : SOFTGPU_PAGE_2M_BYTES;
      if (!aligned(entry, page_bytes)) return fault(SOFTGPU_FAULT_ENTRY);
      *translation = page_of(entry, virtual_address, page_bytes);
      return {};
    }
    if (entry & SOFTGPU_PTE_TABLE_64K) leaf_page_bytes = SOFTGPU_PAGE_64K_BYTES;
    table = softgpu_segment_address(softgpu_pte_segment(entry), entry & SOFTGPU_PTE_FRAME_MASK);
  }
}

}  // namespace softgpu
