#include "ks/allocator/frame_guard.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "base/align.h"
#include "base/mutex.h"
#include "base/sanitizer.h"
#include "nt/fault/fault.h"
#include "nt/mm/address_space.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

constexpr uint8_t kTailFill = 0xFA;

struct Page {
  uint32_t guards = 0;
  uint32_t opens = 0;
  bool shut = false;
};

struct Registered {
  size_t bytes;
  size_t tail;
};

// The whole pages inside a range.
struct Pages {
  uintptr_t begin, end;

  Pages(const uint8_t* data, size_t bytes)
      : begin(base::round_up(reinterpret_cast<uintptr_t>(data), base::kPageBytes)),
        end(base::round_down(reinterpret_cast<uintptr_t>(data) + bytes, base::kPageBytes)) {
    end = std::max(begin, end);
  }
  bool empty() const { return begin == end; }
};

// Shuts or opens a run of pages at once.
void set_access(uintptr_t begin, uintptr_t end, bool shut) {
  auto* at = reinterpret_cast<void*>(begin);
  if constexpr (base::kSanitizer == base::Sanitizer::Address) {
    shut ? base::poison(at, end - begin) : base::unpoison(at, end - begin);
  } else {
    CHECK(mprotect(at, end - begin, shut ? PROT_NONE : PROT_READ | PROT_WRITE) == 0);
  }
}

bool touchable([[maybe_unused]] uintptr_t page) {
#if DRYDOCK_ASAN
  return __asan_region_is_poisoned(reinterpret_cast<void*>(page), base::kPageBytes) == nullptr;
#else
  return true;
#endif
}

std::optional<nt::FaultStory> explain(nt::Machine&, uintptr_t address) {
  if (FrameGuard::shut(address)) {
    return nt::FaultStory{nt::Violation::KsFrameTouchedUnlocked,
                          "a frame is touched while no stream pointer to it is locked and it has no clone"};
  }
  if (FrameGuard::behind(address)) {
    return nt::FaultStory{nt::Violation::KsFrameOverrun, "memory behind the end of a frame is touched"};
  }
  return std::nullopt;
}

// The process's table.
class Table {
 public:
  Table() { nt::add_fault_explainer(&explain); }

  bool begin(const Pages& pages) {
    base::Guard guard(lock_);
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) {
      if (pages_.find(page) == pages_.end() && !touchable(page)) return false;
    }
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) ++pages_[page].guards;
    settle(pages);
    return true;
  }
  void open(const Pages& pages) {
    base::Guard guard(lock_);
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) ++pages_[page].opens;
    settle(pages);
  }
  // Subtracts so many guards and openings from each page. A page with none of both is taken out of the table.
  void take_back(const Pages& pages, uint32_t guards, uint32_t opens) {
    base::Guard guard(lock_);
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) {
      auto at = pages_.find(page);
      if (at == pages_.end()) continue;  // everything was forgotten meanwhile
      at->second.guards -= guards;
      at->second.opens -= opens;
    }
    settle(pages);
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) {
      auto at = pages_.find(page);
      if (at != pages_.end() && at->second.guards == 0 && at->second.opens == 0) pages_.erase(at);
    }
  }
  bool shut(uintptr_t address) {
    base::Guard guard(lock_);
    auto at = pages_.find(base::round_down(address, base::kPageBytes));
    return at != pages_.end() && at->second.shut;
  }
  bool guards_any(const Pages& pages) {
    base::Guard guard(lock_);
    if (pages_.empty()) return false;
    for (uintptr_t page = pages.begin; page < pages.end; page += base::kPageBytes) {
      if (pages_.find(page) != pages_.end()) return true;
    }
    return false;
  }
  void forget_all() {
    base::Guard guard(lock_);
    for (auto& [page, state] : pages_) {  // in any order: nothing is reported
      if (state.shut) set_access(page, page + base::kPageBytes, false);
    }
    pages_.clear();
  }

  void add(uint8_t* data, size_t bytes, size_t tail) {
    std::memset(data + bytes, kTailFill, tail);
    base::Guard guard(lock_);
    registered_[reinterpret_cast<uintptr_t>(data)] = {bytes, tail};
  }
  void remove(const uint8_t* data) {
    base::Guard guard(lock_);
    registered_.erase(reinterpret_cast<uintptr_t>(data));
  }
  bool is_registered(const Pages& pages) {
    base::Guard guard(lock_);
    auto at = registered_.upper_bound(pages.begin);
    if (at == registered_.begin()) return false;
    --at;
    return pages.end <= at->first + at->second.bytes;
  }
  bool behind(uintptr_t address) {
    base::Guard guard(lock_);
    auto at = registered_.upper_bound(address);
    if (at == registered_.begin()) return false;
    --at;
    uintptr_t end = at->first + at->second.bytes;
    return address >= end && address - end < base::kPageBytes + at->second.tail;
  }
  size_t overrun(const uint8_t* data) {
    base::Guard guard(lock_);
    if (registered_.empty()) return 0;
    auto at = registered_.find(reinterpret_cast<uintptr_t>(data));
    if (at == registered_.end()) return 0;
    auto* tail = reinterpret_cast<uint8_t*>(at->first + at->second.bytes);
    size_t written = at->second.tail;
    while (written > 0 && tail[written - 1] == kTailFill) --written;
    std::memset(tail, kTailFill, written);
    return written;
  }

 private:
  // Shuts or opens every page as its counts say, neighbours in one system call.
  void settle(const Pages& pages) REQUIRES(lock_) {
    for (uintptr_t page = pages.begin; page < pages.end;) {
      auto at = pages_.find(page);
      bool shut = at != pages_.end() && at->second.guards != 0 && at->second.opens == 0;
      uintptr_t from = page;
      for (; page < pages.end && at != pages_.end(); at = pages_.find(page += base::kPageBytes)) {
        bool wanted = at->second.guards != 0 && at->second.opens == 0;
        if (wanted != shut || at->second.shut == wanted) break;
        at->second.shut = wanted;
      }
      if (page != from) {
        set_access(from, page, shut);
      } else {
        page += base::kPageBytes;
      }
    }
  }

  base::Mutex<base::LockRank::Pool> lock_;
  std::unordered_map<uintptr_t, Page> pages_ GUARDED_BY(lock_);
  std::map<uintptr_t, Registered> registered_ GUARDED_BY(lock_);
};

Table& table() {
  static Table& the_table = *new Table();  // never destroyed: a fault may come at any time
  return the_table;
}

}  // namespace

bool FrameGuard::begin(nt::Machine& machine, const uint8_t* data, size_t bytes) {
  if (machine.options().pace != nt::Pace::Simulated) return false;
  if constexpr (base::kSanitizer == base::Sanitizer::Thread) return false;
  Pages pages(data, bytes);
  if (pages.empty()) return false;
  bool ours = nt::PhysicalMemory::is_kernel(pages.begin) && nt::PhysicalMemory::is_kernel(pages.end - 1);
  bool known = base::kSanitizer == base::Sanitizer::Address || ours || table().is_registered(pages);
  return known && table().begin(pages);
}

void FrameGuard::open(const uint8_t* data, size_t bytes) { table().open(Pages(data, bytes)); }
void FrameGuard::close(const uint8_t* data, size_t bytes) { table().take_back(Pages(data, bytes), 0, 1); }
void FrameGuard::end(const uint8_t* data, size_t bytes, bool opened) {
  table().take_back(Pages(data, bytes), 1, opened ? 1 : 0);
}
void FrameGuard::forget_all() { table().forget_all(); }
bool FrameGuard::shut(uintptr_t address) { return table().shut(address); }

FrameGuard::Opened::Opened(const uint8_t* data, size_t bytes) : data_(data), bytes_(bytes) {
  Pages pages(data, bytes);
  if (!table().guards_any(pages)) {
    bytes_ = 0;
  } else {
    table().open(pages);
  }
}

FrameGuard::Opened::~Opened() {
  if (bytes_ != 0) table().take_back(Pages(data_, bytes_), 0, 1);
}

void FrameGuard::register_frame(uint8_t* data, size_t bytes, size_t tail) { table().add(data, bytes, tail); }
void FrameGuard::unregister_frame(const uint8_t* data) { table().remove(data); }
bool FrameGuard::behind(uintptr_t address) { return table().behind(address); }
size_t FrameGuard::overrun(const uint8_t* data) { return table().overrun(data); }

}  // namespace ks
