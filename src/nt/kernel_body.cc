#include "nt/kernel_body.h"

#include "nt/machine.h"

namespace nt {

void* allocate_body(Machine& machine, size_t bytes) {
  if (machine.probe().fail_allocation({bytes, 0, machine.here_id()})) return nullptr;
  return machine.pool().allocate(bytes, 0, PoolKind::Internal, PoolFill::Zero);
}

}  // namespace nt
