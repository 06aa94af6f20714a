// Pool. Pages: wdm/nf-wdm-exallocatepool2, kernel/pool_flags, wdm/ne-wdm-_pool_type, wdm/nf-wdm-exfreepoolwithtag, …
#include "nt/ex/ex_pool.h"

#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/fault/exception.h"
#include "nt/ke/irql.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::PoolFill;
using nt::PoolKind;
using nt::Violation;

namespace {

constexpr POOL_FLAGS kRequired = 0xFFFF'FFFF;
constexpr POOL_FLAGS kPoolTypes = POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED;
constexpr POOL_FLAGS kForDrivers =
    kPoolTypes | POOL_FLAG_USE_QUOTA | POOL_FLAG_UNINITIALIZED | POOL_FLAG_CACHE_ALIGNED | POOL_FLAG_RAISE_ON_FAILURE;
constexpr uint32_t kTypeModifiers = POOL_RAISE_IF_ALLOCATION_FAILURE | POOL_QUOTA_FAIL_INSTEAD_OF_RAISE;

// Which exception is raised is not documented for ExAllocatePool2: policy, after what its predecessors raise.
void* failed(Machine& machine, bool raise) {
  if (raise) nt::raise_exception(machine, STATUS_INSUFFICIENT_RESOURCES);
  return nullptr;
}

// One to four characters from space to tilde; a shorter tag leaves the high bytes zero.
bool valid_tag(uint32_t tag) {
  if (tag == 0) return false;
  for (; tag != 0; tag >>= 8) {
    if ((tag & 0xFF) < 0x20 || (tag & 0xFF) > 0x7E) return false;
  }
  return true;
}

void check_tag(Machine& machine, const char* function, uint32_t tag) {
  if (__builtin_expect(valid_tag(tag), 1)) return;
  machine.report_violation(
      Violation::PoolTagInvalid,
      fmt::format("{} was called with tag 0x{:08X}: a tag is one to four characters from space to tilde", function,
                  tag));
}

// A request for no bytes gets a block of no bytes: the older pages call it wasteful, not failing, and
// ExAllocatePool2's does not say (policy).
void check_size(Machine& machine, const char* function, size_t bytes) {
  if (__builtin_expect(bytes != 0, 1)) return;
  machine.report_violation(Violation::PoolSizeZero, fmt::format("{} was asked for no bytes", function));
}

void check_pool_irql(Machine& machine, const char* function, PoolKind kind, const char* asked) {
  KIRQL irql = machine.self().irql;
  if (__builtin_expect(kind != PoolKind::Paged || irql < DISPATCH_LEVEL, 1)) return;
  machine.report_violation(Violation::PoolPagedRaised,
                           fmt::format("{} was called with {} at {}", function, asked, nt::irql_name(irql)));
}

void check_execute(Machine& machine, const char* function, PoolKind kind, const char* asked, const char* instead) {
  if (__builtin_expect(kind != PoolKind::NonPagedExecute, 1)) return;
  machine.report_violation(
      Violation::ExecutableMemory,
      fmt::format("{} was called with {}, which is executable memory; data belongs into {}", function, asked, instead));
}

// Why the documentation forbids these flags; null if it does not. Optional flags that are not known are ignored.
const char* forbidden(POOL_FLAGS flags) {
  if (flags & POOL_FLAG_SESSION) return "POOL_FLAG_SESSION is reserved for the operating system";
  if (flags & (POOL_FLAG_RESERVED1 | POOL_FLAG_RESERVED2 | POOL_FLAG_RESERVED3)) return "a reserved flag is set";
  if (flags & kRequired & ~kForDrivers) return "a required flag is set that is not known";
  int types = __builtin_popcountll(flags & kPoolTypes);
  if (types == 0) return "none of POOL_FLAG_NON_PAGED, POOL_FLAG_NON_PAGED_EXECUTE and POOL_FLAG_PAGED is set";
  return types > 1 ? "more than one type of pool is asked for" : nullptr;
}

PoolKind kind_of(POOL_FLAGS flags) {
  if (flags & POOL_FLAG_PAGED) return PoolKind::Paged;
  return flags & POOL_FLAG_NON_PAGED ? PoolKind::NonPaged : PoolKind::NonPagedExecute;
}

void* allocate_by_flags(Machine& machine, POOL_FLAGS flags, size_t bytes, uint32_t tag) {
  constexpr const char* kFunction = "ExAllocatePool2";
  bool raise = flags & POOL_FLAG_RAISE_ON_FAILURE;
  if (const char* why = forbidden(flags)) {
    machine.report_violation(Violation::PoolFlagsInvalid,
                             fmt::format("{} was called with flags 0x{:X}: {}", kFunction, flags, why));
    return failed(machine, raise);
  }
  check_tag(machine, kFunction, tag);
  if (tag == 0) return failed(machine, raise);
  check_size(machine, kFunction, bytes);
  check_pool_irql(machine, kFunction, kind_of(flags), "POOL_FLAG_PAGED");
  check_execute(machine, kFunction, kind_of(flags), "POOL_FLAG_NON_PAGED_EXECUTE", "POOL_FLAG_NON_PAGED");
  PoolFill fill = flags & POOL_FLAG_UNINITIALIZED ? PoolFill::Pattern : PoolFill::Zero;
  void* block = machine.pool().allocate(bytes, tag, kind_of(flags), fill);
  return block ? block : failed(machine, raise);
}

}  // namespace

namespace nt {

std::optional<PoolKind> pool_kind(POOL_TYPE type) {
  switch (static_cast<uint32_t>(type) & ~kTypeModifiers) {
    case NonPagedPoolExecute:
      return PoolKind::NonPagedExecute;
    case NonPagedPoolNx:
      return PoolKind::NonPaged;
    case PagedPool:
      return PoolKind::Paged;
    default:
      return std::nullopt;  // "for internal use only", "deprecated", "reserved", or unknown
  }
}

void* allocate_by_type(Machine& machine, const char* function, POOL_TYPE type, size_t bytes, uint32_t tag,
                       PoolFill fill) {
  bool raise = static_cast<uint32_t>(type) & POOL_RAISE_IF_ALLOCATION_FAILURE;
  std::optional<PoolKind> kind = pool_kind(type);
  if (!kind) {
    machine.report_violation(Violation::PoolFlagsInvalid,
                             fmt::format("{} was called with pool type {}, which drivers must not use", function,
                                         static_cast<uint32_t>(type)));
    return failed(machine, raise);
  }
  check_size(machine, function, bytes);
  check_pool_irql(machine, function, *kind, "PagedPool");
  check_execute(machine, function, *kind, "NonPagedPool", "NonPagedPoolNx");
  void* block = machine.pool().allocate(bytes, tag, *kind, fill);
  return block ? block : failed(machine, raise);
}

}  // namespace nt

namespace {

void* allocate_tagged(Machine& machine, const char* function, POOL_TYPE type, size_t bytes, uint32_t tag,
                      PoolFill fill) {
  check_tag(machine, function, tag);
  return nt::allocate_by_type(machine, function, type, bytes, tag, fill);
}

}  // namespace

extern "C" {

PVOID ExAllocatePool2(POOL_FLAGS flags, SIZE_T bytes, ULONG tag) {
  KernelEntry call{Fn::ExAllocatePool2};
  return allocate_by_flags(call.machine(), flags, bytes, tag);
}

PVOID ExAllocatePool(POOL_TYPE type, SIZE_T bytes) {
  KernelEntry call{Fn::ExAllocatePool};
  return nt::allocate_by_type(call.machine(), "ExAllocatePool", type, bytes, 0, PoolFill::Pattern);
}

PVOID ExAllocatePoolWithTag(POOL_TYPE type, SIZE_T bytes, ULONG tag) {
  KernelEntry call{Fn::ExAllocatePoolWithTag};
  return allocate_tagged(call.machine(), "ExAllocatePoolWithTag", type, bytes, tag, PoolFill::Pattern);
}

PVOID ExAllocatePoolZero(POOL_TYPE type, SIZE_T bytes, ULONG tag) {
  KernelEntry call{Fn::ExAllocatePoolZero};
  return allocate_tagged(call.machine(), "ExAllocatePoolZero", type, bytes, tag, PoolFill::Zero);
}

PVOID ExAllocatePoolUninitialized(POOL_TYPE type, SIZE_T bytes, ULONG tag) {
  KernelEntry call{Fn::ExAllocatePoolUninitialized};
  return allocate_tagged(call.machine(), "ExAllocatePoolUninitialized", type, bytes, tag, PoolFill::Pattern);
}

VOID ExFreePool(PVOID block) {
  KernelEntry call{Fn::ExFreePool};
  call.machine().pool().free(block, 0, "ExFreePool");
}

// The page asks for a tag that is not zero. Policy: zero frees a block of any tag, because ExFreePool is a macro for
// that in the headers that a driver may be built with (observed in mingw-w64's wdm.h).
VOID ExFreePoolWithTag(PVOID block, ULONG tag) {
  KernelEntry call{Fn::ExFreePoolWithTag};
  if (tag != 0) check_tag(call.machine(), "ExFreePoolWithTag", tag);
  call.machine().pool().free(block, tag, "ExFreePoolWithTag");
}

// The page names the parameters and says nothing of them. Policy: ExFreePoolWithTag, without extended parameters.
VOID ExFreePool2(PVOID block, ULONG tag, PCPOOL_EXTENDED_PARAMETER, ULONG parameter_count) {
  KernelEntry call{Fn::ExFreePool2};
  if (parameter_count != 0) {
    call.machine().report_violation(Violation::PoolFlagsInvalid,
                                    "ExFreePool2 was given extended parameters, which are not supported");
  }
  call.machine().pool().free(block, tag, "ExFreePool2");
}

}  // extern "C"
