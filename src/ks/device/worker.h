#pragma once

#include <atomic>

#include "abi/ks/ks.h"
#include "nt/machine/machine.h"

namespace ks {

// What a PKSWORKER points to: a queue of system threads, and for a counted worker the item that runs while the count is
// not zero. In the machine's memory. Any thread at DISPATCH_LEVEL or below.
class Worker {
 public:
  // Null when there is no memory. `counted` null: items come with each call.
  static Worker* make(nt::Machine& machine, WORK_QUEUE_TYPE type, WORK_QUEUE_ITEM* counted, nt::Scope* scope);
  // Null, after a finding, for anything else than a registered worker.
  static Worker* find(nt::Machine& machine, PKSWORKER handle, const char* by);
  PKSWORKER handle() { return reinterpret_cast<PKSWORKER>(this); }

  void queue(WORK_QUEUE_ITEM& item);
  // Returns the new count. The step from zero queues the counted item; the item's routine decrements the count.
  ULONG increment();
  ULONG decrement();
  // Waits for what is queued.
  void unregister();

 private:
  Worker(nt::Machine& machine, WORK_QUEUE_TYPE type, WORK_QUEUE_ITEM* counted, nt::Scope* scope)
      : machine_(machine), type_(type), counted_(counted), scope_(scope) {}
  void done();

  static constexpr uint64_t kSignature = 0x72656b726f57736bu;
  uint64_t signature_ = kSignature;
  nt::Machine& machine_;
  const WORK_QUEUE_TYPE type_;
  WORK_QUEUE_ITEM* const counted_;
  nt::Scope* const scope_;
  nt::Tracked tracked_;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> queued_{0};
  std::atomic<base::Task*> waiter_{nullptr};
};

}  // namespace ks
