#include "dxgk/work/dma_memory.h"

#include <utility>

#include "dxgk/adapter/adapter.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace dxgk {

base::Result<std::unique_ptr<DmaMemory>> DmaMemory::create(Adapter& adapter, const Sizes& sizes) {
  nt::PhysicalMemory& physical = adapter.machine().physical();
  std::unique_ptr<DmaMemory> memory(new DmaMemory(adapter, sizes));
  auto allocate = [&](nt::RamBlock*& block, const nt::RamRequest& request) {
    if (request.bytes != 0) block = physical.ram().allocate(request, nt::ResourceKind::ContiguousMemory);
    return request.bytes == 0 || block;
  };
  nt::RamRequest commands{.bytes = sizes.bytes};
  // A driver without an upper limit names the highest address that there is, or does not set the field.
  auto limit = static_cast<uint64_t>(adapter.caps().driver.HighestAcceptableAddress.QuadPart);
  if (limit != 0) commands.high = limit;
  if (!allocate(memory->dma_, commands) ||
      !allocate(memory->private_, {.bytes = sizes.private_bytes, .fill = nt::PoolFill::Zero}) ||
      !allocate(memory->patches_, {.bytes = sizes.patches * sizeof(D3DDDI_PATCHLOCATIONLIST)})) {
    return base::Failure(STATUS_NO_MEMORY, "no memory for a DMA buffer");
  }
  if (memory->dma_) memory->physical_ = physical.physical(memory->dma_->block.address).value();
  return memory;
}

DmaMemory::~DmaMemory() {
  nt::Ram& ram = adapter_.machine().physical().ram();
  for (nt::RamBlock* block : {dma_, private_, patches_}) {
    if (block) ram.free(*block);
  }
}

base::Result<std::unique_ptr<DmaMemory>> DmaPool::take(const DmaMemory::Sizes& sizes) {
  std::vector<std::unique_ptr<DmaMemory>> outgrown;
  {
    base::Guard guard(lock_);
    while (!spare_.empty()) {
      std::unique_ptr<DmaMemory> memory = std::move(spare_.back());
      spare_.pop_back();
      if (memory->sizes() == sizes) return memory;
      outgrown.push_back(std::move(memory));
    }
  }
  return DmaMemory::create(adapter_, sizes);
}

void DmaPool::give_back(std::unique_ptr<DmaMemory> memory) {
  base::Guard guard(lock_);
  if (!closed_) spare_.push_back(std::move(memory));
}

std::vector<std::unique_ptr<DmaMemory>> DmaPool::close() {
  base::Guard guard(lock_);
  closed_ = true;
  return std::exchange(spare_, {});
}

}  // namespace dxgk
