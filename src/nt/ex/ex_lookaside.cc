// Lookaside lists. Pages: wdm/nf-wdm-exinitializelookasidelistex, nf-wdm-exinitializenpagedlookasidelist, …
//
// Documented: entries given back collect in the list up to a limit that the system chooses and changes. Policy: that
// limit is none. A cache would hide that a driver still uses an entry it gave back; from the pool, such an entry is
// kept back and watched like every freed block. So a list never holds entries, and flushing or deleting it frees none.
#include <fmt/format.h>

#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/ex/ex_pool.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/pool.h"
#include "nt/mm/resident.h"

using nt::Dispatcher;
using nt::Fn;
using nt::InUseKind;
using nt::KernelEntry;
using nt::Machine;
using nt::Violation;

namespace {

constexpr USHORT kInitialised = 0x10CA;
constexpr ULONG kNoExecute = 512;  // POOL_NX_ALLOCATION, documented by value

// Which form the driver's routines have.
enum Form : ULONG_PTR { Plain = 0, Ex = 1 };

// The memory of the list must not go before the list is deleted.
void initialise(Machine& machine, LOOKASIDE_LIST_EX& list, void* allocate, void* release, Form form, POOL_TYPE type,
                SIZE_T size, ULONG tag) {
  nt::check_resident(machine, &list, "a lookaside list");
  list = {};
  list.Size = size;
  list.Tag = tag;
  list.PoolType = type;
  list.Allocate = allocate;
  list.Release = release;
  list.Reserved[0] = form;
  list.Signature = kInitialised;
  Dispatcher::Guard guard(machine.dispatcher().lock());
  machine.dispatcher().live().ensure(reinterpret_cast<uintptr_t>(&list), InUseKind::Lookaside);
}

bool known(Machine& machine, const LOOKASIDE_LIST_EX& list, const char* function) {
  if (__builtin_expect(list.Signature == kInitialised, 1)) return true;
  machine.report_violation(
      Violation::NotInitialised,
      fmt::format("{} was given a lookaside list that is not initialised, or was deleted", function));
  return false;
}

template <typename Function>
Function* as(void* routine) {
  return reinterpret_cast<Function*>(routine);
}

void* allocate(Machine& machine, LOOKASIDE_LIST_EX& list, const char* function) {
  if (!known(machine, list, function)) return nullptr;
  if (!list.Allocate) {
    return nt::allocate_by_type(machine, function, list.PoolType, list.Size, list.Tag, nt::PoolFill::Pattern);
  }
  if (list.Reserved[0] == Ex) {
    return nt::call_driver(machine, "LookasideListAllocateEx", nullptr, as<ALLOCATE_FUNCTION_EX>(list.Allocate),
                           list.PoolType, list.Size, list.Tag, &list);
  }
  return nt::call_driver(machine, "Allocate of a lookaside list", nullptr, as<ALLOCATE_FUNCTION>(list.Allocate),
                         list.PoolType, list.Size, list.Tag);
}

void release(Machine& machine, LOOKASIDE_LIST_EX& list, void* entry, const char* function) {
  if (!known(machine, list, function)) return;
  if (!list.Release) {
    machine.pool().free(entry, list.Tag, function);
  } else if (list.Reserved[0] == Ex) {
    nt::call_driver(machine, "LookasideListFreeEx", nullptr, as<FREE_FUNCTION_EX>(list.Release), entry, &list);
  } else {
    nt::call_driver(machine, "Free of a lookaside list", nullptr, as<FREE_FUNCTION>(list.Release), entry);
  }
}

void remove(Machine& machine, LOOKASIDE_LIST_EX& list, const char* function) {
  if (!known(machine, list, function)) return;
  list.Signature = 0;
  Dispatcher::Guard guard(machine.dispatcher().lock());
  machine.dispatcher().live().erase(reinterpret_cast<uintptr_t>(&list), InUseKind::Lookaside);
}

POOL_TYPE with_bits(uint32_t type, ULONG bits) { return static_cast<POOL_TYPE>(type | bits); }

}  // namespace

extern "C" {

VOID ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST list, PALLOCATE_FUNCTION allocate_routine,
                                     PFREE_FUNCTION free_routine, ULONG flags, SIZE_T size, ULONG tag, USHORT) {
  KernelEntry call{Fn::ExInitializeNPagedLookasideList};
  ULONG bits = flags & (POOL_RAISE_IF_ALLOCATION_FAILURE | kNoExecute);
  initialise(call.machine(), list->L, reinterpret_cast<void*>(allocate_routine), reinterpret_cast<void*>(free_routine),
             Plain, with_bits(NonPagedPoolExecute, bits), size, tag);
}

VOID ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST list) {
  KernelEntry call{Fn::ExDeleteNPagedLookasideList};
  remove(call.machine(), list->L, "ExDeleteNPagedLookasideList");
}

PVOID ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST list) {
  KernelEntry call{Fn::ExAllocateFromNPagedLookasideList};
  return allocate(call.machine(), list->L, "ExAllocateFromNPagedLookasideList");
}

VOID ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST list, PVOID entry) {
  KernelEntry call{Fn::ExFreeToNPagedLookasideList};
  release(call.machine(), list->L, entry, "ExFreeToNPagedLookasideList");
}

VOID ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST list, PALLOCATE_FUNCTION allocate_routine,
                                    PFREE_FUNCTION free_routine, ULONG flags, SIZE_T size, ULONG tag, USHORT) {
  KernelEntry call{Fn::ExInitializePagedLookasideList};
  initialise(call.machine(), list->L, reinterpret_cast<void*>(allocate_routine), reinterpret_cast<void*>(free_routine),
             Plain, with_bits(PagedPool, flags & POOL_RAISE_IF_ALLOCATION_FAILURE), size, tag);
}

VOID ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST list) {
  KernelEntry call{Fn::ExDeletePagedLookasideList};
  remove(call.machine(), list->L, "ExDeletePagedLookasideList");
}

PVOID ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST list) {
  KernelEntry call{Fn::ExAllocateFromPagedLookasideList};
  return allocate(call.machine(), list->L, "ExAllocateFromPagedLookasideList");
}

VOID ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST list, PVOID entry) {
  KernelEntry call{Fn::ExFreeToPagedLookasideList};
  release(call.machine(), list->L, entry, "ExFreeToPagedLookasideList");
}

NTSTATUS ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX list, PALLOCATE_FUNCTION_EX allocate_routine,
                                     PFREE_FUNCTION_EX free_routine, POOL_TYPE type, ULONG flags, SIZE_T size,
                                     ULONG tag, USHORT) {
  KernelEntry call{Fn::ExInitializeLookasideListEx};
  if (!nt::pool_kind(type)) return STATUS_INVALID_PARAMETER_4;
  ULONG bits;
  switch (flags) {
    case 0:
      bits = 0;
      break;
    case EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL:
      bits = POOL_RAISE_IF_ALLOCATION_FAILURE;
      break;
    case EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE:
      bits = POOL_QUOTA_FAIL_INSTEAD_OF_RAISE;
      break;
    default:
      return STATUS_INVALID_PARAMETER_5;  // the two exclude each other
  }
  initialise(call.machine(), *list, reinterpret_cast<void*>(allocate_routine), reinterpret_cast<void*>(free_routine),
             Ex, with_bits(type, bits), size, tag);
  return STATUS_SUCCESS;
}

VOID ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX list) {
  KernelEntry call{Fn::ExDeleteLookasideListEx};
  remove(call.machine(), *list, "ExDeleteLookasideListEx");
}

VOID ExFlushLookasideListEx(PLOOKASIDE_LIST_EX list) {
  KernelEntry call{Fn::ExFlushLookasideListEx};
  known(call.machine(), *list, "ExFlushLookasideListEx");
}

PVOID ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX list) {
  KernelEntry call{Fn::ExAllocateFromLookasideListEx};
  return allocate(call.machine(), *list, "ExAllocateFromLookasideListEx");
}

VOID ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX list, PVOID entry) {
  KernelEntry call{Fn::ExFreeToLookasideListEx};
  release(call.machine(), *list, entry, "ExFreeToLookasideListEx");
}

}  // extern "C"
