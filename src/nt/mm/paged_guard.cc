#include "nt/mm/paged_guard.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/check.h"
#include "nt/fault/fault.h"
#include "nt/ke/irql.h"
#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

std::optional<FaultStory> explain(Machine& machine, uintptr_t address) {
  if (!touches_paged_raised(machine, address)) return std::nullopt;
  return FaultStory{Violation::PoolPagedRaised,
                    fmt::format("{}, which is paged, is touched at {}", Pool::describe(*machine.pool().find(address)),
                                irql_name(machine.self().irql))};
}

}  // namespace

constinit PagedGuard PagedGuard::the_guard_;

void PagedGuard::enable() {
  static const bool added = (add_fault_explainer(&explain), true);
  enabled_ = added;
}

void PagedGuard::cover(uintptr_t begin, uintptr_t end) {
  begin_ = begin;
  end_ = end;
}

void PagedGuard::forget() {
  if (closed_) change(false);
  begin_ = end_ = 0;
}

void PagedGuard::change(bool closed) {
  if constexpr (base::kSanitizer == base::Sanitizer::Thread) return;
  if (closed) closed_end_ = end_;
  int rights = closed ? PROT_NONE : PROT_READ | PROT_WRITE;
  CHECK(mprotect(reinterpret_cast<void*>(begin_), closed_end_ - begin_, rights) == 0);
  closed_ = closed;
}

bool PagedGuard::open_after_fault(uintptr_t address) {
  if (!closed_ || address < begin_ || address >= closed_end_) return false;
  change(false);
  return true;
}

bool touches_paged_raised(Machine& machine, uintptr_t address) {
  const Thread* thread = Thread::current();
  if (!thread || !thread->driver_call || thread->left_driver_at != 0 || thread->irql < DISPATCH_LEVEL) return false;
  auto block = machine.pool().find(address);
  if (!block || block->freed || block->kind != PoolKind::Paged) return false;
  return address >= block->address && address < block->address + block->bytes && !machine.physical().is_held(address);
}

}  // namespace nt
