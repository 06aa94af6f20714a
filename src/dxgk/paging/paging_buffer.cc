#include "dxgk/paging/paging_buffer.h"

#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "nt/machine/machine.h"
#include "nt/mm/mdls.h"
#include "nt/mm/physical_memory.h"

namespace dxgk {
namespace {

// A driver without an upper limit names the highest address that there is, or does not set the field.
uint64_t highest_address(const AdapterCaps& caps) {
  auto limit = static_cast<uint64_t>(caps.driver.HighestAcceptableAddress.QuadPart);
  return limit == 0 ? UINT64_MAX : limit;
}

}  // namespace

base::Result<std::unique_ptr<PagingBuffer>> PagingBuffer::create(Adapter& adapter) {
  const AdapterCaps& caps = adapter.caps();
  nt::Machine& machine = adapter.machine();
  nt::Ram& ram = machine.physical().ram();
  std::unique_ptr<PagingBuffer> buffer(new PagingBuffer(adapter));
  nt::RamRequest request{.bytes = caps.paging_buffer_bytes, .contiguous = caps.paging_segment == 0};
  if (request.contiguous) request.high = highest_address(caps);
  buffer->dma_ = ram.allocate(request, nt::ResourceKind::ContiguousMemory);
  if (!buffer->dma_) return base::Failure(STATUS_NO_MEMORY, "no memory for a paging buffer");
  buffer->physical_ = machine.physical().physical(buffer->dma_->block.address).value();
  buffer->mdl_ = machine.mdls().allocate(buffer->data(), buffer->size());
  if (!buffer->mdl_) return base::Failure(STATUS_NO_MEMORY, "no memory for the MDL of a paging buffer");
  machine.mdls().build_for_nonpaged(*buffer->mdl_);
  if (caps.paging_private_bytes != 0) {
    buffer->private_ = ram.allocate({.bytes = caps.paging_private_bytes}, nt::ResourceKind::ContiguousMemory);
    if (!buffer->private_) return base::Failure(STATUS_NO_MEMORY, "no memory for the private data of a paging buffer");
  }
  return buffer;
}

PagingBuffer::~PagingBuffer() {
  nt::Machine& machine = adapter_.machine();
  if (mdl_) machine.mdls().free(mdl_);
  if (dma_) machine.physical().ram().free(*dma_);
  if (private_) machine.physical().ram().free(*private_);
}

size_t PagingBuffer::pages() const { return base::page_count(size()); }

}  // namespace dxgk
