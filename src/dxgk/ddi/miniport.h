#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abi/km/dispmprt.h"
#include "dxgk/ddi/ddi.h"
#include "nt/boundary/driver_call.h"

namespace dxgk {

// How often each DDI was called. Not padded to a cache line per row: the counts are read after a run.
class DdiCounts {
 public:
  void add(Ddi ddi) { counts_[static_cast<size_t>(ddi)].fetch_add(1, std::memory_order_relaxed); }
  uint64_t of(Ddi ddi) const { return counts_[static_cast<size_t>(ddi)].load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> counts_[kDdiCount]{};
};

// The functions of a kernel driver. A call checks the row of its DDI (ddi.def): the IRQL it is made at, and the status
// that comes back. Which levels may overlap is decided by the caller: adapter.h. Any thread.
class Miniport {
 public:
  Miniport(nt::Machine& machine, const DRIVER_INITIALIZATION_DATA& table) : machine_(machine), table_(table) {}

  // miniport.call(Ddi::CreateAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateAllocation, &scope, context, &args)
  template <typename R, typename... Params, typename... Args>
  R call(Ddi ddi, R (*DRIVER_INITIALIZATION_DATA::*slot)(Params...), nt::Scope* scope, Args&&... args) {
    enter(ddi);
    if constexpr (std::is_same_v<R, NTSTATUS>) {
      if (fails_on_purpose(ddi)) return STATUS_NO_MEMORY;
    }
    R result = nt::call_driver(machine_, row(ddi).name, scope, table_.*slot, std::forward<Args>(args)...);
    if constexpr (std::is_same_v<R, NTSTATUS>) {
      if (__builtin_expect(result != STATUS_SUCCESS, 0)) result = judge(ddi, result);
    }
    return result;
  }
  template <typename... Params, typename... Args>
  void call(Ddi ddi, void (*DRIVER_INITIALIZATION_DATA::*slot)(Params...), nt::Scope* scope, Args&&... args) {
    enter(ddi);
    nt::call_driver(machine_, row(ddi).name, scope, table_.*slot, std::forward<Args>(args)...);
  }
  template <typename Slot>
  bool has(Slot DRIVER_INITIALIZATION_DATA::*slot) const {
    return table_.*slot != nullptr;
  }

  uint32_t version() const { return table_.Version; }
  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }
  const DdiCounts& counts() const { return counts_; }
  nt::Machine& machine() { return machine_; }

 private:
  void enter(Ddi ddi);
  // The driver is not asked, and its caller hears that it had no memory: only of functions that may say so.
  bool fails_on_purpose(Ddi ddi);
  // What the kernel takes the status for. One that the DDI may not return is a finding.
  NTSTATUS judge(Ddi ddi, NTSTATUS status);

  nt::Machine& machine_;
  const DRIVER_INITIALIZATION_DATA table_;
  DdiCounts counts_;
};

}  // namespace dxgk
