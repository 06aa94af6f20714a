#include "nt/mm/address_space.h"

#include <sys/mman.h>

#include "base/check.h"

namespace nt {

void reserve(const Region& region, int protection) {
  void* wanted = reinterpret_cast<void*>(region.base);
  void* got =
      mmap(wanted, region.bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK_MSG(got == wanted, "an arena's fixed place in the address space is taken");
}

void discard(uintptr_t base, size_t bytes) { CHECK(madvise(reinterpret_cast<void*>(base), bytes, MADV_DONTNEED) == 0); }

}  // namespace nt
