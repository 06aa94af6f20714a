#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/memory/place_set.h"
#include "nt/mm/write_log.h"

namespace nt {
class Machine;
}

namespace dxgk {

class FenceMemory;

// The eight bytes that hold one fence's value, until this object is destroyed.
class FenceSlot {
 public:
  FenceSlot(FenceSlot&& other) noexcept;
  FenceSlot& operator=(FenceSlot&&) = delete;
  ~FenceSlot();

  // Where the kernel and, living in the same process, the client read it.
  uint64_t* word() const;
  // Where a device finds it: the page, to be mapped into GPU page tables, and the place in the page.
  uint64_t page_physical() const;
  uint32_t offset() const;

 private:
  friend class FenceMemory;
  struct Page;
  FenceSlot(base::Ref<FenceMemory> memory, Page& page, uint32_t index);

  base::Ref<FenceMemory> memory_;
  Page* page_;  // null: moved from
  uint32_t index_;
};

// Where the values of fences lie: words in pages of the machine's RAM, which devices read and write by physical
// address. A page has fences of one process only, as it is mapped for that process as a whole. Pages that have become
// empty serve the next process and go with the machine. Owned by the kernel and its slots; any thread.
class FenceMemory final : public base::RefCounted {
 public:
  explicit FenceMemory(nt::Machine& machine);
  ~FenceMemory() override;

  // STATUS_NO_MEMORY.
  base::Result<FenceSlot> take(uint32_t process_id);
  size_t page_count();
  // What devices have written since it was last asked; false: anything.
  [[nodiscard]] bool take_writes(std::vector<nt::WriteLog::Range>& out) { return writes_.take(out); }

 private:
  friend class FenceSlot;
  using Page = FenceSlot::Page;

  Page* page_with_room(uint32_t process_id) REQUIRES(lock_);
  struct OfProcess {
    PlaceSet with_room;
    size_t pages = 0;  // with room or not
  };

  FenceSlot take_in(base::Ref<FenceMemory> self, Page& page) REQUIRES(lock_);
  void move_to(Page& page, uint32_t process_id) REQUIRES(lock_);
  void give_to(Page& page, uint32_t process_id) REQUIRES(lock_);
  base::Result<std::unique_ptr<Page>> make_page();
  void give_back(Page& page, uint32_t index);

  nt::Machine& machine_;
  base::Mutex<base::LockRank::Fence> lock_;
  std::vector<std::unique_ptr<Page>> pages_ GUARDED_BY(lock_);
  // By their places in pages_: those of a process that are not full, and those that are empty.
  std::unordered_map<uint32_t, OfProcess> of_processes_ GUARDED_BY(lock_);
  std::set<size_t> empty_ GUARDED_BY(lock_);
  nt::WriteLog writes_;
};

}  // namespace dxgk
