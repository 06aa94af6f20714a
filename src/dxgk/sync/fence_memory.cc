#include "dxgk/sync/fence_memory.h"

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace dxgk {
namespace {

constexpr uint32_t kSlots = base::kPageBytes / sizeof(uint64_t);
constexpr uint32_t kSlotsPerWord = 64;

}  // namespace

// Guarded by the memory's lock, but for what never changes.
struct alignas(64) FenceSlot::Page {
  uint64_t* words;
  uint64_t physical;
  size_t place = 0;                         // among all pages
  FenceMemory::OfProcess* owner = nullptr;  // stays while it has pages
  uint32_t process_id = 0;
  uint32_t used_count = 0;
  std::array<uint64_t, kSlots / kSlotsPerWord> used{};

  bool full() const { return used_count == kSlots; }
  uint32_t take() {
    auto word = std::ranges::find_if(used, [](uint64_t bits) { return bits != ~uint64_t{0}; });
    auto bit = static_cast<uint32_t>(std::countr_one(*word));
    *word |= uint64_t{1} << bit;
    ++used_count;
    return static_cast<uint32_t>(word - used.begin()) * kSlotsPerWord + bit;
  }
  void give_back(uint32_t index) {
    uint64_t bit = uint64_t{1} << (index % kSlotsPerWord);
    CHECK(used[index / kSlotsPerWord] & bit);
    used[index / kSlotsPerWord] &= ~bit;
    --used_count;
  }
};

// --- FenceSlot ---

FenceSlot::FenceSlot(base::Ref<FenceMemory> memory, Page& page, uint32_t index)
    : memory_(std::move(memory)), page_(&page), index_(index) {}

FenceSlot::FenceSlot(FenceSlot&& other) noexcept
    : memory_(std::move(other.memory_)), page_(std::exchange(other.page_, nullptr)), index_(other.index_) {}

FenceSlot::~FenceSlot() {
  if (page_) memory_->give_back(*page_, index_);
}

uint64_t* FenceSlot::word() const { return page_->words + index_; }
uint64_t FenceSlot::page_physical() const { return page_->physical; }
uint32_t FenceSlot::offset() const { return index_ * static_cast<uint32_t>(sizeof(uint64_t)); }

// --- FenceMemory ---

FenceMemory::FenceMemory(nt::Machine& machine) : machine_(machine) {}
FenceMemory::~FenceMemory() {
  base::Guard guard(lock_);
  for (const auto& page : pages_) {
    machine_.physical().unwatch_writes(reinterpret_cast<uintptr_t>(page->words));
  }
}

base::Result<FenceSlot> FenceMemory::take(uint32_t process_id) {
  base::Ref<FenceMemory> self = base::Ref<FenceMemory>::share(*this);
  {
    base::Guard guard(lock_);
    if (Page* page = page_with_room(process_id)) return take_in(std::move(self), *page);
  }
  std::unique_ptr<Page> made = TRY(make_page());
  base::Guard guard(lock_);
  Page& page = *made;
  page.place = pages_.size();
  pages_.push_back(std::move(made));
  give_to(page, process_id);
  return take_in(std::move(self), page);
}

FenceSlot FenceMemory::take_in(base::Ref<FenceMemory> self, Page& page) {
  if (page.used_count == 0) empty_.erase(page.place);
  uint32_t slot = page.take();
  if (page.full()) page.owner->with_room.erase(page.place);
  return FenceSlot(std::move(self), page, slot);
}

void FenceMemory::move_to(Page& page, uint32_t process_id) {
  page.owner->with_room.erase(page.place);
  if (--page.owner->pages == 0) of_processes_.erase(page.process_id);
  give_to(page, process_id);
}

void FenceMemory::give_to(Page& page, uint32_t process_id) {
  page.process_id = process_id;
  page.owner = &of_processes_[process_id];
  page.owner->with_room.insert(page.place);
  ++page.owner->pages;
}

FenceMemory::Page* FenceMemory::page_with_room(uint32_t process_id) {
  auto own = of_processes_.find(process_id);
  if (own != of_processes_.end() && !own->second.with_room.empty()) {
    return pages_[own->second.with_room.least()].get();
  }
  if (empty_.empty()) return nullptr;
  Page& page = *pages_[*empty_.rbegin()];
  move_to(page, process_id);
  return &page;
}

base::Result<std::unique_ptr<FenceMemory::Page>> FenceMemory::make_page() {
  nt::RamBlock* ram = machine_.physical().ram().allocate({.bytes = base::kPageBytes, .fill = nt::PoolFill::Zero},
                                                         nt::ResourceKind::ContiguousMemory);
  if (!ram) return base::Failure(STATUS_NO_MEMORY, "there is no memory for the values of fences");
  machine_.untrack(ram->block.tracked);  // the kernel's own, whichever driver's
                                         // call brought us here
  auto page = std::make_unique<Page>();
  page->words = reinterpret_cast<uint64_t*>(ram->block.address);
  page->physical = *machine_.physical().physical(ram->block.address);
  machine_.physical().watch_writes(ram->block.address, writes_);
  return page;
}

void FenceMemory::give_back(Page& page, uint32_t index) {
  base::Guard guard(lock_);
  if (page.full()) page.owner->with_room.insert(page.place);
  page.give_back(index);
  if (page.used_count == 0) empty_.insert(page.place);
}

size_t FenceMemory::page_count() {
  base::Guard guard(lock_);
  return pages_.size();
}

}  // namespace dxgk
