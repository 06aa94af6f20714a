#include "nt/dma/dma_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "base/align.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/physical_windows.h"

namespace nt {
namespace {

constexpr CSHORT kLockedDown = MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL;

// Calls f(physical, count) for the bytes of each page.
template <typename F>
void for_each_page(const DmaAdapter::Buffer& buffer, F&& f) {
  uint64_t offset = buffer.offset;
  size_t left = buffer.bytes;
  for (MDL* mdl = buffer.mdl; left != 0; mdl = mdl->Next) {
    for (; left != 0 && offset < mdl->ByteCount;) {
      uint64_t at = mdl->ByteOffset + offset;
      size_t in_mdl = std::min<size_t>(left, mdl->ByteCount - offset);
      size_t count = std::min<size_t>(in_mdl, base::kPageBytes - at % base::kPageBytes);
      f(MmGetMdlPfnArray(mdl)[at / base::kPageBytes] * base::kPageBytes + at % base::kPageBytes,
        static_cast<uint32_t>(count));
      offset += count;
      left -= count;
    }
    offset -= std::min<uint64_t>(offset, mdl->ByteCount);
  }
}

}  // namespace

DmaAdapter::DmaAdapter(Machine& machine, Iommu& iommu, DEVICE_OBJECT& pdo, DMA_ADAPTER& body, const Facts& facts)
    : machine_(machine), iommu_(iommu), pdo_(pdo), body_(body), facts_(facts), free_registers_(facts.map_registers) {
  tracked_.kind = ResourceKind::DmaAdapter;
  machine.track(tracked_);
  got_at_ = tracked_.stack;
}

void DmaAdapter::wrong(Violation what, std::string sentence, base::StackId obtained) {
  std::vector<RoleStack> more;
  if (obtained) more.push_back({"obtained", machine_.stacks().get(obtained)});
  machine_.report_violation(what, std::move(sentence), std::move(more));
}

// --- Its life ---

const Tracked* DmaAdapter::left(const char** what) {
  if (!common_.empty()) {
    *what = "a common buffer";
    return &common_.begin()->second->block->block.tracked;
  }
  if (!registers_.empty()) {
    *what = "map registers";
    return &registers_.begin()->second->tracked;
  }
  if (!lists_.empty()) {
    *what = "a scatter/gather list";
    return &lists_.begin()->second->tracked;
  }
  return nullptr;
}

// What is left cannot be given back any more: it is reported here, and not once more as a leak.
std::vector<Tracked*> DmaAdapter::all_left() {
  std::vector<Tracked*> all;
  for (auto& [address, common] : common_) all.push_back(&common->block->block.tracked);
  for (auto& [base, registers] : registers_) all.push_back(&registers->tracked);
  for (auto& [list, made] : lists_) all.push_back(&made->tracked);
  return all;
}

bool DmaAdapter::put() {
  const char* what = nullptr;
  const Tracked* in_use;
  std::vector<Tracked*> lost;
  base::StackId here = machine_.here_id();
  {
    base::Guard guard(lock_);
    if (put_) return false;
    put_ = true;
    put_at_ = here;
    in_use = left(&what);
    lost = all_left();
  }
  machine_.untrack(tracked_);
  if (in_use) {
    wrong(Violation::DmaAdapterInUse,
          fmt::format("PutDmaAdapter was called while {} of the adapter is still in use", what), in_use->stack);
  }
  for (Tracked* each : lost) machine_.untrack(*each);
  return true;
}

bool DmaAdapter::live() {
  base::Guard guard(lock_);
  return !put_;
}

std::vector<RoleStack> DmaAdapter::life() {
  return {{"obtained", machine_.stacks().get(got_at_)}, {"put back", machine_.stacks().get(put_at_)}};
}

// --- Map registers, and the requests that wait for them ---

bool DmaAdapter::reserve(uint32_t registers) {
  base::Guard guard(lock_);
  if (registers > free_registers_) return false;
  free_registers_ -= registers;
  return true;
}

void DmaAdapter::give_back(uint32_t registers) {
  bool somebody_waits;
  {
    base::Guard guard(lock_);
    free_registers_ += registers;
    somebody_waits = !waiting_.empty();
  }
  if (somebody_waits) serve_waiting();
}

void DmaAdapter::wait(Waiting waiting) {
  {
    base::Guard guard(lock_);
    waiting_.push_back(std::move(waiting));
  }
  serve_waiting();
}

std::optional<DmaAdapter::Waiting> DmaAdapter::next_served() {
  if (waiting_.empty()) return std::nullopt;
  Waiting& first = waiting_.front();
  if (first.registers > free_registers_ || (first.channel && channel_taken_)) return std::nullopt;
  free_registers_ -= first.registers;
  channel_taken_ = channel_taken_ || first.channel;
  Waiting served = std::move(first);
  waiting_.pop_front();
  return served;
}

// When a driver's routine gives map registers back, the next request goes on after the routine has returned, not inside
// of it. So the stack never has more than one routine.
void DmaAdapter::serve_waiting() {
  Thread& self = machine_.self();
  {
    base::Guard guard(lock_);
    if (serving_) return;
    serving_ = true;
  }
  Scope* outer_scope = self.scope;
  KIRQL outer_irql = self.irql;
  if (outer_irql < DISPATCH_LEVEL) machine_.raise_irql(DISPATCH_LEVEL);
  for (;;) {
    std::optional<Waiting> served;
    {
      base::Guard guard(lock_);
      served = next_served();
      serving_ = served.has_value();
    }
    if (!served) break;
    self.scope = served->scope;
    bool begun = served->begin();
    self.scope = outer_scope;
    if (begun) continue;
    base::Guard guard(lock_);
    free_registers_ += served->registers;
    if (served->channel) channel_taken_ = false;
    waiting_.push_front(std::move(*served));
    serving_ = false;
    break;
  }
  if (outer_irql < DISPATCH_LEVEL) machine_.lower_irql(outer_irql);
}

// --- Mappings ---

base::Result<uint32_t> DmaAdapter::pages(const Buffer& buffer, const char* function) {
  uint64_t there = 0;
  for (const MDL* mdl = buffer.mdl; mdl && there < buffer.offset + buffer.bytes; mdl = mdl->Next) {
    if (!(mdl->MdlFlags & kLockedDown)) {
      wrong(Violation::MdlLockMismatch, fmt::format("{} was given an MDL whose pages are not locked", function));
      return base::Failure(STATUS_INVALID_PARAMETER, "the pages of the MDL are not locked");
    }
    there += mdl->ByteCount;
  }
  if (buffer.bytes == 0 || there < buffer.offset + buffer.bytes) {
    return base::Failure(STATUS_BUFFER_TOO_SMALL, "the MDL does not describe the bytes of the transfer");
  }
  uint32_t count = 0;
  for_each_page(buffer, [&](uint64_t, uint32_t) { ++count; });
  return count;
}

std::optional<uint64_t> DmaAdapter::map_bytes(const Buffer& buffer, bool contiguous, uint32_t max_piece,
                                              std::vector<Iommu::Piece>& out) {
  boost::container::small_vector<Iommu::Bytes, 16> bytes;
  for_each_page(buffer, [&](uint64_t physical, uint32_t count) { bytes.push_back({physical, count}); });
  return iommu_.map({.reach = facts_.reach,
                     .device_reads = buffer.write_to_device,
                     .device_writes = !buffer.write_to_device,
                     .contiguous = contiguous,
                     .max_piece = max_piece},
                    {bytes.data(), bytes.size()}, out);
}

base::Result<uint64_t> DmaAdapter::map(const Buffer& buffer, uint32_t max_piece, std::vector<Iommu::Piece>& out) {
  uint32_t registers = TRY(pages(buffer, "the class driver"));
  if (!reserve(registers)) {
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the adapter has not that many map registers left");
  }
  if (auto id = map_bytes(buffer, !facts_.scatter_gather, max_piece, out)) return *id;
  give_back(registers);
  return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the device has no bus addresses left");
}

void DmaAdapter::unmap(uint64_t id) {
  uint32_t registers = iommu_.unmap(id);
  CHECK_MSG(registers != 0, "a mapping is ended once");
  give_back(registers);
}

// --- Common buffers ---

// Policy: the memory uses no map registers of the budget, and is contiguous for the device but not physically. So a
// driver that computes the physical address of its second page from that of the first is found out.
void* DmaAdapter::allocate_common(uint32_t bytes, uint64_t& bus) {
  if (bytes == 0) return nullptr;
  RamBlock* block =
      machine_.physical().ram().allocate({.bytes = bytes, .contiguous = false}, ResourceKind::CommonBuffer);
  if (!block) return nullptr;
  uintptr_t address = block->block.address;
  std::vector<Iommu::Bytes> pages;
  for (uint32_t done = 0; done < bytes; done += base::kPageBytes) {
    pages.push_back({*physical_in_windows(address + done), std::min<uint32_t>(bytes - done, base::kPageBytes)});
  }
  std::vector<Iommu::Piece> pieces;
  auto mapping = iommu_.map({.reach = facts_.reach, .contiguous = true}, pages, pieces);
  if (!mapping) {
    machine_.physical().ram().free(*block);
    return nullptr;
  }
  bus = pieces.front().bus;
  base::Guard guard(lock_);
  common_[address] = std::make_unique<Common>(Common{block, bytes, bus, *mapping});
  return reinterpret_cast<void*>(address);
}

void DmaAdapter::free_common(uint32_t bytes, uint64_t bus, void* address) {
  std::unique_ptr<Common> common;
  {
    base::Guard guard(lock_);
    auto at = common_.find(reinterpret_cast<uintptr_t>(address));
    if (at != common_.end()) {
      common = std::move(at->second);
      common_.erase(at);
    }
  }
  if (!common) {
    wrong(Violation::DmaCommonBufferMismatch,
          "FreeCommonBuffer was given an address that AllocateCommonBuffer of this adapter did not return, or that was "
          "freed");
    return;
  }
  if (bytes != common->bytes || bus != common->bus) {
    wrong(Violation::DmaCommonBufferMismatch,
          fmt::format("FreeCommonBuffer was called with {} byte(s) at bus address 0x{:X}, for a common buffer of {} "
                      "byte(s) at 0x{:X}",
                      bytes, bus, common->bytes, common->bus),
          common->block->block.tracked.stack);
  }
  iommu_.unmap(common->mapping);
  machine_.physical().ram().free(*common->block);
}

}  // namespace nt
