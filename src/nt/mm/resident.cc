#include "nt/mm/resident.h"

#include <fmt/format.h>

#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/pool.h"

namespace nt {

void check_resident(Machine& machine, const void* object, const char* what) {
  auto address = reinterpret_cast<uintptr_t>(object);
  if (!kPoolArena.contains(address)) return;
  auto block = machine.pool().find(address);
  if (!block || block->freed || block->kind != PoolKind::Paged) return;
  machine.report_violation(
      Violation::ObjectPaged,
      fmt::format("{} is initialised in {}, which is paged: it must be resident", what, Pool::describe(*block)),
      {{"allocated", machine.stacks().get(block->allocated_at)}});
}

}  // namespace nt
