#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "abi/km/d3dkmddi.h"
#include "base/align.h"
#include "base/result.h"
#include "nt/mm/ram.h"

namespace dxgk {

class Adapter;

inline constexpr uint64_t kPagingBuffers = 2;
// The bytes that all paging buffers take of the aperture segment that the driver wants them in.
constexpr uint64_t paging_aperture_bytes(uint64_t buffer_bytes) {
  constexpr uint64_t kBigPage = 65536;
  uint64_t bytes = kPagingBuffers * base::round_up(buffer_bytes, base::kPageBytes);
  return base::round_up(bytes, kBigPage);
}

// DMA memory into which a driver writes paging operations, and the private data that go with it: as large as the driver
// asked for, to the byte, between guards. The first byte lies on a page. Reused without being cleared. Owned by the
// code that submits it; used on the paging worker's thread, and by the driver during its call.
class PagingBuffer {
 public:
  // Where the GPU finds it. Contiguous system memory is at its physical address and needs none of it.
  struct Placement {
    uint32_t segment = 0;
    uint64_t address = 0;  // the segment's base included
    D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  };
  // How far it is filled. What lies below `submitted` belongs to the GPU.
  struct Fill {
    size_t used = 0;
    size_t submitted = 0;
    size_t pending() const { return used - submitted; }
  };

  // Contiguous memory below the driver's HighestAcceptableAddress when it wants no segment for it, else pages that are
  // still to be mapped into its aperture segment (mdl(), place()). STATUS_NO_MEMORY.
  static base::Result<std::unique_ptr<PagingBuffer>> create(Adapter& adapter);
  ~PagingBuffer();
  PagingBuffer(const PagingBuffer&) = delete;
  PagingBuffer& operator=(const PagingBuffer&) = delete;

  uint8_t* data() const { return reinterpret_cast<uint8_t*>(dma_->block.address); }
  size_t size() const { return dma_->block.bytes; }
  uint64_t physical() const { return physical_; }  // of the first page
  MDL* mdl() const { return mdl_; }
  size_t pages() const;
  // Null when the driver wants none.
  uint8_t* private_data() const { return private_ ? reinterpret_cast<uint8_t*>(private_->block.address) : nullptr; }
  size_t private_size() const { return private_ ? private_->block.bytes : 0; }

  void place(const Placement& placement) { placement_ = placement; }
  const Placement& placement() const { return placement_; }

  // From the first byte again. Nothing of it may be on its way to the GPU.
  void restart() { dma_fill = private_fill = {}; }
  bool fresh() const { return dma_fill.used == 0 && private_fill.used == 0; }

  // What was written around it since the last time. Repairs it.
  nt::PoolDamage check_guards() { return nt::check_live(dma_->block); }
  nt::PoolDamage check_private_guards() { return private_ ? nt::check_live(private_->block) : nt::PoolDamage{}; }

  Fill dma_fill;
  Fill private_fill;

 private:
  explicit PagingBuffer(Adapter& adapter) : adapter_(adapter) {}

  Adapter& adapter_;
  nt::RamBlock* dma_ = nullptr;
  nt::RamBlock* private_ = nullptr;
  MDL* mdl_ = nullptr;
  uint64_t physical_ = 0;
  Placement placement_;
};

}  // namespace dxgk
