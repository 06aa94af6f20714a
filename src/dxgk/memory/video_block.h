#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/km/wdm.h"
#include "base/result.h"
#include "dxgk/adapter/adapter_caps.h"
#include "vidmm/address/mapping.h"
#include "vidmm/backing/backing.h"
#include "vidmm/backing/cpu_view.h"
#include "vidmm/manager/block.h"

namespace nt {
class Machine;
}

namespace dxgk {

class ContextAllocation;

// The physical pages of some memory, held so that a device may reach them, and the MDLs that describe them to drivers:
// one, or several where the memory is too large for the byte count of an MDL, which has 32 bits. Owned by its block;
// the memory's lock.
class SystemPages {
 public:
  SystemPages() = default;
  ~SystemPages();
  SystemPages(const SystemPages&) = delete;
  SystemPages& operator=(const SystemPages&) = delete;

  static constexpr uint64_t kMostOfMdl = uint64_t{1} << 31;  // bytes

  base::Result<> hold(nt::Machine& machine, void* address, uint64_t bytes, uint64_t most_of_mdl = kMostOfMdl);
  bool held() const { return !mdls_.empty(); }
  // Each but the last describes mdl_pages() pages.
  std::span<MDL* const> mdls() const { return mdls_; }
  uint64_t mdl_pages() const { return mdl_pages_; }
  uint64_t count() const { return count_; }
  uint64_t page(uint64_t index) const;  // its number
  void* address() const { return address_; }

 private:
  nt::Machine* machine_ = nullptr;
  void* address_ = nullptr;
  uint64_t count_ = 0;
  uint64_t mdl_pages_ = 0;
  std::vector<MDL*> mdls_;
};

// D3DDDI_SEGMENTPREFERENCE and DXGK_SEGMENTPREFERENCE: five bits and a direction for each of five.
inline std::array<vidmm::SegmentPreference, vidmm::kPreferences> preferences_of(uint32_t value,
                                                                                const AdapterCaps& caps) {
  std::array<vidmm::SegmentPreference, vidmm::kPreferences> preferences;
  for (uint32_t i = 0; i < vidmm::kPreferences; ++i) {
    uint32_t bits = value >> (6 * i);
    preferences[i] = {caps.described_segment(bits & 0x1F), (bits & 0x20) != 0};
  }
  return preferences;
}

// What the video memory manager has of an allocation, a context allocation or a page table. Made when the GPU first
// needs it, owned by that object; the memory's lock.
class VideoBlock final : public vidmm::Mapped {
 public:
  VideoBlock(const vidmm::BlockTraits& traits, uint32_t ordinal, HANDLE handle, vidmm::Backing& bytes)
      : vidmm::Mapped(traits.bytes), block(traits, ordinal, this), driver_handle(handle), backing(bytes) {}

  static VideoBlock& of(const vidmm::Block& block) { return *static_cast<VideoBlock*>(block.owner()); }

  vidmm::Block block;
  // The handle in paging operations: null for page tables, and for what the driver has released. The paging mutex.
  HANDLE driver_handle;
  vidmm::Backing& backing;
  SystemPages pages;                           // of the backing
  std::unique_ptr<vidmm::CpuView> cpu_view;    // where a program sees what it locks in a memory segment
  uint64_t last_work = 0;                      // the last paging work that names it
  bool released = false;                       // the manager has forgotten it
  ContextAllocation* context_owner = nullptr;  // of a context allocation
  bool page_table = false;                     // its bytes are never moved: they are written anew
};

}  // namespace dxgk
