#include "nt/ex/kernel_body.h"

#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {

void* allocate_body(Machine& machine, size_t bytes) {
  if (machine.fails(FaultKind::Pool, "kernel object")) return nullptr;
  return machine.pool().allocate(bytes, 0, PoolKind::Internal, PoolFill::Zero);
}

}  // namespace nt
