#pragma once

#include <optional>

#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

// What the pool functions and the lookaside lists share: requests with a POOL_TYPE.
namespace nt {

// The pool that a type stands for, its modifier bits left aside; nothing for types that drivers must not use.
std::optional<PoolKind> pool_kind(POOL_TYPE type);

// What ExAllocatePoolWithTag does, for the function that the driver called. Null, or raises an exception, on failure.
void* allocate_by_type(Machine& machine, const char* function, POOL_TYPE type, size_t bytes, uint32_t tag,
                       PoolFill fill);

}  // namespace nt
