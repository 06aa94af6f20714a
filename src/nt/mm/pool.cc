#include "nt/mm/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/sanitizer.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/irql.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool_arena.h"

// A block's life:
//
//   take ─► Live ──free──► Freeing ──► Kept ──(1024 frees later)──► Free ─► take …
//                  guards            filled,      fill and
//                  checked           poisoned     guards checked
//
// Nothing is reported while the lock is held: what is found goes into a list, and is reported after the release.
// The machine's scopes and stacks have a lock of the same rank, so they too are used before or after.
namespace nt {
namespace {

using State = PoolBlock::State;

constexpr size_t kKeptBlocks = 1024;
constexpr size_t kKeptBytes = size_t{16} << 20;

PoolBlockInfo info_of(const PoolBlock& block) {
  return {block.address,       block.bytes,   block.tag, block.kind, block.ordinal, block.state != State::Live,
          block.tracked.stack, block.freed_at};
}

std::string tag_text(uint32_t tag) {
  if (tag == 0) return "without a tag";
  std::string text = "with tag '";
  for (; tag != 0; tag >>= 8) {
    auto letter = static_cast<char>(tag & 0xFF);
    text += letter >= ' ' && letter <= '~' ? letter : '.';
  }
  return text + "'";
}

std::string damage_text(const PoolDamage& damage, const PoolBlockInfo& info) {
  if (damage.inside)
    return fmt::format("byte {} of {} was written after it was freed", damage.inside_at, Pool::describe(info));
  if (damage.after == 0) return fmt::format("{} byte(s) before {} were written", damage.before, Pool::describe(info));
  return fmt::format("{} byte(s) past the end of {} were written{}", damage.after, Pool::describe(info),
                     damage.before ? ", and bytes before it" : "");
}

}  // namespace

struct Pool::Impl {
  using Guard = base::Guard<base::LockRank::Pool>;
  struct Found {
    PoolBlockInfo info;
    PoolDamage damage;
  };

  explicit Impl(Machine& owner) : machine(owner), arena(PoolArena::instance()) {
    Guard guard(lock);
    arena.begin();
  }
  ~Impl() {
    Guard guard(lock);
    arena.end();
  }

  PoolBlock* take(size_t bytes, bool paged, std::vector<Found>& found) REQUIRES(lock);
  void settle(PoolBlock& block, uint32_t tag, PoolKind kind) REQUIRES(lock);
  // Null (and a finding) unless `address` is a live block that `by` may free; it is Freeing then.
  PoolBlock* begin_free(uintptr_t address, const char* by, base::StackId here);
  void refuse(uintptr_t address, const char* by, const std::optional<PoolBlockInfo>& there);
  void judge(const PoolBlockInfo& info, uint32_t tag, const char* by);
  void gone(const PoolBlockInfo& info);
  void keep(PoolBlock& block, std::vector<Found>& found) REQUIRES(lock);
  void release_oldest(std::vector<Found>& found) REQUIRES(lock);
  void report(const std::vector<Found>& found);
  void report(Violation what, std::string sentence, const PoolBlockInfo& info);

  Machine& machine;
  mutable base::Mutex<base::LockRank::Pool> lock;
  PoolArena& arena GUARDED_BY(lock);
  PoolBlock* oldest_kept GUARDED_BY(lock) = nullptr;
  PoolBlock* newest_kept GUARDED_BY(lock) = nullptr;
  size_t kept_blocks GUARDED_BY(lock) = 0;
  size_t kept_bytes GUARDED_BY(lock) = 0;
  Stats stats GUARDED_BY(lock) = {};
};

Pool::Pool(Machine& machine) : impl_(std::make_unique<Impl>(machine)) {}
Pool::~Pool() = default;

// --- Allocating ---

void* Pool::allocate(size_t bytes, uint32_t tag, PoolKind kind, PoolFill fill) {
  Machine& machine = impl_->machine;
  bool drivers = kind != PoolKind::Internal;
  if (drivers && machine.fails(FaultKind::Pool, "ExAllocatePool")) return nullptr;
  std::vector<Impl::Found> found;
  PoolBlock* block;
  {
    Impl::Guard guard(impl_->lock);
    block = impl_->take(bytes, kind == PoolKind::Paged, found);
    if (block) impl_->settle(*block, tag, kind);
  }
  impl_->report(found);
  if (!block) return nullptr;
  arm(*block, fill);
  auto* memory = reinterpret_cast<void*>(block->address);
  base::happens_after(memory);
  if (drivers) {
    machine.track(block->tracked);
    machine.note(trace::PoolAllocate{.tag = tag, .size = bytes, .ordinal = block->ordinal});
  }
  return memory;
}

PoolBlock* Pool::Impl::take(size_t bytes, bool paged, std::vector<Found>& found) {
  PoolBlock* block = arena.take(bytes, paged);
  while (!block && oldest_kept) {
    release_oldest(found);
    block = arena.take(bytes, paged);
  }
  return block;
}

void Pool::Impl::settle(PoolBlock& block, uint32_t tag, PoolKind kind) {
  block.tracked = {};
  block.tag = tag;
  block.kind = kind;
  block.freed_at = 0;
  block.state = State::Live;
  block.ordinal = 0;
  if (kind == PoolKind::Internal) return;
  block.ordinal = static_cast<uint32_t>(++stats.total_allocations);
  ++stats.live_blocks;
  stats.live_bytes += block.bytes;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
}

// --- Freeing ---

void Pool::free(void* memory, uint32_t tag, const char* by) {
  Machine& machine = impl_->machine;
  auto address = reinterpret_cast<uintptr_t>(memory);
  PoolBlock* block = impl_->begin_free(address, by, machine.here_id());
  if (!block) return;
  PoolBlockInfo info = info_of(*block);
  bool drivers = info.kind != PoolKind::Internal;
  if (drivers) {
    impl_->judge(info, tag, by);
    if (PoolDamage damage = check_live(*block)) impl_->report({{info, damage}});
  }
  if (info.bytes != 0) impl_->gone(info);
  base::happens_before(memory);
  if (drivers) {
    machine.untrack(block->tracked);
    machine.note(trace::PoolFree{.tag = info.tag, .size = info.bytes, .ordinal = info.ordinal});
  }
  std::vector<Impl::Found> found;
  {
    Impl::Guard guard(impl_->lock);
    impl_->keep(*block, found);
  }
  impl_->report(found);
}

PoolBlock* Pool::Impl::begin_free(uintptr_t address, const char* by, base::StackId here) {
  std::optional<PoolBlockInfo> there;
  {
    Guard guard(lock);
    PoolBlock* block = arena.find(address);
    if (block) {
      bool allowed = block->kind != PoolKind::Internal || !by;
      if (block->state == State::Live && block->address == address && allowed) {
        block->state = State::Freeing;
        block->freed_at = here;
        return block;
      }
      there = info_of(*block);
    }
  }
  refuse(address, by, there);
  return nullptr;
}

void Pool::Impl::refuse(uintptr_t address, const char* by, const std::optional<PoolBlockInfo>& there) {
  const char* name = by ? by : "a free";
  if (!there) {
    const char* what = address == 0                    ? "NULL"
                       : kStackArena.contains(address) ? "an address on a stack"
                       : kPoolArena.contains(address)  ? "an address of pool that was never allocated"
                                                       : "an address that is not of pool";
    machine.report_violation(Violation::PoolFreeInvalid, fmt::format("{} was given {}", name, what));
    return;
  }
  std::string what = describe(*there);
  if (there->kind == PoolKind::Internal) {
    machine.report_violation(Violation::PoolFreeInvalid,
                             fmt::format("{} was given an object of the machine, which is not pool", name));
  } else if (address != there->address) {
    auto offset = static_cast<intptr_t>(address - there->address);
    report(Violation::PoolFreeInvalid,
           fmt::format("{} was given an address {} byte(s) {} {}", name, std::abs(offset),
                       offset < 0 ? "before" : "inside", what),
           *there);
  } else {
    report(Violation::PoolFreeInvalid, fmt::format("{} was given {}, which was freed before", name, what), *there);
  }
}

// What is wrong with the way a live block is freed.
void Pool::Impl::judge(const PoolBlockInfo& info, uint32_t tag, const char* by) {
  const char* name = by ? by : "a free";
  if (tag != 0 && tag != info.tag) {
    report(Violation::PoolTagMismatch, fmt::format("{} was called for {} {}", name, describe(info), tag_text(tag)),
           info);
  }
  KIRQL irql = machine.self().irql;
  if (info.kind == PoolKind::Paged && irql >= DISPATCH_LEVEL) {
    report(Violation::PoolPagedRaised,
           fmt::format("{} was called for {}, which is paged, at {}", name, describe(info), irql_name(irql)), info);
  }
}

void Pool::Impl::gone(const PoolBlockInfo& info) {
  Dispatcher& dispatcher = machine.dispatcher();
  uintptr_t end = info.address + info.bytes;
  bool live;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    live = dispatcher.live().any_in(info.address, end);
  }
  // Asked first, because making the description costs more than all the rest.
  if (__builtin_expect(live, 0)) {
    dispatcher.memory_gone(info.address, end, Dispatcher::Gone::Freed, describe(info).c_str());
  }
  machine.observer().memory_gone(info.address, end);
}

// --- Keeping back ---

void Pool::Impl::keep(PoolBlock& block, std::vector<Found>& found) {
  poison_freed(block);
  block.state = State::Kept;
  block.next = nullptr;
  (newest_kept ? newest_kept->next : oldest_kept) = &block;
  newest_kept = &block;
  ++kept_blocks;
  kept_bytes += block.bytes - block.fill_from();
  if (block.kind != PoolKind::Internal) {
    --stats.live_blocks;
    stats.live_bytes -= block.bytes;
  }
  while (kept_blocks > kKeptBlocks || kept_bytes > kKeptBytes) release_oldest(found);
}

void Pool::Impl::release_oldest(std::vector<Found>& found) {
  PoolBlock& block = *oldest_kept;
  oldest_kept = block.next;
  if (!oldest_kept) newest_kept = nullptr;
  --kept_blocks;
  kept_bytes -= block.bytes - block.fill_from();
  if (PoolDamage damage = check_freed(block)) found.push_back({info_of(block), damage});
  reuse(block);
  arena.give(block);
}

// --- Telling ---

void Pool::Impl::report(Violation what, std::string sentence, const PoolBlockInfo& info) {
  Machine::KeptStacks stacks = machine.stacks();
  if (info.freed) {
    machine.report_violation(what, std::move(sentence),
                             {{"allocated", stacks.get(info.allocated_at)}, {"freed", stacks.get(info.freed_at)}});
  } else {
    machine.report_violation(what, std::move(sentence), {{"allocated", stacks.get(info.allocated_at)}});
  }
}

void Pool::Impl::report(const std::vector<Found>& found) {
  for (const Found& item : found) {
    if (item.info.kind == PoolKind::Internal) continue;
    report(item.damage.inside ? Violation::PoolUseAfterFree : Violation::PoolOverrun,
           damage_text(item.damage, item.info), item.info);
  }
}

std::optional<PoolBlockInfo> Pool::find(uintptr_t address) const {
  Impl::Guard guard(impl_->lock);
  const PoolBlock* block = impl_->arena.find(address);
  if (!block) return std::nullopt;
  return info_of(*block);
}

std::string Pool::describe(const PoolBlockInfo& info) {
  if (info.kind == PoolKind::Internal) return "an object of the machine";
  return fmt::format("the {}-byte pool block {} {}", info.bytes, info.ordinal, tag_text(info.tag));
}

void Pool::check_all() {
  std::vector<Impl::Found> found;
  {
    Impl::Guard guard(impl_->lock);
    impl_->arena.for_each_used([&](PoolBlock& block) {
      PoolDamage damage;
      if (block.state == State::Live) damage = check_live(block);
      if (block.state == State::Kept) damage = check_freed(block);
      if (damage) found.push_back({info_of(block), damage});
    });
  }
  impl_->report(found);
}

Pool::Stats Pool::stats() const {
  Impl::Guard guard(impl_->lock);
  return impl_->stats;
}

}  // namespace nt
