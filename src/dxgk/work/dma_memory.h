#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/mutex.h"
#include "base/ref.h"
#include "base/result.h"
#include "nt/mm/ram.h"

namespace dxgk {

class Adapter;

// Memory for one DMA buffer, its private data and its patch locations: to the byte as large as was asked for, between
// guards; the commands contiguous, below the driver's HighestAcceptableAddress. Owned by the caller that fills it.
class DmaMemory {
 public:
  struct Sizes {
    uint32_t bytes = 0;
    uint32_t private_bytes = 0;
    uint32_t patches = 0;

    friend bool operator==(const Sizes&, const Sizes&) = default;
  };

  // STATUS_NO_MEMORY.
  static base::Result<std::unique_ptr<DmaMemory>> create(Adapter& adapter, const Sizes& sizes);
  ~DmaMemory();
  DmaMemory(const DmaMemory&) = delete;
  DmaMemory& operator=(const DmaMemory&) = delete;

  const Sizes& sizes() const { return sizes_; }
  uint8_t* data() const { return at<uint8_t>(dma_); }
  uint64_t physical() const { return physical_; }
  // Null when the driver wants none.
  uint8_t* private_data() const { return at<uint8_t>(private_); }
  D3DDDI_PATCHLOCATIONLIST* patches() const { return at<D3DDDI_PATCHLOCATIONLIST>(patches_); }
  // Its address in the process's page tables; 0 if it is not mapped. The code that maps it unmaps it
  // (present_memory.h).
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;

  // What was written around each since the last time. Repairs it.
  nt::PoolDamage check_guards() { return check(dma_); }
  nt::PoolDamage check_private_guards() { return check(private_); }
  nt::PoolDamage check_patch_guards() { return check(patches_); }

 private:
  DmaMemory(Adapter& adapter, const Sizes& sizes) : adapter_(adapter), sizes_(sizes) {}

  template <typename T>
  static T* at(const nt::RamBlock* block) {
    return block ? reinterpret_cast<T*>(block->block.address) : nullptr;
  }
  static nt::PoolDamage check(nt::RamBlock* block) { return block ? nt::check_live(block->block) : nt::PoolDamage{}; }

  Adapter& adapter_;
  const Sizes sizes_;
  nt::RamBlock* dma_ = nullptr;
  nt::RamBlock* private_ = nullptr;
  nt::RamBlock* patches_ = nullptr;
  uint64_t physical_ = 0;
};

// The DMA memory of one context that no packet uses. Private data are zero when they are new and stay as the driver
// left them after that (documented). Kept by the context and by its packets; any thread, up to DISPATCH_LEVEL.
class DmaPool final : public base::RefCounted {
 public:
  explicit DmaPool(Adapter& adapter) : adapter_(adapter) {}

  base::Result<std::unique_ptr<DmaMemory>> take(const DmaMemory::Sizes& sizes);
  void give_back(std::unique_ptr<DmaMemory> memory);
  // The context goes: what comes back from now on is freed. Returns what had come back before.
  std::vector<std::unique_ptr<DmaMemory>> close();

 private:
  Adapter& adapter_;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<std::unique_ptr<DmaMemory>> spare_ GUARDED_BY(lock_);
  bool closed_ GUARDED_BY(lock_) = false;
};

}  // namespace dxgk
