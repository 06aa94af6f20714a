#include "nt/mm/mdls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/align.h"
#include "nt/boundary/address_check.h"
#include "nt/ex/kernel_handles.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/physical_windows.h"
#include "nt/mm/pool.h"

// Flags of an MDL, and the functions that set them:
//
//   IoAllocateMdl, MmInitializeMdl    none: the page numbers mean nothing yet
//   MmProbeAndLockPages               MDL_PAGES_LOCKED, MDL_WRITE_OPERATION        until MmUnlockPages
//   MmBuildMdlForNonPagedPool         MDL_SOURCE_IS_NONPAGED_POOL                  for good
//   MmAllocatePagesForMdl             MDL_PAGES_LOCKED                             until MmFreePagesFromMdl
//   IoBuildPartialMdl                 MDL_PARTIAL, and what the source has
//   mapping for the system            MDL_MAPPED_TO_SYSTEM_VA; a partial one also MDL_PARTIAL_HAS_BEEN_MAPPED
//
// That MmAllocatePagesForMdl sets MDL_PAGES_LOCKED is ours: the pages say that its MDLs are locked down. A mapping for
// the system has no entry of its own on a scope's list, because whatever made the MDL undoes it too.
namespace nt {
namespace {

constexpr CSHORT kLockedDown = MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL;
constexpr uint32_t kMdlTag = 0x206C644D;  // "Mdl "

uintptr_t start_of(const MDL& mdl) { return reinterpret_cast<uintptr_t>(mdl.StartVa) + mdl.ByteOffset; }
size_t pages_of(uintptr_t address, size_t bytes) { return ADDRESS_AND_SIZE_TO_SPAN_PAGES(address, bytes); }
uint64_t* numbers_of(MDL& mdl) { return reinterpret_cast<uint64_t*>(&mdl + 1); }

void set_flags(MDL& mdl, int flags) { mdl.MdlFlags = static_cast<CSHORT>(mdl.MdlFlags | flags); }
void clear_flags(MDL& mdl, int flags) { mdl.MdlFlags = static_cast<CSHORT>(mdl.MdlFlags & ~flags); }

}  // namespace

Mdls::State* Mdls::find(const MDL& mdl) {
  auto at = states_.find(&mdl);
  return at == states_.end() ? nullptr : &at->second;
}

void Mdls::forget_if_idle(const MDL& mdl) {
  auto at = states_.find(&mdl);
  if (at == states_.end()) return;
  const State& state = at->second;
  if (!state.allocated && !state.locked && state.for_client.empty() && !state.pages) states_.erase(at);
}

void Mdls::wrong(Violation what, const std::string& sentence, const Tracked* other) {
  if (other) {
    machine_.report_violation(what, sentence, {{"obtained", machine_.stacks().get(other->stack)}});
  } else {
    machine_.report_violation(what, sentence);
  }
}

// --- MDLs themselves ---

MDL* Mdls::allocate(void* address, size_t bytes) {
  size_t pages = pages_of(reinterpret_cast<uintptr_t>(address), bytes);
  size_t size = sizeof(MDL) + pages * sizeof(PFN_NUMBER);
  if (machine_.fails(FaultKind::Pool, "IoAllocateMdl")) return nullptr;
  auto* mdl = static_cast<MDL*>(machine_.pool().allocate(size, kMdlTag, PoolKind::Internal, PoolFill::Zero));
  if (!mdl) return nullptr;
  MmInitializeMdl(mdl, address, bytes);
  auto allocated = std::make_unique<Allocated>();
  allocated->pages = pages;
  allocated->tracked.kind = ResourceKind::Mdl;
  machine_.track(allocated->tracked);
  base::Guard guard(lock_);
  states_[mdl].allocated = std::move(allocated);
  return mdl;
}

void Mdls::free(MDL* mdl) {
  std::unique_ptr<Allocated> allocated;
  const Tracked* in_use = nullptr;
  const char* why = nullptr;
  {
    base::Guard guard(lock_);
    State* state = find(*mdl);
    if (state && state->locked) {
      in_use = &state->locked->tracked;
      why = "its pages are locked";
    } else if (state && !state->for_client.empty()) {
      in_use = &state->for_client.front()->tracked;
      why = "it is mapped for a client";
    } else if (state && state->pages) {
      in_use = &state->pages->block.tracked;
      why = "it has pages of its own";
    } else if (state) {
      allocated = std::move(state->allocated);
      forget_if_idle(*mdl);
    }
  }
  if (why) {
    wrong(Violation::MdlFreedInUse, fmt::format("IoFreeMdl was given an MDL while {}", why), in_use);
  } else if (!allocated) {
    wrong(Violation::MdlInvalid, "IoFreeMdl was given something that IoAllocateMdl did not return, or that was freed");
  } else {
    machine_.untrack(allocated->tracked);
    machine_.pool().free(mdl, 0);
  }
}

size_t Mdls::room_for_pages(const MDL& mdl) {
  base::Guard guard(lock_);
  const State* state = find(mdl);
  if (state && state->allocated) return state->allocated->pages;
  return (static_cast<uint16_t>(mdl.Size) - sizeof(MDL)) / sizeof(PFN_NUMBER);
}

// --- Describing ---

template <typename PhysicalOf>
void Mdls::fill(MDL& mdl, uintptr_t address, PhysicalOf&& physical_of) {
  size_t pages = pages_of(address, mdl.ByteCount);
  uintptr_t page = base::round_down(address, base::kPageBytes);
  for (size_t i = 0; i < pages; ++i) numbers_of(mdl)[i] = physical_of(page + i * base::kPageBytes) / base::kPageBytes;
}

std::string Mdls::objection_to_building(const MDL& mdl) {
  uintptr_t start = start_of(mdl);
  if (kStackArena.contains(start)) return "on a stack, which has to be locked with MmProbeAndLockPages";
  if (kRegisterArena.contains(start)) return "of device registers";
  uintptr_t block = 0;
  size_t bytes = 0;
  if (kPoolArena.contains(start)) {
    auto found = machine_.pool().find(start);
    if (!found || found->freed) return "of pool that is not allocated";
    if (found->kind == PoolKind::Paged) return "of paged pool";
    block = found->address;
    bytes = found->bytes;
  } else if (kRamArena.contains(start)) {
    auto found = machine_.physical().ram().find(start);
    if (!found || found->freed) return "of memory that is not allocated";
    block = found->address;
    bytes = found->bytes;
  } else {
    return is_address_valid(machine_, start) ? "" : "that is not there";
  }
  bool covered = start >= block && start - block <= bytes && mdl.ByteCount <= bytes - (start - block);
  return covered ? "" : "that goes beyond its block";
}

void Mdls::build_for_nonpaged(MDL& mdl) {
  if (mdl.MdlFlags & kLockedDown) {
    wrong(Violation::MdlInvalid, "MmBuildMdlForNonPagedPool was given an MDL that describes pages already");
    return;
  }
  if (std::string why = objection_to_building(mdl); !why.empty()) {
    wrong(Violation::MdlInvalid, fmt::format("MmBuildMdlForNonPagedPool was given an MDL over memory {}", why));
    return;
  }
  PhysicalMemory& memory = machine_.physical();
  fill(mdl, start_of(mdl), [&](uintptr_t page) {
    auto fixed = physical_in_windows(page);
    return fixed ? *fixed : memory.pin(page);
  });
  set_flags(mdl, MDL_SOURCE_IS_NONPAGED_POOL);
  mdl.MappedSystemVa = reinterpret_cast<void*>(start_of(mdl));
}

void Mdls::build_partial(MDL& source, MDL& target, uintptr_t address, size_t bytes) {
  uintptr_t from = start_of(source);
  size_t offset = address - from;
  bool inside = address >= from && offset <= source.ByteCount && bytes <= source.ByteCount - offset;
  if (inside && bytes == 0) bytes = source.ByteCount - offset;
  if (!(source.MdlFlags & kLockedDown)) {
    wrong(Violation::MdlLockMismatch, "IoBuildPartialMdl was given a source whose pages are not locked");
  } else if (!inside) {
    wrong(Violation::MdlInvalid, "IoBuildPartialMdl was asked for a range that the source does not describe");
  } else if (target.MdlFlags & MDL_PARTIAL_HAS_BEEN_MAPPED) {
    wrong(Violation::MdlMappingMismatch,
          "IoBuildPartialMdl was given a target that is still mapped: MmPrepareMdlForReuse comes first");
  } else if (pages_of(address, bytes) > room_for_pages(target)) {
    wrong(Violation::MdlInvalid,
          fmt::format("IoBuildPartialMdl was given a target with room for {} page(s), and needs {}",
                      room_for_pages(target), pages_of(address, bytes)));
  } else {
    constexpr int kInherited = MDL_SOURCE_IS_NONPAGED_POOL | MDL_MAPPED_TO_SYSTEM_VA | MDL_WRITE_OPERATION;
    bool mapped = source.MdlFlags & (MDL_SOURCE_IS_NONPAGED_POOL | MDL_MAPPED_TO_SYSTEM_VA);
    target.MdlFlags =
        static_cast<CSHORT>(MDL_PARTIAL | (source.MdlFlags & kInherited) | (mapped ? MDL_PARENT_MAPPED_SYSTEM_VA : 0));
    target.Process = source.Process;
    target.StartVa = PAGE_ALIGN(address);
    target.ByteOffset = BYTE_OFFSET(address);
    target.ByteCount = static_cast<ULONG>(bytes);
    target.MappedSystemVa = mapped ? static_cast<char*>(source.MappedSystemVa) + offset : nullptr;
    size_t first = (source.ByteOffset + offset) / base::kPageBytes;
    for (size_t i = 0; i < pages_of(address, bytes); ++i) numbers_of(target)[i] = numbers_of(source)[first + i];
  }
}

// --- Locking ---

void Mdls::lock(MDL& mdl, LOCK_OPERATION operation) {
  if (mdl.MdlFlags & kLockedDown) {
    const char* what = mdl.MdlFlags & MDL_PAGES_LOCKED ? "whose pages are locked already"
                                                       : "that describes nonpaged or locked memory already";
    wrong(Violation::MdlLockMismatch, fmt::format("MmProbeAndLockPages was given an MDL {}", what));
    return;
  }
  PhysicalMemory& memory = machine_.physical();
  auto locked = std::make_unique<Locked>();
  fill(mdl, start_of(mdl), [&](uintptr_t page) {
    locked->pages.push_back(page);
    return memory.hold(page);
  });
  mdl.Process = PhysicalMemory::is_kernel(start_of(mdl)) ? nullptr : &machine_.handles().process();
  set_flags(mdl, MDL_PAGES_LOCKED | (operation == IoReadAccess ? 0 : MDL_WRITE_OPERATION));
  locked->tracked.kind = ResourceKind::LockedPages;
  machine_.track(locked->tracked);
  base::Guard guard(lock_);
  State& state = states_[&mdl];
  // The driver used the MDL's memory again with pages still locked: they stay on the scope's list, as a leak.
  if (state.locked) orphans_.push_back(std::move(state.locked));
  state.locked = std::move(locked);
}

void Mdls::unlock(MDL& mdl) {
  std::unique_ptr<Locked> locked;
  {
    base::Guard guard(lock_);
    State* state = find(mdl);
    if (state && mdl.MdlFlags & MDL_PAGES_LOCKED) locked = std::move(state->locked);
    forget_if_idle(mdl);
  }
  if (!locked) {
    wrong(Violation::MdlLockMismatch, "MmUnlockPages was given an MDL that MmProbeAndLockPages has not locked");
    return;
  }
  clear_flags(mdl, MDL_PAGES_LOCKED | MDL_WRITE_OPERATION | MDL_MAPPED_TO_SYSTEM_VA);
  mdl.MappedSystemVa = nullptr;
  mdl.Process = nullptr;
  machine_.untrack(locked->tracked);
  for (uintptr_t page : locked->pages) machine_.physical().release(page);
}

// --- Mapping ---

base::Result<void*> Mdls::map(MDL& mdl, MODE mode) {
  const base::Failure misuse(STATUS_INVALID_PARAMETER, "the MDL cannot be mapped");
  bool for_system = mode == KernelMode;
  if (!(mdl.MdlFlags & kLockedDown)) {
    wrong(Violation::MdlMappingMismatch, "an MDL was mapped whose pages are not locked");
    return misuse;
  }
  if (for_system && mdl.MdlFlags & (MDL_SOURCE_IS_NONPAGED_POOL | MDL_MAPPED_TO_SYSTEM_VA)) {
    wrong(Violation::MdlMappingMismatch,
          "MmMapLockedPagesSpecifyCache was given an MDL that the system has mapped already");
    return misuse;
  }
  std::optional<uintptr_t> page = machine_.physical().address(numbers_of(mdl)[0] * base::kPageBytes);
  if (!page) {
    wrong(Violation::MdlInvalid, "an MDL was mapped whose page numbers stand for nothing");
    return misuse;
  }
  if (machine_.fails(FaultKind::Mapping, "MmMapLockedPagesSpecifyCache")) {
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "a mapping was made to fail");
  }
  auto* address = reinterpret_cast<void*>(*page + mdl.ByteOffset);
  if (for_system) {
    mdl.MappedSystemVa = address;
    set_flags(mdl, MDL_MAPPED_TO_SYSTEM_VA | (mdl.MdlFlags & MDL_PARTIAL ? MDL_PARTIAL_HAS_BEEN_MAPPED : 0));
    return address;
  }
  auto mapped = std::make_unique<Mapped>();
  mapped->address = address;
  mapped->tracked.kind = ResourceKind::MdlMapping;
  machine_.track(mapped->tracked);
  base::Guard guard(lock_);
  states_[&mdl].for_client.push_back(std::move(mapped));
  return address;
}

void Mdls::unmap(void* address, MDL& mdl) {
  std::unique_ptr<Mapped> mapped;
  {
    base::Guard guard(lock_);
    if (State* state = find(mdl)) {
      auto at = std::ranges::find(state->for_client, address, [](const auto& mapping) { return mapping->address; });
      if (at != state->for_client.end()) {
        mapped = std::move(*at);
        state->for_client.erase(at);
      }
    }
    forget_if_idle(mdl);
  }
  bool own = mdl.MdlFlags & MDL_MAPPED_TO_SYSTEM_VA &&
             (!(mdl.MdlFlags & MDL_PARTIAL) || mdl.MdlFlags & MDL_PARTIAL_HAS_BEEN_MAPPED);
  if (mapped) {
    machine_.untrack(mapped->tracked);
  } else if (own && mdl.MappedSystemVa == address) {
    clear_flags(mdl, MDL_MAPPED_TO_SYSTEM_VA | MDL_PARTIAL_HAS_BEEN_MAPPED);
    mdl.MappedSystemVa = nullptr;
  } else {
    wrong(Violation::MdlMappingMismatch, "MmUnmapLockedPages was given an address at which the MDL is not mapped");
  }
}

// --- Pages of its own ---

MDL* Mdls::allocate_pages(const RamRequest& request) {
  size_t size = sizeof(MDL) + request.bytes / base::kPageBytes * sizeof(PFN_NUMBER);
  auto* mdl = static_cast<MDL*>(machine_.pool().allocate(size, kMdlTag, PoolKind::NonPaged, PoolFill::Zero));
  if (!mdl) return nullptr;
  RamBlock* pages = machine_.physical().ram().allocate(request, ResourceKind::MdlPages);
  if (!pages) {
    machine_.pool().free(mdl, 0);
    return nullptr;
  }
  MmInitializeMdl(mdl, nullptr, request.bytes);
  fill(*mdl, 0, [&](uintptr_t page) { return *physical_in_windows(pages->block.address + page); });
  set_flags(*mdl, MDL_PAGES_LOCKED);
  base::Guard guard(lock_);
  states_[mdl].pages = pages;
  return mdl;
}

void Mdls::free_pages(MDL& mdl) {
  RamBlock* pages = nullptr;
  const Tracked* mapped = nullptr;
  {
    base::Guard guard(lock_);
    State* state = find(mdl);
    if (state && !state->for_client.empty()) {
      mapped = &state->for_client.front()->tracked;
    } else if (state) {
      pages = std::exchange(state->pages, nullptr);
      forget_if_idle(mdl);
    }
  }
  if (mapped) {
    wrong(Violation::MdlFreedInUse, "MmFreePagesFromMdl was given an MDL that is mapped for a client", mapped);
  } else if (!pages) {
    wrong(Violation::MdlInvalid, "MmFreePagesFromMdl was given an MDL that has no pages of its own");
  } else {
    clear_flags(mdl, MDL_PAGES_LOCKED | MDL_MAPPED_TO_SYSTEM_VA);
    mdl.MappedSystemVa = nullptr;
    machine_.physical().ram().free(*pages);
  }
}

}  // namespace nt
