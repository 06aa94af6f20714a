#include "nt/mm/pool_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/sanitizer.h"
#include "nt/mm/address_space.h"

namespace nt {
namespace {

constexpr uint8_t kGuardFill = 0xFD, kFreshFill = 0xCD, kFreedFill = 0xDD;
// Uninitialised memory is filled this far. To fill gigabytes would commit pages that the driver may never touch.
constexpr size_t kFreshLimit = size_t{1} << 20;

uint8_t* at(uintptr_t address) { return reinterpret_cast<uint8_t*>(address); }

bool all_are(const uint8_t* bytes, size_t count, uint8_t value) {
  return count == 0 || (bytes[0] == value && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

void write_guards(const PoolBlock& block) {
  std::memset(at(block.guard_begin()), kGuardFill, kPoolGuard);
  std::memset(at(block.end()), kGuardFill, block.guard);
}

void forbid_guards(const PoolBlock& block) {
  base::poison(at(block.guard_begin()), kPoolGuard);
  base::poison(at(block.end()), block.guard);
}

PoolDamage check_guards(const PoolBlock& block) {
  PoolDamage damage;
  const uint8_t* front = at(block.guard_begin());
  if (!all_are(front, kPoolGuard, kGuardFill)) {
    damage.before = kPoolGuard;
    while (front[kPoolGuard - damage.before] == kGuardFill) --damage.before;
  }
  const uint8_t* back = at(block.end());
  if (!all_are(back, block.guard, kGuardFill)) {
    damage.after = block.guard;
    while (back[damage.after - 1] == kGuardFill) --damage.after;
  }
  return damage;
}

void protect_pages(const PoolBlock& block, int protection) {
  if (block.fill_from() != 0) CHECK(mprotect(at(block.address), block.fill_from(), protection) == 0);
}

}  // namespace

void arm(PoolBlock& block, PoolFill fill) {
  base::unpoison(at(block.guard_begin()), block.guard_end() - block.guard_begin());
  write_guards(block);
  if (fill == PoolFill::Zero) {
    std::memset(at(block.address + block.fill_from()), 0, block.bytes - block.fill_from());
  } else {
    std::memset(at(block.address), kFreshFill, std::min(block.bytes, kFreshLimit));
  }
  forbid_guards(block);
}

PoolDamage check_live(PoolBlock& block) {
  base::unpoison(at(block.guard_begin()), kPoolGuard);
  base::unpoison(at(block.end()), block.guard);
  PoolDamage damage = check_guards(block);
  if (damage) write_guards(block);
  forbid_guards(block);
  return damage;
}

void poison_freed(PoolBlock& block) {
  std::memset(at(block.address + block.fill_from()), kFreedFill, block.bytes - block.fill_from());
  if (block.fill_from() != 0) discard(block.address, block.fill_from());
  protect_pages(block, PROT_NONE);
  base::poison(at(block.address), block.bytes);
}

PoolDamage check_freed(PoolBlock& block) {
  base::unpoison(at(block.guard_begin()), kPoolGuard);
  base::unpoison(at(block.address + block.fill_from()), block.guard_end() - block.address - block.fill_from());
  PoolDamage damage = check_guards(block);
  const uint8_t* filled = at(block.address + block.fill_from());
  size_t count = block.bytes - block.fill_from();
  if (!all_are(filled, count, kFreedFill)) {
    const uint8_t* changed = std::find_if(filled, filled + count, [](uint8_t byte) { return byte != kFreedFill; });
    damage.inside = true;
    damage.inside_at = static_cast<size_t>(changed - at(block.address));
    std::memset(at(block.address + block.fill_from()), kFreedFill, count);
  }
  if (damage) write_guards(block);
  forbid_guards(block);
  base::poison(filled, count);
  return damage;
}

void reuse(PoolBlock& block) {
  if (!block.big) return;
  protect_pages(block, PROT_READ | PROT_WRITE);
  uintptr_t tail = block.address + block.fill_from();
  base::unpoison(at(tail), block.guard_end() - tail);
  std::memset(at(tail), 0, block.guard_end() - tail);
  base::poison(at(tail), block.guard_end() - tail);
}

}  // namespace nt
