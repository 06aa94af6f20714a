#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "abi/km/d3dkmddi_caps.h"
#include "abi/shared/d3dukmdt_residency.h"
#include "base/check.h"
#include "vidmm/address/page_tables.h"

namespace vidmm {

// What one call puts at [va, end): nothing, zeros, or pages. Lives for that call.
class PageContent {
 public:
  enum class Kind : uint8_t { Invalid, Zero, Pages };

  PageContent(const DXGK_GPUMMUCAPS& caps, Kind kind, uint64_t va, uint64_t bytes)
      : caps_(caps), kind_(kind), va_(va), end_(va + bytes) {}
  PageContent(const DXGK_GPUMMUCAPS& caps, uint64_t va, uint64_t bytes, std::span<const PageRun> runs,
              const VaProtection& protection)
      : caps_(caps), kind_(Kind::Pages), va_(va), end_(va + bytes), runs_(runs), protection_(protection), run_va_(va) {}

  Kind kind() const { return kind_; }
  uint64_t va() const { return va_; }
  uint64_t end() const { return end_; }
  uint64_t driver_protection() const { return protection_.driver_protection; }

  // The entry of a leaf (or a large page) that begins at `va`.
  DXGK_PTE entry(uint64_t va) {
    DXGK_PTE entry{};
    if (kind_ == Kind::Invalid) return entry;
    entry.Valid = 1;
    entry.Zero = kind_ == Kind::Zero;
    if (kind_ == Kind::Zero) return entry;
    const PageRun& run = seek(va);
    entry.CacheCoherent = run.cache_coherent && caps_.CacheCoherentMemorySupported;
    entry.ReadOnly = !protection_.write && caps_.ReadOnlyMemorySupported;
    entry.NoExecute = !protection_.execute && caps_.NoExecuteMemorySupported;
    entry.Segment = run.segment & 31;
    entry.PhysicalAdapterIndex = run.adapter & 63;
    entry.PageAddress = run.page + (va - run_va_) / kPageBytes;
    return entry;
  }

  // Whether one large entry can stand for the `bytes` at `va`, all of them given. Driver protections exist in leaf
  // entries alone, so such a range has no large pages.
  bool large(uint64_t va, uint64_t bytes) {
    if (kind_ != Kind::Pages || !caps_.LargePageSupported || protection_.driver_protection) return false;
    const PageRun& run = seek(va);
    if (!run.large || (run.segment == 0 && !caps_.SysMemLargePageSupported)) return false;
    uint64_t page = run.page + (va - run_va_) / kPageBytes;
    if (page % (bytes / kPageBytes) && !caps_.AllowNonAlignedLargePageAddress) return false;
    return run_va_ + run.count * kPageBytes - va >= bytes;
  }

  // Whether [va, va_end) can be made of 64 KiB pages. Addresses without memory can wherever they are aligned.
  bool pages_64k(uint64_t va, uint64_t va_end) {
    if (caps_.LeafPageTableSizeFor64KPagesInBytes == 0) return false;
    if (va % kBigPageBytes || va_end % kBigPageBytes) return false;
    if (kind_ != Kind::Pages) return true;
    while (va < va_end) {
      const PageRun& run = seek(va);
      if (run.segment == 0 ? !caps_.SysMem64KBPageSupported : !run.pages_64k) return false;
      uint64_t run_end = std::min(run_va_ + run.count * kPageBytes, va_end);
      if ((run.page + (va - run_va_) / kPageBytes) % (kBigPageBytes / kPageBytes)) return false;
      if (run_end % kBigPageBytes) return false;
      va = run_end;
    }
    return true;
  }

 private:
  // The run that holds `va`. Questions come nearly in order: it goes on from where the last one was.
  const PageRun& seek(uint64_t va) {
    while (va < run_va_) run_va_ -= runs_[--run_].count * kPageBytes;
    while (va >= run_va_ + runs_[run_].count * kPageBytes) {
      run_va_ += runs_[run_++].count * kPageBytes;
      CHECK(run_ < runs_.size());
    }
    return runs_[run_];
  }

  const DXGK_GPUMMUCAPS& caps_;
  Kind kind_;
  uint64_t va_;
  uint64_t end_;
  std::span<const PageRun> runs_;
  VaProtection protection_;
  size_t run_ = 0;
  uint64_t run_va_ = 0;  // where the run at hand begins
};

}  // namespace vidmm
