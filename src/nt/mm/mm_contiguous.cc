// Contiguous memory and physical addresses. Pages: wdm/nf-wdm-mmallocatecontiguousmemoryspecifycache,
// nf-wdm-mmfreecontiguousmemory, ntddk/nf-ntddk-mmgetphysicaladdress, …
#include <fmt/format.h>

#include <bit>

#include "nt/boundary/address_check.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/hardware/registers.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/physical_windows.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::RamBlock;
using nt::RamRequest;
using nt::Violation;

namespace {

void* refused(Machine& machine, const char* why) {
  static_cast<void>(nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER, why)));
  return nullptr;
}

uint64_t bits(PHYSICAL_ADDRESS address) { return static_cast<uint64_t>(address.QuadPart); }

// There is one node, so that any may be preferred.
void* allocate(Machine& machine, const RamRequest& request) {
  if (request.bytes == 0) return refused(machine, "contiguous memory of no bytes");
  if (request.boundary != 0 && !std::has_single_bit(request.boundary)) {
    return refused(machine, "BoundaryAddressMultiple is no power of two");
  }
  RamBlock* made = machine.physical().ram().allocate(request, nt::ResourceKind::ContiguousMemory);
  return made ? reinterpret_cast<void*>(made->block.address) : nullptr;
}

// What is freed must have been given by the functions above. A size of 0 is any.
void free(Machine& machine, const char* function, void* memory, SIZE_T bytes, const MEMORY_CACHING_TYPE* cache) {
  nt::Ram& ram = machine.physical().ram();
  RamBlock* block = ram.live(reinterpret_cast<uintptr_t>(memory), true);
  if (!block) {
    auto there = ram.find(reinterpret_cast<uintptr_t>(memory));
    machine.report_violation(Violation::ContiguousMismatch,
                             fmt::format("{} was given {}", function,
                                         !there         ? "an address that is not of contiguous memory"
                                         : there->freed ? nt::Ram::describe(*there) + ", which was freed before"
                                                        : "an address inside " + nt::Ram::describe(*there)));
    return;
  }
  if ((bytes != 0 && bytes != block->block.bytes) || (cache && *cache != block->cache)) {
    machine.report_violation(
        Violation::ContiguousMismatch,
        fmt::format("{} was called with {} bytes of caching type {}, for {} bytes of type {}", function, bytes,
                    static_cast<int>(*cache), block->block.bytes, static_cast<int>(block->cache)));
  }
  ram.free(*block);
}

}  // namespace

extern "C" {

PVOID MmAllocateContiguousMemory(SIZE_T bytes, PHYSICAL_ADDRESS highest) {
  KernelEntry call{Fn::MmAllocateContiguousMemory};
  return allocate(call.machine(), {.bytes = bytes, .high = bits(highest)});
}

PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T bytes, PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest,
                                             PHYSICAL_ADDRESS boundary, MEMORY_CACHING_TYPE cache) {
  KernelEntry call{Fn::MmAllocateContiguousMemorySpecifyCache};
  return allocate(
      call.machine(),
      {.bytes = bytes, .low = bits(lowest), .high = bits(highest), .boundary = bits(boundary), .cache = cache});
}

PVOID MmAllocateContiguousMemorySpecifyCacheNode(SIZE_T bytes, PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest,
                                                 PHYSICAL_ADDRESS boundary, MEMORY_CACHING_TYPE cache,
                                                 NODE_REQUIREMENT) {
  KernelEntry call{Fn::MmAllocateContiguousMemorySpecifyCacheNode};
  return allocate(
      call.machine(),
      {.bytes = bytes, .low = bits(lowest), .high = bits(highest), .boundary = bits(boundary), .cache = cache});
}

PVOID MmAllocateContiguousNodeMemory(SIZE_T bytes, PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest,
                                     PHYSICAL_ADDRESS boundary, ULONG protect, NODE_REQUIREMENT) {
  KernelEntry call{Fn::MmAllocateContiguousNodeMemory};
  ULONG access = protect & ~static_cast<ULONG>(PAGE_NOCACHE | PAGE_WRITECOMBINE);
  bool both = protect & PAGE_NOCACHE && protect & PAGE_WRITECOMBINE;
  if ((access != PAGE_READWRITE && access != PAGE_EXECUTE_READWRITE) || both) {
    return refused(call.machine(), "Protect is none of the documented combinations");
  }
  MEMORY_CACHING_TYPE cache = protect & PAGE_NOCACHE        ? MmNonCached
                              : protect & PAGE_WRITECOMBINE ? MmWriteCombined
                                                            : MmCached;
  return allocate(
      call.machine(),
      {.bytes = bytes, .low = bits(lowest), .high = bits(highest), .boundary = bits(boundary), .cache = cache});
}

VOID MmFreeContiguousMemory(PVOID memory) {
  KernelEntry call{Fn::MmFreeContiguousMemory};
  free(call.machine(), "MmFreeContiguousMemory", memory, 0, nullptr);
}

VOID MmFreeContiguousMemorySpecifyCache(PVOID memory, SIZE_T bytes, MEMORY_CACHING_TYPE cache) {
  KernelEntry call{Fn::MmFreeContiguousMemorySpecifyCache};
  free(call.machine(), "MmFreeContiguousMemorySpecifyCache", memory, bytes, &cache);
}

// The page asks for a valid address and does not say what another gives. Policy: zero, which is no memory of ours.
PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID address) {
  KernelEntry call{Fn::MmGetPhysicalAddress};
  Machine& machine = call.machine();
  auto at = reinterpret_cast<uintptr_t>(address);
  PHYSICAL_ADDRESS physical;
  physical.QuadPart = 0;
  if (!nt::is_address_valid(machine, at)) {
    refused(machine, "MmGetPhysicalAddress of an address that is not valid");
  } else if (auto device = machine.registers().physical(at)) {
    physical.QuadPart = static_cast<LONGLONG>(*device);
  } else {
    auto fixed = nt::physical_in_windows(at);
    physical.QuadPart = static_cast<LONGLONG>(fixed ? *fixed : machine.physical().pin(at));
  }
  return physical;
}

}  // extern "C"
