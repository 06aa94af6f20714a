#include "dxgk/mapped_memory.h"

#include <algorithm>

#include "dxgk/adapter.h"
#include "dxgk/adapter_hardware.h"
#include "nt/machine.h"

namespace dxgk {

base::Result<void*> MappedMemory::map(uint64_t physical, size_t bytes) {
  const auto& ranges = adapter_.hardware().memory;
  bool ours = std::any_of(ranges.begin(), ranges.end(), [&](const nt::Device::Range& range) {
    return physical >= range.physical && bytes <= range.bytes && physical - range.physical <= range.bytes - bytes;
  });
  if (!ours) return base::Failure(STATUS_INVALID_PARAMETER, "the range is not in the adapter's translated resources");
  void* address = adapter_.machine().registers().map(physical, bytes);
  if (!address) return base::Failure(STATUS_INVALID_PARAMETER, "no device answers there");
  base::Guard guard(lock_);
  bytes_[reinterpret_cast<uintptr_t>(address)] = bytes;
  return address;
}

base::Result<> MappedMemory::unmap(void* address) {
  size_t bytes = 0;
  {
    base::Guard guard(lock_);
    auto found = bytes_.find(reinterpret_cast<uintptr_t>(address));
    if (found != bytes_.end()) {
      bytes = found->second;
      bytes_.erase(found);
    }
  }
  if (bytes == 0) {
    adapter_.machine().broke(nt::Broke::IoSpaceMismatch,
                             "DxgkCbUnmapMemory was given an address that is not mapped by DxgkCbMapMemory");
    return base::Failure(STATUS_INVALID_PARAMETER, "the address is not mapped");
  }
  adapter_.machine().registers().unmap(address, bytes);
  return {};
}

}  // namespace dxgk
