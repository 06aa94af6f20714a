#include "nt/ex/object_references.h"

#include <fmt/format.h>

#include <algorithm>

#include "nt/io/device_objects.h"
#include "nt/io/file_objects.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {

size_t ObjectReferences::take(void* object, uint32_t tag, const char* by) {
  if (!known(object, by)) return 0;
  if (!machine_.files().hold(object)) machine_.devices().hold(object);
  auto reference = std::make_unique<Reference>();
  reference->tag = tag;
  reference->tracked.kind = ResourceKind::ObjectReference;
  machine_.track(reference->tracked);
  base::Guard guard(lock_);
  List& list = held_[object];
  list.push_back(std::move(reference));
  return list.size();
}

size_t ObjectReferences::drop(void* object, uint32_t tag, const char* by) {
  std::unique_ptr<Reference> dropped;
  size_t left = 0;
  {
    base::Guard guard(lock_);
    if (auto found = held_.find(object); found != held_.end()) {
      List& list = found->second;
      auto same = std::find_if(list.rbegin(), list.rend(), [tag](const auto& held) { return held->tag == tag; });
      auto at = same != list.rend() ? std::prev(same.base()) : std::prev(list.end());
      dropped = std::move(*at);
      list.erase(at);
      left = list.size();
      if (left == 0) held_.erase(found);
    }
  }
  if (!dropped) {
    machine_.report_violation(Violation::ReferenceUnderflow,
                              fmt::format("{} gives back a reference to an object that the driver holds none of", by));
    return 0;
  }
  machine_.untrack(dropped->tracked);
  if (!machine_.files().release(object)) machine_.devices().release(object);
  return left;
}

// Every pointer of a driver into the machine's own memory points to an object.
bool ObjectReferences::known(void* object, const char* by) {
  auto address = reinterpret_cast<uintptr_t>(object);
  auto block = machine_.pool().find(address);
  if (block && block->kind == PoolKind::Internal && block->address == address && !block->freed) return true;
  machine_.report_violation(Violation::NotInitialised,
                            fmt::format("{} was given an address that is no object of the kernel", by));
  return false;
}

}  // namespace nt
