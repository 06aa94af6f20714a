#include "ks/allocator/allocator_registry.h"

#include "ks/allocator/waiting_allocs.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/pin/pin.h"
#include "nt/io/file_objects.h"

namespace ks {

AllocatorRegistry::AllocatorRegistry(nt::Machine& machine) : machine_(machine) { WaitingAllocs::own_routines(machine); }

void AllocatorRegistry::opened(FILE_OBJECT& file, AllocatorNode& node) {
  base::Guard guard(lock_);
  while (rows_.size() >= kKept && !rows_.front().node) rows_.pop_front();
  rows_.push_back({&file, &node, false, {}});
  live_[&file] = &rows_.back();
}

void AllocatorRegistry::cleaned(const FILE_OBJECT& file) {
  base::Guard guard(lock_);
  auto found = live_.find(&file);
  if (found != live_.end()) found->second->cleaned = true;
}

void AllocatorRegistry::closed(const FILE_OBJECT& file, const AllocatorNode::Ledger& last) {
  base::Guard guard(lock_);
  auto found = live_.find(&file);
  if (found == live_.end()) return;
  found->second->node = nullptr;
  found->second->last = last;
  live_.erase(found);
}

AllocatorNode* AllocatorRegistry::find(const FILE_OBJECT* file) {
  base::Guard guard(lock_);
  auto found = live_.find(file);
  return found == live_.end() ? nullptr : found->second->node;
}

std::vector<AllocatorNode::Ledger> AllocatorRegistry::ledgers() {
  base::Guard guard(lock_);
  std::vector<AllocatorNode::Ledger> all;
  for (Row& row : rows_) all.push_back(row.node ? row.node->ledger() : row.last);
  return all;
}

// A file that has a handle has a reference, and can be given another one.
void AllocatorRegistry::device_gone(Device& device) {
  std::vector<FILE_OBJECT*> held;
  {
    base::Guard guard(lock_);
    for (Row& row : rows_) {
      bool of_it = row.node && row.node->pin() && &row.node->pin()->device() == &device;
      if (!of_it || row.cleaned || !(row.file->Flags & FO_HANDLE_CREATED)) continue;
      machine_.files().reference(*row.file);
      held.push_back(row.file);
    }
  }
  for (FILE_OBJECT* file : held) {
    if (AllocatorNode* node = find(file)) node->stop_waiting();
    device.system().file_releases().drop(*file);
  }
}

}  // namespace ks
