// Object bags. Pages: stream/object-bags, ks/nf-ks-ksadditemtoobjectbag, nf-ks-ksremoveitemfromobjectbag,
// nf-ks-_ksedit.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "nt/mm/pool.h"

using ks::Fn;
using ks::KernelEntry;

namespace {

// The bag behind a handle. The caller must hold the mutex of the bag's object.
ks::Bag* bag_of(const KernelEntry& call, KSOBJECT_BAG handle) {
  ks::Bag* bag = call.system().bag(handle, call.name());
  if (bag && bag->control() && !bag->control()->held()) {
    call.report_violation(nt::Violation::KsBagWithoutMutex,
                          fmt::format("{} without holding the mutex that guards the object bag", call.name()));
  }
  return bag;
}

}  // namespace

extern "C" {

NTSTATUS KsAllocateObjectBag(PKSDEVICE body, KSOBJECT_BAG* bag) {
  KernelEntry call{Fn::KsAllocateObjectBag};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  auto* device = call.system().object_as<ks::Device>(body, call.name());
  if (!device) return STATUS_INVALID_PARAMETER;
  *bag = device->make_bag().handle();
  return STATUS_SUCCESS;
}

void KsFreeObjectBag(KSOBJECT_BAG handle) {
  KernelEntry call{Fn::KsFreeObjectBag};
  ks::Bag* bag = call.system().bag(handle, call.name());
  if (!bag) return;
  for (ks::Device* device : call.system().devices()) {
    if (device->free_bag(*bag)) return;
  }
  call.report_violation(nt::Violation::NotInitialised,
                        "KsFreeObjectBag of a bag that KsAllocateObjectBag did not make");
}

NTSTATUS KsAddItemToObjectBag(KSOBJECT_BAG handle, PVOID item, PFNKSFREE free) {
  KernelEntry call{Fn::KsAddItemToObjectBag};
  ks::Bag* bag = bag_of(call, handle);
  if (!bag || !item) return STATUS_INVALID_PARAMETER;
  // The bag needs memory of its own. A driver must handle it when there is none.
  if (call.machine().fails(nt::FaultKind::Pool, "KsAddItemToObjectBag")) {
    return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an item of the bag"));
  }
  bag->add(item, free);
  return STATUS_SUCCESS;
}

ULONG KsRemoveItemFromObjectBag(KSOBJECT_BAG handle, PVOID item, BOOLEAN free) {
  KernelEntry call{Fn::KsRemoveItemFromObjectBag};
  ks::Bag* bag = bag_of(call, handle);
  return bag ? bag->remove(item, free != FALSE) : 0;
}

NTSTATUS KsCopyObjectBagItems(KSOBJECT_BAG to, KSOBJECT_BAG from) {
  KernelEntry call{Fn::KsCopyObjectBagItems};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::Bag* source = bag_of(call, from);
  ks::Bag* target = bag_of(call, to);
  if (!source || !target) return STATUS_INVALID_PARAMETER;
  source->copy_to(*target);
  return STATUS_SUCCESS;
}

NTSTATUS _KsEdit(KSOBJECT_BAG handle, PVOID* pointer, ULONG new_bytes, ULONG old_bytes, ULONG tag) {
  KernelEntry call{Fn::_KsEdit};
  ks::Bag* bag = bag_of(call, handle);
  if (!bag) return STATUS_INVALID_PARAMETER;
  void* old = *pointer;
  bool mine = old && bag->contains(old);
  if (mine && new_bytes <= old_bytes) return STATUS_SUCCESS;
  if (call.machine().fails(nt::FaultKind::Pool, "KsEdit")) {
    return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the item that is edited"));
  }
  void* copy = call.machine().pool().allocate(new_bytes, tag, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
  if (!copy) return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the item that is edited"));
  if (old) memcpy(copy, old, std::min(old_bytes, new_bytes));
  bag->add(copy, nullptr);
  *pointer = copy;
  if (mine) bag->remove(old, true);
  return STATUS_SUCCESS;
}

}  // extern "C"
