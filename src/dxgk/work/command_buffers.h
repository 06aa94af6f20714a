#pragma once

#include <cstdint>

#include "abi/km/d3dkmddi.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/work/dma_memory.h"
#include "vidmm/backing/backing.h"

namespace dxgk {

class Adapter;

// Where a client whose commands are patched writes them: what D3DKMTCreateContext hands to it, and D3DKMTRender hands
// back for the next commands; and the DMA memory that goes with it. Owned by the context; with its process's mutex
// held.
class CommandBuffers {
 public:
  // How large the client would like them; 0 leaves one as it is.
  struct Sizes {
    uint32_t command_bytes = 0;
    uint32_t allocations = 0;
    uint32_t patches = 0;
  };

  explicit CommandBuffers(Adapter& adapter) : pool_(base::make_ref<DmaPool>(adapter)) {}
  ~CommandBuffers() { pool_->close(); }
  CommandBuffers(const CommandBuffers&) = delete;
  CommandBuffers& operator=(const CommandBuffers&) = delete;

  // As the driver says of the context. STATUS_NO_MEMORY.
  base::Result<> make(const DXGK_CONTEXTINFO& info);
  // Never below the driver's sizes, never beyond our own limits. What cannot be had stays as it is: the client looks.
  void resize(const Sizes& sizes);

  void* commands() const { return commands_.address; }
  uint32_t command_bytes() const { return commands_.count; }
  D3DDDI_ALLOCATIONLIST* allocations() const { return static_cast<D3DDDI_ALLOCATIONLIST*>(allocations_.address); }
  uint32_t allocation_count() const { return allocations_.count; }
  D3DDDI_PATCHLOCATIONLIST* patches() const { return static_cast<D3DDDI_PATCHLOCATIONLIST*>(patches_.address); }
  uint32_t patch_count() const { return patches_.count; }

  // A DMA buffer has room for as much as the client can write.
  DmaMemory::Sizes dma_sizes() const { return {commands_.count, private_bytes_, patches_.count}; }
  DmaPool& pool() const { return *pool_; }

 private:
  // One of the three. The memory is the client's; a pointer that is kept beyond a change of size faults.
  struct List {
    base::Result<> make(uint32_t elements, size_t element_bytes);

    std::unique_ptr<vidmm::Backing> backing;
    void* address = nullptr;
    uint32_t count = 0;
    uint32_t least = 0;
  };
  static void resize(List& list, uint32_t wanted, uint32_t most, size_t element_bytes);

  List commands_;
  List allocations_;
  List patches_;
  uint32_t private_bytes_ = 0;
  base::Ref<DmaPool> pool_;
};

}  // namespace dxgk
