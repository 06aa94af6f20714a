#pragma once

#include <cstdint>

#include "nt/mm/address_space.h"

// A driver is compiled with -fsanitize-coverage=trace-pc-guard, so that each edge of its code calls us. Each edge uses
// one unit of fuel; when the fuel is used up the task reaches a scheduling point. Two cheap comparisons per edge find
// code of the PAGE section that runs at a raised IRQL, and a stack that is too deep.
namespace nt {

enum class EdgeEvent : uint8_t { OutOfFuel, PagedCode, StackTooDeep };

struct EdgeState {
  int64_t fuel = INT64_MAX;     // edges left until the next scheduling point
  int64_t granted = INT64_MAX;  // what fuel started from
  bool called = false;          // the driver called the kernel since the fuel was last settled
  uint32_t highest_guard = 2;   // 2: everything may run; 1: not the PAGE section
  uintptr_t stack_floor = 0;    // a frame below this is too deep
  void (*handler)(void* owner, EdgeEvent event, uintptr_t frame) = nullptr;
  void* owner = nullptr;
};

// The state of this OS thread. Only the SimulatedExecutor gives out fuel.
extern thread_local constinit EdgeState t_edge __attribute__((tls_model("initial-exec")));

// Marks the guards of the driver loaded at [module_lo, module_hi) whose code lies in [lo, hi) as pageable.
void mark_paged_code(uintptr_t module_lo, uintptr_t module_hi, uintptr_t lo, uintptr_t hi);

}  // namespace nt
