#include "dxgk/memory/mapped_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "nt/hardware/registers.h"
#include "nt/machine/machine.h"

namespace dxgk {
namespace {

const char* name_of(MEMORY_CACHING_TYPE cache) {
  switch (cache) {
    case MmNonCached:
      return "MmNonCached";
    case MmCached:
      return "MmCached";
    case MmWriteCombined:
      return "MmWriteCombined";
    default:
      return "a caching type that is the system's own";
  }
}

}  // namespace

bool MappedMemory::Mapping::shares_page(uint64_t start, size_t length) const {
  return start / base::kPageBytes <= (physical + bytes - 1) / base::kPageBytes &&
         physical / base::kPageBytes <= (start + length - 1) / base::kPageBytes;
}

void MappedMemory::check_caching(uint64_t start, size_t length, MEMORY_CACHING_TYPE cache) {
  std::optional<Mapping> other;
  {
    base::Guard guard(lock_);
    for (const auto& [address, mapping] : mappings_) {
      if (mapping.cache != cache && mapping.shares_page(start, length)) other = mapping;
    }
  }
  if (!other) return;
  adapter_.machine().report_violation(
      nt::Violation::CacheTypeConflict,
      fmt::format("DxgkCbMapMemory was called with {} for 0x{:X} bytes at physical address 0x{:X}, "
                  "and 0x{:X} bytes at 0x{:X} are mapped with {}",
                  name_of(cache), length, start, other->bytes, other->physical, name_of(other->cache)));
}

base::Result<void*> MappedMemory::map(uint64_t physical, size_t bytes, MEMORY_CACHING_TYPE cache) {
  const auto& ranges = adapter_.hardware().memory;
  bool ours = std::any_of(ranges.begin(), ranges.end(), [&](const nt::Device::Range& range) {
    return physical >= range.physical && bytes <= range.bytes && physical - range.physical <= range.bytes - bytes;
  });
  if (!ours) return base::Failure(STATUS_INVALID_PARAMETER, "the range is not in the adapter's translated resources");
  void* address = adapter_.machine().registers().map(physical, bytes);
  if (!address) return base::Failure(STATUS_INVALID_PARAMETER, "no device answers there");
  check_caching(physical, bytes, cache);
  base::Guard guard(lock_);
  mappings_[reinterpret_cast<uintptr_t>(address)] = {physical, bytes, cache};
  return address;
}

base::Result<> MappedMemory::unmap(void* address) {
  size_t bytes = 0;
  {
    base::Guard guard(lock_);
    auto found = mappings_.find(reinterpret_cast<uintptr_t>(address));
    if (found != mappings_.end()) {
      bytes = found->second.bytes;
      mappings_.erase(found);
    }
  }
  if (bytes == 0) {
    adapter_.machine().report_violation(nt::Violation::IoSpaceMismatch,
                                        "DxgkCbUnmapMemory was given an address that is not mapped by DxgkCbMapMemory");
    return base::Failure(STATUS_INVALID_PARAMETER, "the address is not mapped");
  }
  adapter_.machine().registers().unmap(address, bytes);
  return {};
}

}  // namespace dxgk
