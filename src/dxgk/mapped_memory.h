#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/mutex.h"
#include "base/result.h"

namespace dxgk {

class Adapter;

// What a driver has mapped of its device's memory with DxgkCbMapMemory: DxgkCbUnmapMemory is told no length. Owned by
// the adapter; any thread. That everything is unmapped again is judged by the adapter's scope.
class MappedMemory {
 public:
  explicit MappedMemory(Adapter& adapter) : adapter_(adapter) {}

  base::Result<void*> map(uint64_t physical, size_t bytes);
  // A finding for an address that map() did not return, or that was unmapped before.
  base::Result<> unmap(void* address);

 private:
  Adapter& adapter_;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::map<uintptr_t, size_t> bytes_ GUARDED_BY(lock_);
};

}  // namespace dxgk
