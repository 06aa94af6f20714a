#pragma once

#include <cstdint>
#include <vector>

#include "base/debug/stack.h"

namespace base {

using StackId = uint32_t;  // counts from 1 in the order stacks were first seen; 0 is "no stack"

// Every distinct stack once. Owned by one machine and touched by one OS thread at a time; it has no lock.
//
//   slots_    [epoch|id|hash] …    open addressing over the hash; a slot of an older epoch is free
//   records_  [first|count] …      by id - 1
//   pcs_      pc pc pc …           the frames of all stacks, one after another
//
// A stack seen before costs a hash, one probe as a rule, and a comparison; it never allocates. A new one allocates only
// when it outgrows the room kept from before.
class StackTable {
 public:
  explicit StackTable(size_t expected_stacks = 1024);

  // The id of this stack; a stack without frames is 0.
  StackId intern(const Stack& stack);
  Stack get(StackId id) const;  // no frames for 0
  size_t size() const { return records_.size(); }

  // Forgets every stack and keeps the memory: slots become free by a new epoch, not by being cleared.
  void reset();

 private:
  struct Slot {
    uint64_t epoch = 0;
    StackId id = 0;
    uint32_t hash = 0;
  };
  struct Record {
    uint32_t first;
    uint32_t count;
  };

  bool same(StackId id, const Stack& stack) const;
  StackId add(const Stack& stack);
  void grow();

  std::vector<Slot> slots_;  // a power of two of them, at most half used
  std::vector<Record> records_;
  std::vector<uintptr_t> pcs_;
  uint64_t epoch_ = 1;
};

}  // namespace base
