#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "ks/allocator/allocator.h"
#include "nt/machine/machine.h"

namespace ks {

class Device;

// The allocators of one machine, and the ledgers of those that are gone. Owned by the system; any thread at
// DISPATCH_LEVEL or below.
class AllocatorRegistry {
 public:
  explicit AllocatorRegistry(nt::Machine& machine);
  AllocatorRegistry(const AllocatorRegistry&) = delete;
  AllocatorRegistry& operator=(const AllocatorRegistry&) = delete;

  void opened(FILE_OBJECT& file, AllocatorNode& node);
  // No handle is left: from now on the file may be closed at any time.
  void cleaned(const FILE_OBJECT& file);
  void closed(const FILE_OBJECT& file, const AllocatorNode::Ledger& last);
  AllocatorNode* find(const FILE_OBJECT* file);

  // The ledgers of all allocators that exist and of the last ones that are gone, in the order of creation.
  std::vector<AllocatorNode::Ledger> ledgers();
  // A device was pulled out: ends the requests that wait for frames of its allocators. At PASSIVE_LEVEL.
  void device_gone(Device& device);

 private:
  static constexpr size_t kKept = 256;

  struct Row {
    FILE_OBJECT* file;
    AllocatorNode* node;  // null: gone
    bool cleaned;
    AllocatorNode::Ledger last;
  };

  nt::Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_map<const FILE_OBJECT*, Row*> live_ GUARDED_BY(lock_);  // never walked
  std::deque<Row> rows_ GUARDED_BY(lock_);
};

}  // namespace ks
