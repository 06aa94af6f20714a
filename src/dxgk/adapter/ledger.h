#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/debug/stack_table.h"
#include "base/here.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ob/object_kind.h"

namespace dxgk {

// What a process did with the graphics kernel: objects by kind, memory, refusals, and what it left behind. Any thread.
class Ledger {
 public:
  struct Count {
    std::atomic<uint64_t> created{0}, live{0}, peak{0};
  };
  // Calls that were refused at one place for one reason, counted.
  struct Refusal {
    std::string function;
    NTSTATUS status;
    std::string reason;
    base::Here where;
    uint64_t times;
  };
  struct Leak {
    ob::ObjectKind kind;
    uint64_t handle;
    uint64_t bytes;
    base::StackId stack;
  };

  void created(ob::ObjectKind kind);
  void gone(ob::ObjectKind kind);
  void memory(int64_t bytes);
  void refused(const char* function, const base::Failure& failure);
  void leaked(Leak leak);

  const Count& of(ob::ObjectKind kind) const { return counts_[static_cast<uint8_t>(kind)]; }
  uint64_t bytes() const { return bytes_.live.load(std::memory_order_relaxed); }
  uint64_t peak_bytes() const { return bytes_.peak.load(std::memory_order_relaxed); }
  std::vector<Refusal> refusals() const;
  std::vector<Leak> leaks() const;

 private:
  static void raise(std::atomic<uint64_t>& peak, uint64_t value);

  Count counts_[ob::kFirstNtKind + 32];
  Count bytes_;
  mutable base::Mutex<base::LockRank::Trace> lock_;
  std::vector<Refusal> refusals_ GUARDED_BY(lock_);  // few different ones; searched when a call fails
  std::vector<Leak> leaks_ GUARDED_BY(lock_);
};

}  // namespace dxgk
