#include "nt/mm/physical_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "nt/machine/machine.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/physical_windows.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

constexpr size_t kKeptNumbers = 65'536;  // that are not given again at once
constexpr uint64_t kOtherPages = (kOtherPagesEnd - kOtherPagesAt) / base::kPageBytes;

constexpr uint64_t page_of(uint64_t address) { return base::round_down(address, base::kPageBytes); }
constexpr uint64_t in_page(uint64_t address) { return address & (base::kPageBytes - 1); }

bool covers(uintptr_t block, size_t block_bytes, uintptr_t address, size_t bytes) {
  return address >= block && address - block <= block_bytes && bytes <= block_bytes - (address - block);
}

// The end of a sentence about [address, address + bytes) and the block that it should lie in.
std::string objection_to(bool freed, const std::string& block, bool covered) {
  if (freed) return fmt::format("which lies in {} that was freed", block);
  return covered ? "" : fmt::format("which is not all inside {}", block);
}

}  // namespace

bool PhysicalMemory::is_kernel(uintptr_t address) {
  return kPoolArena.contains(address) || kRamArena.contains(address) || kRegisterArena.contains(address);
}

// --- Addresses ---

bool PhysicalMemory::is_held(uintptr_t address) {
  base::Guard guard(lock_);
  return pages_.count(page_of(address)) != 0;
}

std::optional<uint64_t> PhysicalMemory::physical(uintptr_t address) {
  if (auto fixed = physical_in_windows(address)) return fixed;
  base::Guard guard(lock_);
  auto at = pages_.find(page_of(address));
  if (at == pages_.end()) return std::nullopt;
  return at->second.physical + in_page(address);
}

std::optional<uintptr_t> PhysicalMemory::address(uint64_t physical) {
  if (auto fixed = address_in_windows(physical)) return fixed;
  base::Guard guard(lock_);
  auto at = others_.find(page_of(physical));
  if (at == others_.end()) return std::nullopt;
  return at->second + in_page(physical);
}

PhysicalMemory::Page& PhysicalMemory::page_at(uintptr_t page) {
  auto [at, fresh] = pages_.try_emplace(page, Page{0, 0, false, nullptr});
  if (!fresh) return at->second;
  if (auto fixed = physical_in_windows(page)) {
    at->second.physical = *fixed;
  } else {
    uint64_t physical = kOtherPagesAt + scatter(new_number() * base::kPageBytes);
    at->second.physical = physical;
    others_.emplace(physical, page);
  }
  return at->second;
}

uint64_t PhysicalMemory::new_number() {
  if (next_other_ < kOtherPages && free_others_.size() < kKeptNumbers) return next_other_++;
  CHECK_MSG(!free_others_.empty(), "32 GiB of a client's memory are locked at once");
  uint64_t number = free_others_.front();
  free_others_.pop_front();
  return number;
}

uint64_t PhysicalMemory::hold(uintptr_t address) {
  base::Guard guard(lock_);
  Page& page = page_at(page_of(address));
  ++page.holds;
  return page.physical + in_page(address);
}

uint64_t PhysicalMemory::pin(uintptr_t address) {
  base::Guard guard(lock_);
  Page& page = page_at(page_of(address));
  page.pinned = true;
  return page.physical + in_page(address);
}

void PhysicalMemory::release(uintptr_t address) {
  base::Guard guard(lock_);
  auto at = pages_.find(page_of(address));
  CHECK(at != pages_.end() && at->second.holds != 0);
  if (--at->second.holds != 0 || at->second.pinned) return;
  if (others_.erase(at->second.physical)) {
    free_others_.push_back(scatter(at->second.physical - kOtherPagesAt) / base::kPageBytes);
  }
  pages_.erase(at);
}

// --- A device's accesses ---

std::string PhysicalMemory::objection(uintptr_t address, size_t bytes) {
  if (kPoolArena.contains(address)) {
    auto block = machine_.pool().find(address);
    if (!block) return "which is pool that was never allocated";
    return objection_to(block->freed, Pool::describe(*block), covers(block->address, block->bytes, address, bytes));
  }
  if (kRamArena.contains(address)) {
    auto block = ram_.find(address);
    if (!block) return "which is memory that nobody has allocated";
    return objection_to(block->freed, Ram::describe(*block), covers(block->address, block->bytes, address, bytes));
  }
  if (!physical_in_windows(address)) return "";  // it has a number because it is held
  base::Guard guard(lock_);
  return pages_.count(page_of(address)) != 0 ? "" : "which lies in a page that is not locked";
}

bool PhysicalMemory::copy_piece(uint64_t start, uintptr_t address, void* bytes, size_t count, bool to_memory) {
  auto* memory = reinterpret_cast<void*>(address);
  if (physical_in_windows(address)) {
    std::memcpy(to_memory ? memory : bytes, to_memory ? bytes : memory, count);
    return false;
  }
  auto copied = to_memory ? careful_write(memory, bytes, count) : careful_read(bytes, memory, count);
  if (copied.ok()) return false;
  base::Guard guard(lock_);
  auto other = others_.find(page_of(start));
  auto page = other == others_.end() ? pages_.end() : pages_.find(other->second);
  if (page == pages_.end()) {  // released meanwhile
    if (!to_memory) std::memset(bytes, 0, count);
    return false;
  }
  page->second.stand_in = std::make_unique<uint8_t[]>(base::kPageBytes);
  other->second = reinterpret_cast<uintptr_t>(page->second.stand_in.get());
  memory = page->second.stand_in.get() + in_page(start);
  std::memcpy(to_memory ? memory : bytes, to_memory ? bytes : memory, count);
  return true;
}

template <typename F>
std::string PhysicalMemory::for_each_piece(uint64_t start, size_t bytes, F&& f) {
  if (start + bytes < start) return "which goes beyond the end of all addresses";
  for (bool act : {false, true}) {
    for (size_t done = 0; done < bytes;) {
      uint64_t here = start + done;
      size_t piece = std::min<size_t>(bytes - done, base::kPageBytes - in_page(here));
      std::optional<uintptr_t> at = address(here);
      if (!at) return fmt::format("of which 0x{:X} is not memory", here);
      if (act) {
        f(*at, done, piece);
      } else if (std::string why = objection(*at, piece); !why.empty()) {
        return why;
      }
      done += piece;
    }
  }
  return "";
}

std::string PhysicalMemory::read(uint64_t physical, void* to, size_t bytes, bool* gone) {
  return for_each_piece(physical, bytes, [&](uintptr_t address, size_t offset, size_t piece) {
    bool lost = copy_piece(physical + offset, address, static_cast<char*>(to) + offset, piece, false);
    if (lost && gone) *gone = true;
  });
}

std::string PhysicalMemory::write(uint64_t physical, const void* from, size_t bytes, bool* gone) {
  return for_each_piece(physical, bytes, [&](uintptr_t address, size_t offset, size_t piece) {
    auto* source = const_cast<char*>(static_cast<const char*>(from)) + offset;
    bool lost = copy_piece(physical + offset, address, source, piece, true);
    if (watching_.load(std::memory_order_acquire) && kRamArena.contains(address)) note_write(address, piece);
    if (lost && gone) *gone = true;
  });
}

void PhysicalMemory::watch_writes(uintptr_t page, WriteLog& log) {
  base::Guard guard(lock_);
  CHECK(kRamArena.contains(page) && in_page(page) == 0);
  CHECK(watched_.emplace(page, &log).second);
  watching_.store(true, std::memory_order_release);
}

void PhysicalMemory::unwatch_writes(uintptr_t page) {
  base::Guard guard(lock_);
  CHECK(watched_.erase(page) == 1);
}

void PhysicalMemory::note_write(uintptr_t address, size_t bytes) {
  base::Guard guard(lock_);
  auto at = watched_.find(page_of(address));
  if (at != watched_.end()) at->second->note({address, bytes});
}

std::string PhysicalMemory::check(uint64_t physical, size_t bytes) {
  return for_each_piece(physical, bytes, [](uintptr_t, size_t, size_t) {});
}

}  // namespace nt
