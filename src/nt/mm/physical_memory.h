#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "nt/mm/ram.h"
#include "nt/mm/write_log.h"

namespace nt {

class Machine;

// The machine's memory by its physical addresses. The arenas have fixed ones (physical_windows.h). Each other page that
// a driver asks about (of its image, of the client's buffers) gets the next page number at the first request, never one
// that depends on its own address, and keeps it while the page is held. A released number is used again when many
// others were released after it. Devices read and write through this. Owned by the machine; any of its threads.
class PhysicalMemory {
 public:
  explicit PhysicalMemory(Machine& machine) : machine_(machine), ram_(machine) {}

  Ram& ram() { return ram_; }

  // Whether `address` lies in an arena that only the kernel and its drivers hand out addresses of. Stacks do not count:
  // clients have them too.
  static bool is_kernel(uintptr_t address);

  // The physical address of what is in an arena, or in a page that is held.
  std::optional<uint64_t> physical(uintptr_t address);
  // The other way round.
  std::optional<uintptr_t> address(uint64_t physical);

  // Whether the page around `address` is kept in memory (hold() or pin()).
  bool is_held(uintptr_t address);
  // Keeps the page around `address` in memory, where devices may reach it, until it is released as often.
  uint64_t hold(uintptr_t address);
  void release(uintptr_t address);
  // The same for the rest of the run; a second time changes nothing. For memory that is never paged out.
  uint64_t pin(uintptr_t address);

  // A device's access. Returns why it is impossible, as the end of a sentence, and has touched nothing then; else "". A
  // held page whose memory a client has unmapped meanwhile stays, as it would on Windows, but its contents are lost:
  // the device's first access after that finds zeros, and only that access sets `gone`.
  std::string read(uint64_t physical, void* to, size_t bytes, bool* gone = nullptr);
  std::string write(uint64_t physical, const void* from, size_t bytes, bool* gone = nullptr);
  std::string check(uint64_t physical, size_t bytes);  // the same without touching anything

  // What devices write to the page of RAM at `page` is noted there, until it is unwatched. One log for a page.
  void watch_writes(uintptr_t page, WriteLog& log);
  void unwatch_writes(uintptr_t page);

 private:
  struct Page {
    uint64_t physical;
    uint32_t holds;
    bool pinned;
    std::unique_ptr<uint8_t[]> stand_in;  // for memory that has gone
  };
  Page& page_at(uintptr_t page) REQUIRES(lock_);
  uint64_t new_number() REQUIRES(lock_);
  void note_write(uintptr_t address, size_t bytes);
  // Copies one piece inside of a page; whether the memory was found to have gone.
  bool copy_piece(uint64_t physical, uintptr_t address, void* bytes, size_t count, bool to_memory);
  // Why `bytes` at `address`, all in one page, are no memory for a device; "" if they are.
  std::string objection(uintptr_t address, size_t bytes);
  // Calls f(address, offset, bytes) for each page of the range, once all of them are known to be good.
  template <typename F>
  std::string for_each_piece(uint64_t physical, size_t bytes, F&& f);

  Machine& machine_;
  Ram ram_;
  base::Mutex<base::LockRank::Pool> lock_;
  std::map<uintptr_t, Page> pages_ GUARDED_BY(lock_);       // by address
  std::map<uint64_t, uintptr_t> others_ GUARDED_BY(lock_);  // physical to address, of those outside the arenas
  uint64_t next_other_ GUARDED_BY(lock_) = 0;               // counts pages
  std::deque<uint64_t> free_others_ GUARDED_BY(lock_);      // page numbers that were released, oldest first
  std::atomic<bool> watching_{false};                       // there is, or was, a page on the next list
  std::unordered_map<uintptr_t, WriteLog*> watched_ GUARDED_BY(lock_);  // looked up, never walked
};

}  // namespace nt
