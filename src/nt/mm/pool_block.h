#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.h"
#include "base/debug/stack_table.h"
#include "nt/machine/scope.h"
#include "nt/mm/pool.h"

namespace nt {

inline constexpr size_t kPoolGuard = 16;

// What is known about one cell of the pool's arena. Kept apart from the cell, so that a driver that writes around its
// block cannot damage it. Owned by the arena; guarded by the pool's lock, except `tracked`, which the machine's scopes
// guard.
//
//   cell |-- guard 16 --|---- bytes ----|-- guard, at least 16 --|
//                       ^ address                                ^ guard_end()
struct PoolBlock {
  enum class State : uint8_t {
    Unused,   // a cell that never was a block
    Free,     // its last life is over
    Live,     // the driver's
    Freeing,  // being looked at; already gone for the driver
    Kept,     // filled and kept back
  };

  Tracked tracked;
  uintptr_t address = 0;
  size_t bytes = 0;
  PoolBlock* next = nullptr;  // in a free list, or among those kept back
  uint32_t tag = 0;
  uint32_t ordinal = 0;  // counts the driver's blocks; 0 for the machine's own
  base::StackId freed_at = 0;
  uint32_t guard = 0;  // guard bytes after the block
  PoolKind kind = PoolKind::Internal;
  State state = State::Unused;
  uint8_t size_class = 0;
  bool big = false;  // its whole pages are given back to the system when it is freed

  uintptr_t end() const { return address + bytes; }
  uintptr_t guard_begin() const { return address - kPoolGuard; }
  uintptr_t guard_end() const { return end() + guard; }
  // Where the part begins that is filled when the block is freed: all of it, or a big one's last, partial page.
  size_t fill_from() const { return big ? base::round_down(bytes, base::kPageBytes) : 0; }
};

// How far bytes around a block, or in a freed one, were changed.
struct PoolDamage {
  size_t before = 0;    // the farthest changed byte in front of the block
  size_t after = 0;     // the farthest changed byte behind it
  bool inside = false;  // a freed block was written
  size_t inside_at = 0;
  explicit operator bool() const { return before || after || inside; }
};

// Makes a cell into a block of `bytes` (set before): guards written, bytes filled, all else forbidden to touch.
void arm(PoolBlock& block, PoolFill fill);
// The guards of a live block. Repairs what it found, so that it is reported once.
PoolDamage check_live(PoolBlock& block);
// Makes a freed block untouchable: filled and poisoned, a big one without memory.
void poison_freed(PoolBlock& block);
// The fill and the guards of a freed block.
PoolDamage check_freed(PoolBlock& block);
// A freed block's cell is about to be used again: a big one has memory again, which reads as zero.
void reuse(PoolBlock& block);

}  // namespace nt
