#include "nt/mm/user_memory.h"

#include <sys/mman.h>

#include "base/align.h"
#include "base/check.h"

namespace nt {

UserMemory::UserMemory(size_t bytes)
    : mapped_(base::round_up(bytes, base::kPageBytes) + base::kPageBytes), size_(bytes) {
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  mapping_ = static_cast<uint8_t*>(memory);
  CHECK(mprotect(mapping_ + mapped_ - base::kPageBytes, base::kPageBytes, PROT_NONE) == 0);
  data_ = mapping_ + (base::round_up(bytes, base::kPageBytes) - bytes) / 16 * 16;
}

UserMemory::~UserMemory() { munmap(mapping_, mapped_); }

size_t UserMemory::slack() const {
  return static_cast<size_t>(mapping_ + mapped_ - base::kPageBytes - (data_ + size_));
}

}  // namespace nt
