#include "nt/mm/ram.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "base/align.h"
#include "base/interval_map.h"
#include "base/sanitizer.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_windows.h"
#include "nt/mm/pool.h"

// A claim is what one block takes of a window:
//
//   |- page, its end the front guard -|---- block ----|- rest of the last page, or one more: the back guard -|
//
// The guards' functions are those of pool (pool_block.h); `big` is set, so that whole pages of a freed block fault.
namespace nt {
namespace {

using State = PoolBlock::State;

constexpr size_t kKeptBlocks = 64;

struct Claim {
  uintptr_t lo, hi;
};
Claim claim_of(uintptr_t address, size_t bytes) {
  return {address - base::kPageBytes, address + base::round_up(bytes + kPoolGuard, base::kPageBytes)};
}

// The offsets in `window` at which a block may lie: [lo, hi).
struct Room {
  uint64_t lo, hi;
};
std::optional<Room> room(const PhysicalWindow& window, const RamRequest& request) {
  uint64_t first = std::max(window.physical + base::kPageBytes, kFirstMegabyte);  // its guard is in the page before
  uint64_t end = window.physical + window.region.bytes - base::kPageBytes;
  uint64_t lo = std::max(first, request.low);
  uint64_t hi = request.high >= end ? end : request.high + 1;
  if (window.scattered) {
    lo = base::round_up(lo, kScatterBytes);
    hi = base::round_down(hi, kScatterBytes);
  }
  if (lo >= hi) return std::nullopt;
  return Room{lo - window.physical, hi - window.physical};
}

RamBlockInfo info_of(const RamBlock& ram) {
  const PoolBlock& block = ram.block;
  return {block.address,       block.bytes,   ram.cache, block.ordinal, ram.contiguous, block.state != State::Live,
          block.tracked.stack, block.freed_at};
}

std::string damage_text(const PoolDamage& damage, const RamBlockInfo& info) {
  if (damage.inside) {
    return fmt::format("byte {} of {} was written after it was freed", damage.inside_at, Ram::describe(info));
  }
  if (damage.after == 0) return fmt::format("{} byte(s) before {} were written", damage.before, Ram::describe(info));
  return fmt::format("{} byte(s) past the end of {} were written", damage.after, Ram::describe(info));
}

void reserve_arena() {
  static const bool once = (reserve(kRamArena, PROT_READ | PROT_WRITE), true);
  static_cast<void>(once);
}

}  // namespace

struct Ram::Impl {
  using Guard = base::Guard<base::LockRank::Pool>;
  struct Found {
    RamBlockInfo info;
    PoolDamage damage;
  };

  explicit Impl(Machine& owner) : machine(owner) {}

  std::optional<uintptr_t> place(const RamRequest& request) const REQUIRES(lock);
  std::optional<uintptr_t> place_in(const PhysicalWindow& window, const RamRequest& request) const REQUIRES(lock);
  RamBlock* take(const RamRequest& request, std::vector<Found>& found) REQUIRES(lock);
  void release_oldest(std::vector<Found>& found) REQUIRES(lock);
  void report(const std::vector<Found>& found);

  Machine& machine;
  mutable base::Mutex<base::LockRank::Pool> lock;
  base::IntervalMap<uintptr_t, std::unique_ptr<RamBlock>> claims GUARDED_BY(lock);
  std::deque<RamBlock*> kept GUARDED_BY(lock);
  uint32_t last_ordinal GUARDED_BY(lock) = 0;
};

Ram::Ram(Machine& machine) : impl_(std::make_unique<Impl>(machine)) { reserve_arena(); }

// The next machine finds the arena as this one found it: empty, and reading as zero.
Ram::~Ram() {
  Impl::Guard guard(impl_->lock);
  for (const auto& claim : impl_->claims) {
    if (claim.value->block.state == State::Kept) reuse(claim.value->block);
    base::poison(reinterpret_cast<void*>(claim.lo), claim.hi - claim.lo);
    discard(claim.lo, claim.hi - claim.lo);
  }
}

// --- Placing ---

std::optional<uintptr_t> Ram::Impl::place_in(const PhysicalWindow& window, const RamRequest& request) const {
  std::optional<Room> within = room(window, request);
  if (!within) return std::nullopt;
  for (uint64_t at = within->lo;;) {
    uint64_t physical = base::round_up(window.physical + at, request.alignment);
    if (request.boundary != 0 && physical / request.boundary != (physical + request.bytes - 1) / request.boundary) {
      physical = base::round_up(physical, request.boundary);
    }
    at = physical - window.physical;
    if (at >= within->hi || request.bytes > within->hi - at) return std::nullopt;
    Claim claim = claim_of(window.region.base + at, request.bytes);
    const auto* taken = claims.find_overlap(claim.lo, claim.hi);
    if (!taken) return window.region.base + at;
    at = taken->hi - window.region.base + base::kPageBytes;
  }
}

std::optional<uintptr_t> Ram::Impl::place(const RamRequest& request) const {
  if (request.bytes == 0 || request.bytes > kRamArena.bytes) return std::nullopt;
  if (request.boundary != 0 && request.bytes > request.boundary) return std::nullopt;
  auto high = place_in(request.contiguous ? kHighContiguous : kHighPages, request);
  return high ? high : place_in(request.contiguous ? kLowContiguous : kLowPages, request);
}

size_t Ram::available(const RamRequest& request) {
  Impl::Guard guard(impl_->lock);
  // What fits n pages fits n - 1.
  size_t fits = 0;
  size_t too_many = request.bytes / base::kPageBytes + 1;
  while (too_many - fits > 1) {
    size_t middle = fits + (too_many - fits) / 2;
    RamRequest smaller = request;
    smaller.bytes = middle * base::kPageBytes;
    (impl_->place(smaller) ? fits : too_many) = middle;
  }
  return fits * base::kPageBytes;
}

// --- Giving out and taking back ---

RamBlock* Ram::allocate(const RamRequest& request, ResourceKind kind) {
  Machine& machine = impl_->machine;
  if (machine.fails(FaultKind::Mapping, "MmAllocateContiguousMemory")) return nullptr;
  std::vector<Impl::Found> found;
  RamBlock* made;
  {
    Impl::Guard guard(impl_->lock);
    made = impl_->take(request, found);
  }
  impl_->report(found);
  if (!made) return nullptr;
  Claim claim = claim_of(made->block.address, made->block.bytes);
  base::poison(reinterpret_cast<void*>(claim.lo), claim.hi - claim.lo);
  arm(made->block, request.fill);
  base::happens_after(reinterpret_cast<void*>(made->block.address));
  made->block.tracked.kind = kind;
  machine.track(made->block.tracked);
  return made;
}

RamBlock* Ram::Impl::take(const RamRequest& request, std::vector<Found>& found) {
  std::optional<uintptr_t> address = place(request);
  while (!address && !kept.empty()) {
    release_oldest(found);
    address = place(request);
  }
  if (!address) return nullptr;
  auto made = std::make_unique<RamBlock>();
  PoolBlock& block = made->block;
  Claim claim = claim_of(*address, request.bytes);
  block.address = *address;
  block.bytes = request.bytes;
  block.guard = static_cast<uint32_t>(claim.hi - block.end());
  block.kind = PoolKind::NonPaged;
  block.state = State::Live;
  block.ordinal = ++last_ordinal;
  block.big = true;
  made->cache = request.cache;
  made->contiguous = request.contiguous;
  return claims.insert(claim.lo, claim.hi, std::move(made))->value.get();
}

RamBlock* Ram::live(uintptr_t address, bool contiguous) {
  Impl::Guard guard(impl_->lock);
  auto* claim = impl_->claims.find(address);
  if (!claim) return nullptr;
  RamBlock& ram = *claim->value;
  bool found = ram.block.state == State::Live && ram.block.address == address && ram.contiguous == contiguous;
  return found ? &ram : nullptr;
}

void Ram::free(RamBlock& ram) {
  Machine& machine = impl_->machine;
  base::StackId here = machine.here_id();
  std::vector<Impl::Found> found;
  if (PoolDamage damage = check_live(ram.block)) found.push_back({info_of(ram), damage});
  machine.dispatcher().memory_gone(ram.block.address, ram.block.end(), Dispatcher::Gone::Freed,
                                   describe(info_of(ram)).c_str());
  machine.observer().memory_gone(ram.block.address, ram.block.end());
  base::happens_before(reinterpret_cast<void*>(ram.block.address));
  machine.untrack(ram.block.tracked);
  {
    Impl::Guard guard(impl_->lock);
    poison_freed(ram.block);
    ram.block.state = State::Kept;
    ram.block.freed_at = here;
    impl_->kept.push_back(&ram);
    if (impl_->kept.size() > kKeptBlocks) impl_->release_oldest(found);
  }
  impl_->report(found);
}

void Ram::Impl::release_oldest(std::vector<Found>& found) {
  RamBlock& ram = *kept.front();
  kept.pop_front();
  if (PoolDamage damage = check_freed(ram.block)) found.push_back({info_of(ram), damage});
  reuse(ram.block);
  Claim claim = claim_of(ram.block.address, ram.block.bytes);
  discard(claim.lo, claim.hi - claim.lo);
  claims.erase(claim.lo);
}

// --- Telling ---

void Ram::Impl::report(const std::vector<Found>& found) {
  Machine::KeptStacks stacks = machine.stacks();
  for (const auto& [info, damage] : found) {
    std::vector<RoleStack> roles = {{"allocated", stacks.get(info.allocated_at)}};
    if (info.freed) roles.push_back({"freed", stacks.get(info.freed_at)});
    machine.report_violation(damage.inside ? Violation::PoolUseAfterFree : Violation::PoolOverrun,
                             damage_text(damage, info), roles);
  }
}

std::optional<RamBlockInfo> Ram::find(uintptr_t address) const {
  Impl::Guard guard(impl_->lock);
  const auto* claim = impl_->claims.find(address);
  if (!claim) return std::nullopt;
  return info_of(*claim->value);
}

std::string Ram::describe(const RamBlockInfo& info) {
  return fmt::format("the {}-byte {} {}", info.bytes, info.contiguous ? "contiguous block" : "block of pages",
                     info.ordinal);
}

}  // namespace nt
