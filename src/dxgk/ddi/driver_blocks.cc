#include "dxgk/ddi/driver_blocks.h"

#include <algorithm>

#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "nt/mm/pool_block.h"

namespace dxgk {

std::optional<DriverBlock> driver_block(nt::Machine& machine, HANDLE handle) {
  if (!handle || machine.options().pace != nt::Pace::Simulated) return std::nullopt;
  auto address = reinterpret_cast<uintptr_t>(handle);
  auto found = machine.pool().find(address);
  if (!found || found->freed || found->address != address || found->kind == nt::PoolKind::Internal) {
    return std::nullopt;
  }
  return DriverBlock{address, found->ordinal, true};
}

bool freed(nt::Machine& machine, const DriverBlock& block) {
  auto found = machine.pool().find(block.address);
  return !found || found->freed || found->ordinal != block.ordinal;
}

std::vector<DriverBlock> LateReleases::take_freed() {
  auto first = std::stable_partition(kept_.begin(), kept_.end(),
                                     [&](const DriverBlock& block) { return !freed(machine_, block); });
  std::vector<DriverBlock> gone(first, kept_.end());
  kept_.erase(first, kept_.end());
  return gone;
}

bool LateReleases::checks() const { return machine_.options().pace == nt::Pace::Simulated; }

// While another call is in progress, that call may be the one that frees the block: then nothing is reported.
void LateReleases::look() {
  if (!checks()) return;
  std::vector<DriverBlock> late;
  {
    base::Guard guard(lock_);
    if (inside_ == 0 && !kept_.empty()) late = take_freed();
  }
  tell(late);
}

void LateReleases::exempt() {
  if (!checks()) return;
  base::Guard guard(lock_);
  std::erase_if(kept_, [&](const DriverBlock& block) { return !block.is_handle && freed(machine_, block); });
}

void LateReleases::enter() {
  if (!checks()) return;
  look();
  base::Guard guard(lock_);
  ++inside_;
}

// One thread runs at a time where this is checked: nothing else changes the scope meanwhile.
void LateReleases::creation_over(nt::Scope& creation) {
  if (!checks()) return;
  std::vector<DriverBlock> left;
  creation.for_each([&](const nt::Tracked& item) {
    if (item.kind != nt::ResourceKind::Pool) return;
    static_assert(offsetof(nt::PoolBlock, tracked) == 0);
    const auto& block = reinterpret_cast<const nt::PoolBlock&>(item);
    left.push_back({block.address, block.ordinal, false});
  });
  base::Guard guard(lock_);
  for (const DriverBlock& block : left) {
    auto is_it = [&](const DriverBlock& one) { return one.address == block.address; };
    if (std::ranges::none_of(kept_, is_it)) kept_.push_back(block);
  }
}

void LateReleases::leave(const std::vector<DriverBlock>& destroyed) {
  if (!checks()) return;
  base::Guard guard(lock_);
  --inside_;
  if (!kept_.empty()) static_cast<void>(take_freed());
  for (const DriverBlock& block : destroyed) {
    if (!freed(machine_, block)) kept_.push_back(block);
  }
}

void LateReleases::reused(HANDLE handle) {
  if (!checks()) return;
  base::Guard guard(lock_);
  std::erase_if(kept_, [&](const DriverBlock& block) { return block.address == reinterpret_cast<uintptr_t>(handle); });
}

void LateReleases::judge() {
  std::vector<DriverBlock> late;
  {
    base::Guard guard(lock_);
    late = take_freed();
    kept_.clear();
  }
  tell(late);
}

void LateReleases::tell(const std::vector<DriverBlock>& late) {
  for (const DriverBlock& block : late) {
    std::vector<nt::RoleStack> stacks;
    auto found = machine_.pool().find(block.address);
    if (found && found->freed && found->ordinal == block.ordinal) {
      stacks.push_back({"allocated", machine_.stacks().get(found->allocated_at)});
      stacks.push_back({"freed", machine_.stacks().get(found->freed_at)});
    }
    machine_.report_violation(
        nt::Violation::DestroyedLater,
        "DxgkDdiDestroyAllocation returned while the allocation's memory was still there, and the driver "
        "released it afterwards",
        std::move(stacks));
  }
}

}  // namespace dxgk
