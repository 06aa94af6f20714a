#include "ks/allocator_books.h"

#include "ks/device.h"
#include "ks/pin.h"
#include "ks/system.h"
#include "ks/waiting_allocs.h"
#include "nt/file_objects.h"

namespace ks {

AllocatorBooks::AllocatorBooks(nt::Machine& machine) : machine_(machine) { WaitingAllocs::own_routines(machine); }

void AllocatorBooks::opened(FILE_OBJECT& file, AllocatorNode& node) {
  base::Guard guard(lock_);
  while (rows_.size() >= kKept && !rows_.front().node) rows_.pop_front();
  rows_.push_back({&file, &node, false, {}});
  live_[&file] = &rows_.back();
}

void AllocatorBooks::cleaned(const FILE_OBJECT& file) {
  base::Guard guard(lock_);
  auto found = live_.find(&file);
  if (found != live_.end()) found->second->cleaned = true;
}

void AllocatorBooks::closed(const FILE_OBJECT& file, const AllocatorNode::Ledger& last) {
  base::Guard guard(lock_);
  auto found = live_.find(&file);
  if (found == live_.end()) return;
  found->second->node = nullptr;
  found->second->last = last;
  live_.erase(found);
}

AllocatorNode* AllocatorBooks::find(const FILE_OBJECT* file) {
  base::Guard guard(lock_);
  auto found = live_.find(file);
  return found == live_.end() ? nullptr : found->second->node;
}

std::vector<AllocatorNode::Ledger> AllocatorBooks::ledgers() {
  base::Guard guard(lock_);
  std::vector<AllocatorNode::Ledger> all;
  for (Row& row : rows_) all.push_back(row.node ? row.node->ledger() : row.last);
  return all;
}

// A file that has a handle has a reference, and can be given another one.
void AllocatorBooks::device_gone(Device& device) {
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
    device.system().drops().drop(*file);
  }
}

}  // namespace ks
