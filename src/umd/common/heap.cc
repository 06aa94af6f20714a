#include "umd/common/heap.h"

#include <algorithm>
#include <cstring>

#include "nt/boundary/kernel_code.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace {

constexpr uint32_t kTag = 'H' | 'e' << 8 | 'a' << 16 | 'p' << 24;

void* allocate(size_t bytes, nt::PoolFill fill) {
  return nt::Machine::current()->pool().allocate(bytes, kTag, nt::PoolKind::NonPaged, fill);
}

}  // namespace

extern "C" {

void* DrydockMalloc(size_t bytes) {
  nt::KernelCode code;
  return allocate(bytes, nt::PoolFill::Pattern);
}

void* DrydockCalloc(size_t count, size_t bytes) {
  nt::KernelCode code;
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
  return allocate(total, nt::PoolFill::Zero);
}

void* DrydockRealloc(void* block, size_t bytes) {
  nt::KernelCode code;
  void* grown = allocate(bytes, nt::PoolFill::Pattern);
  if (!grown || !block) return grown;
  nt::Pool& pool = nt::Machine::current()->pool();
  if (auto info = pool.find(reinterpret_cast<uintptr_t>(block)))
    std::memcpy(grown, block, std::min(bytes, info->bytes));
  pool.free(block, kTag, "realloc");
  return grown;
}

void DrydockFree(void* block) {
  nt::KernelCode code;
  if (block) nt::Machine::current()->pool().free(block, kTag, "free");
}
}
