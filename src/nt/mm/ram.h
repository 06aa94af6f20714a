#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "abi/km/wdm.h"
#include "base/align.h"
#include "nt/mm/pool_block.h"

namespace nt {

class Machine;

// What a driver wants of physical memory.
struct RamRequest {
  size_t bytes = 0;
  uint64_t low = 0;                       // the first acceptable physical address
  uint64_t high = UINT64_MAX;             // the last one
  uint64_t boundary = 0;                  // a power of two whose multiples the block does not cross; 0: none
  uint64_t alignment = base::kPageBytes;  // of the physical address: a power of two
  bool contiguous = true;                 // false: pages that are certain not to be
  PoolFill fill = PoolFill::Pattern;
  MEMORY_CACHING_TYPE cache = MmCached;
};

// A block of RAM: the guarded part, and what it was asked for with.
struct RamBlock {
  PoolBlock block;
  MEMORY_CACHING_TYPE cache = MmCached;
  bool contiguous = true;
};

// What a pointer into RAM is or was, for reports.
struct RamBlockInfo {
  uintptr_t address;
  size_t bytes;
  MEMORY_CACHING_TYPE cache;
  uint32_t ordinal;
  bool contiguous;
  bool freed;
  base::StackId allocated_at, freed_at;
};

// The memory that drivers get by its physical address: contiguous blocks, and the pages of MmAllocatePagesForMdl.
// Blocks are whole pages apart and guarded like those of pool; a freed one is made unreadable and kept back for a
// while. A request without limits gets memory above 4 GiB, so that a driver of a 32-bit device that forgets the limit
// is found early. Owned by the machine; any of its threads. Findings are reported after the lock is released.
class Ram {
 public:
  explicit Ram(Machine& machine);
  ~Ram();

  // Null when there is no such memory, or the observer wants it to fail. On the list of the current scope, as `kind`.
  RamBlock* allocate(const RamRequest& request, ResourceKind kind);
  // How much of `request.bytes` can be had in one piece, in whole pages.
  size_t available(const RamRequest& request);

  // The live block that begins at `address`, contiguous or not as asked; null if there is none.
  RamBlock* live(uintptr_t address, bool contiguous);
  void free(RamBlock& block);

  // The live or recently freed block that contains `address`, guard bytes included.
  std::optional<RamBlockInfo> find(uintptr_t address) const;
  // "the 8192-byte contiguous block 3"
  static std::string describe(const RamBlockInfo& info);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nt
