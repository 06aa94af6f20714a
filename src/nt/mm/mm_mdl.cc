// MDLs. Pages: wdm/nf-wdm-ioallocatemdl, nf-wdm-mmprobeandlockpages, nf-wdm-mmmaplockedpagesspecifycache,
// nf-wdm-mmallocatepagesformdlex, kernel/using-mdls, …
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "base/sanitizer.h"
#include "nt/boundary/address_check.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/fault/exception.h"
#include "nt/ke/irql.h"
#include "nt/mm/address_space.h"
#include "nt/mm/mdls.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::PhysicalMemory;
using nt::RamRequest;
using nt::Violation;

namespace {

constexpr uint64_t kMostBytes = 4 * nt::kGiB - base::kPageBytes;  // of one MDL, as documented
constexpr uint64_t kEndOfRam = 12 * nt::kGiB;                     // no page for an MDL lies beyond

void* refused(Machine& machine, const char* why) {
  static_cast<void>(nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER, why)));
  return nullptr;
}

void check_irql(Machine& machine, const char* function, const char* for_what) {
  KIRQL irql = machine.self().irql;
  if (irql <= APC_LEVEL) return;
  machine.report_violation(Violation::IrqlTooHigh,
                           fmt::format("{} was called for {} at {}; it must be called at APC_LEVEL or below", function,
                                       for_what, nt::irql_name(irql)));
}

// --- Probing ---

// Reads, and writes what it read, one byte of each page: a fault becomes an exception or a finding (fault.h). Nothing
// with a destructor may be alive here.
NO_SANITIZE void touch(uintptr_t start, size_t bytes, bool write) {
  for (uintptr_t at = start; at < start + bytes; at = base::round_down(at, base::kPageBytes) + base::kPageBytes) {
    auto* byte = reinterpret_cast<volatile unsigned char*>(at);
    if (write) {
      *byte = *byte;
    } else {
      static_cast<void>(*byte);
    }
  }
}

// Whether memory that the kernel hands out is there, all of it.
bool kernel_range_valid(Machine& machine, uintptr_t start, size_t bytes) {
  if (nt::kRegisterArena.contains(start) || !nt::is_address_valid(machine, start)) return false;
  if (auto block = machine.pool().find(start)) {
    return start >= block->address && start + bytes <= block->address + block->bytes;
  }
  auto block = machine.physical().ram().find(start);
  return block && start >= block->address && start + bytes <= block->address + block->bytes;
}

bool is_pageable(Machine& machine, uintptr_t start) {
  if (!PhysicalMemory::is_kernel(start)) return !nt::kStackArena.contains(start);
  auto block = machine.pool().find(start);
  return block && block->kind == nt::PoolKind::Paged;
}

void probe(Machine& machine, const MDL& mdl, KPROCESSOR_MODE mode, LOCK_OPERATION operation) {
  auto start = reinterpret_cast<uintptr_t>(MmGetMdlVirtualAddress(&mdl));
  size_t bytes = mdl.ByteCount;
  if (start + bytes < start) nt::raise_exception(machine, STATUS_ACCESS_VIOLATION, start);
  if (is_pageable(machine, start)) check_irql(machine, "MmProbeAndLockPages", "pageable memory");
  if (!PhysicalMemory::is_kernel(start)) {
    touch(start, bytes, operation != IoReadAccess);
  } else if (mode == UserMode || !kernel_range_valid(machine, start, bytes)) {
    nt::raise_exception(machine, STATUS_ACCESS_VIOLATION, start);
  }
}

// The IRP's only MDL, or the last of its chain.
void attach(IRP& irp, PMDL mdl, bool secondary) {
  PMDL* at = &irp.MdlAddress;
  while (secondary && *at) at = &(*at)->Next;
  *at = mdl;
}

// --- Pages ---

// The first range that has it all; else, where less is allowed, the one that has most.
MDL* allocate_from_ranges(Machine& machine, RamRequest request, uint64_t skip, bool all_or_nothing) {
  RamRequest best = request;
  best.bytes = 0;
  for (;;) {
    size_t found = machine.physical().ram().available(request);
    if (found > best.bytes) {
      best = request;
      best.bytes = found;
    }
    if (found == request.bytes || skip == 0 || request.low + skip >= kEndOfRam) break;
    request.low += skip;
    request.high = request.high + skip < request.high ? UINT64_MAX : request.high + skip;
  }
  if (best.bytes == 0 || (all_or_nothing && best.bytes != request.bytes)) return nullptr;
  return machine.mdls().allocate_pages(best);
}

MDL* allocate_pages(Machine& machine, PHYSICAL_ADDRESS low, PHYSICAL_ADDRESS high, PHYSICAL_ADDRESS skip_bytes,
                    SIZE_T bytes, MEMORY_CACHING_TYPE cache, ULONG flags) {
  auto skip = static_cast<uint64_t>(skip_bytes.QuadPart);
  bool contiguous = flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS;
  bool chunks = contiguous && skip != 0;
  const char* wrong = nullptr;
  if (bytes == 0 || bytes > kMostBytes) wrong = "TotalBytes is zero or above 4 GiB less a page";
  if (skip % base::kPageBytes != 0) wrong = "SkipBytes is no multiple of a page";
  if (chunks && (!std::has_single_bit(skip) || bytes % skip != 0)) {
    wrong = "SkipBytes is no power of two that divides TotalBytes";
  }
  if (flags & MM_ALLOCATE_FAST_LARGE_PAGES && !contiguous) {
    wrong = "MM_ALLOCATE_FAST_LARGE_PAGES without MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS";
  }
  if (flags & MM_ALLOCATE_AND_HOT_REMOVE && flags & MM_ALLOCATE_FULLY_REQUIRED) {
    wrong = "MM_ALLOCATE_AND_HOT_REMOVE with MM_ALLOCATE_FULLY_REQUIRED";
  }
  if (wrong) return static_cast<MDL*>(refused(machine, wrong));
  RamRequest request = {.bytes = base::round_up(bytes, base::kPageBytes),
                        .low = static_cast<uint64_t>(low.QuadPart),
                        .high = static_cast<uint64_t>(high.QuadPart),
                        .alignment = chunks ? skip : base::kPageBytes,
                        .contiguous = contiguous,
                        .fill = flags & MM_DONT_ZERO_ALLOCATION ? nt::PoolFill::Pattern : nt::PoolFill::Zero,
                        .cache = cache};
  bool whole = contiguous || flags & MM_ALLOCATE_FULLY_REQUIRED;
  return allocate_from_ranges(machine, request, chunks ? 0 : skip, whole);
}

}  // namespace

extern "C" {

PMDL IoAllocateMdl(PVOID address, ULONG length, BOOLEAN secondary, BOOLEAN, PIRP irp) {
  KernelEntry call{Fn::IoAllocateMdl};
  if (length > kMostBytes) return static_cast<PMDL>(refused(call.machine(), "an MDL of more than 4 GiB less a page"));
  PMDL mdl = call.machine().mdls().allocate(address, length);
  if (irp && mdl) attach(*irp, mdl, secondary != FALSE);
  return mdl;
}

VOID IoFreeMdl(PMDL mdl) {
  KernelEntry call{Fn::IoFreeMdl};
  call.machine().mdls().free(mdl);
}

VOID IoBuildPartialMdl(PMDL source, PMDL target, PVOID address, ULONG length) {
  KernelEntry call{Fn::IoBuildPartialMdl};
  call.machine().mdls().build_partial(*source, *target, reinterpret_cast<uintptr_t>(address), length);
}

SIZE_T MmSizeOfMdl(PVOID base, SIZE_T length) {
  KernelEntry call{Fn::MmSizeOfMdl};
  return sizeof(MDL) + sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES(base, length);
}

VOID MmBuildMdlForNonPagedPool(PMDL mdl) {
  KernelEntry call{Fn::MmBuildMdlForNonPagedPool};
  call.machine().mdls().build_for_nonpaged(*mdl);
}

// It fails by an exception: STATUS_ACCESS_VIOLATION or another one (documented), for want of resources too (policy).
VOID MmProbeAndLockPages(PMDL mdl, KPROCESSOR_MODE mode, LOCK_OPERATION operation) {
  KernelEntry call{Fn::MmProbeAndLockPages};
  if (nt::lacks_resources(Fn::MmProbeAndLockPages)) {
    nt::raise_exception(call.machine(), STATUS_INSUFFICIENT_RESOURCES);
  }
  probe(call.machine(), *mdl, mode, operation);
  call.machine().mdls().lock(*mdl, operation);
}

VOID MmUnlockPages(PMDL mdl) {
  KernelEntry call{Fn::MmUnlockPages};
  call.machine().mdls().unlock(*mdl);
}

// Caching types, the requested address and the protection of the mapping have no effect.
PVOID MmMapLockedPagesSpecifyCache(PMDL mdl, KPROCESSOR_MODE mode, MEMORY_CACHING_TYPE, PVOID, ULONG bug_check,
                                   ULONG priority) {
  KernelEntry call{Fn::MmMapLockedPagesSpecifyCache};
  Machine& machine = call.machine();
  if (mode == UserMode) {
    check_irql(machine, "MmMapLockedPagesSpecifyCache", "user mode");
  } else if (!(priority & MdlMappingNoExecute)) {
    machine.report_violation(
        Violation::ExecutableMemory,
        "MmMapLockedPagesSpecifyCache (MmGetSystemAddressForMdlSafe) was called for kernel mode without "
        "MdlMappingNoExecute: the mapping is executable memory");
  }
  auto mapped = machine.mdls().map(*mdl, static_cast<MODE>(mode));
  if (mapped.ok()) return mapped.take();
  static_cast<void>(nt::refuse(machine, mapped.failure()));
  if (mode == UserMode) nt::raise_exception(machine, mapped.failure());
  if (bug_check) machine.bug_check(NO_MORE_SYSTEM_PTES, 0, 0, 0, 0);
  return nullptr;
}

VOID MmUnmapLockedPages(PVOID address, PMDL mdl) {
  KernelEntry call{Fn::MmUnmapLockedPages};
  call.machine().mdls().unmap(address, *mdl);
}

PMDL MmAllocatePagesForMdl(PHYSICAL_ADDRESS low, PHYSICAL_ADDRESS high, PHYSICAL_ADDRESS skip, SIZE_T bytes) {
  KernelEntry call{Fn::MmAllocatePagesForMdl};
  return allocate_pages(call.machine(), low, high, skip, bytes, MmCached, 0);
}

PMDL MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS low, PHYSICAL_ADDRESS high, PHYSICAL_ADDRESS skip, SIZE_T bytes,
                             MEMORY_CACHING_TYPE cache, ULONG flags) {
  KernelEntry call{Fn::MmAllocatePagesForMdlEx};
  Machine& machine = call.machine();
  if (flags & MM_ALLOCATE_AND_HOT_REMOVE && call.thread().irql != PASSIVE_LEVEL) {
    machine.report_violation(Violation::IrqlTooHigh,
                             "MmAllocatePagesForMdlEx was called with MM_ALLOCATE_AND_HOT_REMOVE above PASSIVE_LEVEL");
  }
  return allocate_pages(machine, low, high, skip, bytes, cache, flags);
}

VOID MmFreePagesFromMdl(PMDL mdl) {
  KernelEntry call{Fn::MmFreePagesFromMdl};
  call.machine().mdls().free_pages(*mdl);
}

}  // extern "C"
