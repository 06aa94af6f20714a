#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/align.h"
#include "base/debug/stack_table.h"
#include "base/mutex.h"
#include "nt/machine/machine_observer.h"

namespace nt {

class Machine;

// The addresses by which one physical device knows the machine's memory. None of them is the physical address of
// anything, and no two devices have one in common, so that whatever a driver confuses is found out:
//
//   low    3 GiB, where there is no memory      devices of 32 address bits      a slice for each device
//   high   512 GiB, beyond all memory           devices of at least 40          likewise
//
// Pages are given out forwards through the slice, from a place that the run's seed chooses, with holes between
// mappings: an address that was unmapped stays invalid for as long as the slice lasts, and one past the end of a
// mapping is no other's. Within a page only the bytes that were mapped can be reached. Owned by DmaAdapters; any thread
// of the machine.
class Iommu {
 public:
  enum class Reach : uint8_t { Low, High };

  static constexpr uint32_t kMostDevices = 16;
  static constexpr uint32_t kPages = 12288;  // of a slice

  // `ordinal` counts the devices of the machine that have one, from 0 on.
  Iommu(Machine& machine, uint32_t ordinal);

  // Some bytes of one page, by their physical address.
  struct Bytes {
    uint64_t physical;
    uint32_t count;
  };
  // Some bytes that are neighbours for the device.
  struct Piece {
    uint64_t bus;
    uint32_t bytes;
  };
  struct Request {
    Reach reach = Reach::Low;
    bool device_reads = true;
    bool device_writes = true;
    bool contiguous = false;  // else the seed decides which pages are neighbours
    uint32_t max_piece = 0;   // 0: no limit
  };
  using MappingId = uint64_t;  // never 0

  // Appends the bus addresses for the device. Nothing, and `out` is unchanged, when the slice has no room.
  std::optional<MappingId> map(const Request& request, std::span<const Bytes> bytes, std::vector<Piece>& out);
  // How many pages it had; 0 if there is no such mapping.
  uint32_t unmap(MappingId id);

  // Why a device's access failed: the end of a sentence about an address, and the stacks that mapped or unmapped it.
  struct Fault {
    Violation what;
    std::string why;
    std::vector<RoleStack> stacks;
  };
  // A device's access. Has touched nothing where it is a fault, unless that is gone_memory(): then it was done.
  std::optional<Fault> read(uint64_t bus, void* to, size_t bytes);
  std::optional<Fault> write(uint64_t bus, const void* from, size_t bytes);
  // Of memory that a client has unmapped while an allocation holds it (PhysicalMemory::read).
  static Fault gone_memory();

  // Whether the address is one of this device's, mapped or not.
  bool owns(uint64_t bus) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // One page of bus addresses, and what it last stood for.
  struct Slot {
    uint64_t page = 0;      // physical
    uint32_t next = kNone;  // of the same mapping
    base::StackId mapped = 0, unmapped = 0;
    uint16_t first = 0, end = 0;  // the bytes of the page that are mapped
    bool used = false, live = false;
    bool device_reads = false, device_writes = false;
  };
  // One slice. Its slots lie one after another from `seam` on, and go on at the beginning.
  struct Window {
    uint64_t base = 0;
    uint32_t rotation = 0;    // where slot 0 lies, in pages
    uint32_t cursor = 0;      // where the search for room goes on
    std::vector<Slot> slots;  // as many as were ever reached

    uint64_t address(uint32_t slot) const { return base + uint64_t{(slot + rotation) % kPages} * base::kPageBytes; }
    const Slot* at(uint64_t bus) const;
    // The last slot in use in [from, to]; kNone if there is none.
    uint32_t last_live(uint32_t from, uint32_t to) const;
    // The first of `count` free slots in a row, with one more before and after them; kNone when there are none.
    uint32_t find_run(uint32_t count);
  };
  struct Mapping {
    uint32_t first = kNone;  // slot; kNone: not in use
    uint32_t generation = 0;
    Reach reach = Reach::Low;
  };
  struct Run {
    uint32_t slot, count;
  };
  // Why a page cannot be reached.
  struct Objection {
    Violation what;
    const char* why;
    base::StackId mapped, unmapped;
  };

  static uint64_t slice(Reach reach, uint32_t ordinal);
  Window& window(Reach reach) REQUIRES(lock_) { return windows_[static_cast<size_t>(reach)]; }
  const Window* window_of(uint64_t bus) const REQUIRES(lock_);
  bool place(const Request& request, uint32_t pages, uint64_t pattern) REQUIRES(lock_);
  void fill(const Request& request, std::span<const Bytes> bytes, base::StackId here, std::vector<Piece>& out)
      REQUIRES(lock_);
  MappingId new_mapping(Reach reach, uint32_t first) REQUIRES(lock_);

  // The memory behind an access, page by page.
  std::optional<Fault> translate(uint64_t bus, size_t bytes, bool write, std::vector<Bytes>& out);
  std::optional<Objection> translate_pages(uint64_t bus, size_t bytes, bool write, std::vector<Bytes>& out);
  Fault fault_of(uint64_t bus, const Objection& objection);

  Machine& machine_;
  const uint32_t ordinal_;
  base::Mutex<base::LockRank::Pool> lock_;
  std::array<Window, 2> windows_ GUARDED_BY(lock_);        // by reach
  std::vector<Mapping> mappings_ GUARDED_BY(lock_);        // by index, which is the lower half of an id
  std::vector<uint32_t> free_mappings_ GUARDED_BY(lock_);  // indices
  std::vector<Run> runs_ GUARDED_BY(lock_);                // of the mapping in the making; kept for its memory
};

}  // namespace nt
