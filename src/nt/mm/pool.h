#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/debug/stack_table.h"
#include "base/mutex.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;

enum class PoolKind : uint8_t { NonPaged, NonPagedExecute, Paged, Internal };
enum class PoolFill : uint8_t { Zero, Pattern };

// What a pointer into the pool is or was, for reports.
struct PoolBlockInfo {
  uintptr_t address;
  size_t bytes;
  uint32_t tag;
  PoolKind kind;
  uint32_t ordinal;
  bool freed;
  base::StackId allocated_at;
  base::StackId freed_at;
};

// The memory a driver gets from ExAllocatePool*. Blocks lie at fixed addresses (equal seeds give equal pointers), are
// exactly as large as was asked, and stand between guard bytes: poisoned under ASan, checked on free and at the end
// otherwise. A freed block is filled, poisoned and kept back for a while. Every tracked block carries its scope and the
// stack that allocated it. Kind Internal is the machine's own (bodies of kernel objects): not tracked, no finding.
// Thread-safe; findings are reported after the lock is released.
class Pool {
 public:
  explicit Pool(Machine& machine);
  ~Pool();

  // Null when the arena is full or the observer wants it to fail. 16-byte aligned; page-aligned from a page on, as
  // Windows documents.
  void* allocate(size_t bytes, uint32_t tag, PoolKind kind, PoolFill fill);
  // `tag` 0: any. Reports Violation::PoolFreeInvalid, PoolTagMismatch, PoolPagedRaised, PoolOverrun, PoolUseAfterFree,
  // and through Dispatcher::memory_gone what is still live in the block. `by` is the function that the driver called;
  // null when the machine frees for itself, and only then may the block be of kind Internal.
  void free(void* block, uint32_t tag, const char* by = nullptr);

  // The live or recently freed block that contains `address`, guard bytes included.
  std::optional<PoolBlockInfo> find(uintptr_t address) const;
  // "the 40-byte pool block 7 with tag 'Mill'"
  static std::string describe(const PoolBlockInfo& info);

  // Checks the guard bytes of every live block and the fill of every block kept back. Called at the end of a run.
  void check_all();

  // Of the driver's blocks.
  struct Stats {
    uint64_t live_blocks, live_bytes, peak_bytes, total_allocations;
  };
  Stats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nt
