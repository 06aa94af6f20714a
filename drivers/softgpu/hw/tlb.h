#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// What a walk of the page tables found for one page of 4 KiB.
struct Translation {
  uint64_t address = 0;  // physical, of the page's first byte
  uint64_t flags = 0;    // READONLY, NOEXEC and ZERO of SOFTGPU_PTE_…
};

// A few translations that are kept until they are pushed out or flushed, right or wrong: a driver that forgets to flush
// after it changed an entry reaches the old page. Owned by the MMU.
class Tlb {
 public:
  // Both by the page's number, the virtual address without its lower 12 bits.
  std::optional<Translation> find(uint32_t vmid, uint64_t page);
  void insert(uint32_t vmid, uint64_t page, const Translation& translation);

  // SOFTGPU_TLB_ALL for any VMID.
  void flush(uint32_t vmid);
  void flush(uint32_t vmid, uint64_t first_page, uint64_t page_count);

  uint32_t hits() const { return hits_; }
  uint32_t misses() const { return misses_; }

 private:
  struct Entry {
    bool used = false;
    uint32_t vmid = 0;
    uint64_t page = 0;
    Translation translation;
  };

  std::array<Entry, SOFTGPU_TLB_ENTRIES> entries_;
  uint32_t next_ = 0;  // replaced in turn
  uint32_t hits_ = 0;
  uint32_t misses_ = 0;
};

}  // namespace softgpu
