#include "softgpu/hw/tlb.h"

namespace softgpu {

std::optional<Translation> Tlb::find(uint32_t vmid, uint64_t page) {
  for (const Entry& entry : entries_) {
    if (entry.used && entry.vmid == vmid && entry.page == page) {
      ++hits_;
      return entry.translation;
    }
  }
  ++misses_;
  return {};
}

void Tlb::insert(uint32_t vmid, uint64_t page, const Translation& translation) {
  entries_[next_] = {true, vmid, page, translation};
  next_ = (next_ + 1) % SOFTGPU_TLB_ENTRIES;
}

void Tlb::flush(uint32_t vmid) { flush(vmid, 0, UINT64_MAX); }

void Tlb::flush(uint32_t vmid, uint64_t first_page, uint64_t page_count) {
  for (Entry& entry : entries_) {
    bool same_space = vmid == SOFTGPU_TLB_ALL || entry.vmid == vmid;
    if (same_space && entry.page >= first_page && entry.page - first_page < page_count) entry.used = false;
  }
}

}  // namespace softgpu
