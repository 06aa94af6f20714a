#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dxgk {

class Adapter;

// What a driver has mapped of its device's memory with DxgkCbMapMemory: DxgkCbUnmapMemory is told no length. Owned by
// the adapter; any thread. The adapter's scope reports what was not unmapped.
class MappedMemory {
 public:
  explicit MappedMemory(Adapter& adapter) : adapter_(adapter) {}

  // A finding for pages that are mapped already, with another caching type.
  base::Result<void*> map(uint64_t physical, size_t bytes, MEMORY_CACHING_TYPE cache);
  // A finding for an address that map() did not return, or that was unmapped before.
  base::Result<> unmap(void* address);

 private:
  struct Mapping {
    uint64_t physical;
    size_t bytes;
    MEMORY_CACHING_TYPE cache;

    bool shares_page(uint64_t start, size_t length) const;
  };
  void check_caching(uint64_t physical, size_t bytes, MEMORY_CACHING_TYPE cache);

  Adapter& adapter_;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::map<uintptr_t, Mapping> mappings_ GUARDED_BY(lock_);  // by address
};

}  // namespace dxgk
