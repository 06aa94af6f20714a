// Questions to the GPU: how far it is, and what time it was there. The same for every DDI.
#pragma once

#include "resource.h"

namespace softgpu {

class Device;

enum class QueryKind : uint8_t { Event, Timestamp, Disjoint, Frequency };

// One question. Its answer is a slot in memory: when the GPU gets there it writes the time, then the number that was
// asked with. Whether its clock ever jumps, and how fast it runs, the GPU need not be asked. Owned by Queries.
struct Query {
  Query* next;
  Query* previous;
  QueryKind kind;
  uint32_t slot;
  uint64_t asked;  // 0: not asked yet
  uint64_t batch;  // that the question is in
};

// The queries of a device; part of it.
class Queries {
 public:
  // Null on failure, and why.
  Query* create(Device& device, QueryKind kind, HRESULT* result);
  void destroy(Query* query);
  // All of them. Their memory is the device's to give back.
  void destroy();

  HRESULT ask(Device& device, Query& query);
  // S_FALSE: the GPU is not there yet. Else 1 for an event, the time, 0 for no jumps, or ticks in a second.
  HRESULT answer(Device& device, const Query& query, uint64_t* value);

 private:
  static constexpr uint32_t kSlots = 4096;

  struct Slot {
    uint64_t reached;
    uint64_t time;
  };

  HRESULT make_memory(Device& device);
  bool take_slot(uint32_t* slot);
  HRESULT read(Device& device, const Query& query, uint64_t* value);

  Resource* memory_ = nullptr;
  Query* first_ = nullptr;
  uint64_t asked_ = 0;
  uint64_t taken_[kSlots / 64] = {};
};

}  // namespace softgpu
