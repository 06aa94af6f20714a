#include "nt/machine/edge.h"

#include <algorithm>
#include <vector>

namespace nt {

thread_local constinit EdgeState t_edge;

namespace {

[[maybe_unused]] constexpr uint32_t kPlainGuard = 1;
constexpr uint32_t kPagedGuard = 2;

// What the compiler's module constructors registered: the guards of each loaded driver, and the code of each guard.
struct Guards {
  uint32_t* first;
  uint32_t* last;
  const uintptr_t* pcs = nullptr;  // pairs (pc, flags), parallel to the guards
};

std::vector<Guards>& all_guards() {
  static std::vector<Guards> guards;
  return guards;
}

[[maybe_unused]] __attribute__((noinline, cold)) NO_SANITIZE void edge_event(uint32_t guard, uintptr_t frame) {
  EdgeState& edge = t_edge;
  if (!edge.handler) return;
  if (guard > edge.highest_guard) edge.handler(edge.owner, EdgeEvent::PagedCode, frame);
  if (frame < edge.stack_floor) edge.handler(edge.owner, EdgeEvent::StackTooDeep, frame);
  if (edge.fuel < 0) edge.handler(edge.owner, EdgeEvent::OutOfFuel, frame);
}

}  // namespace

void mark_paged_code(uintptr_t module_lo, uintptr_t module_hi, uintptr_t lo, uintptr_t hi) {
  // A module has one table. The newest in this place is this module's; older ones are of modules that were unloaded.
  auto& all = all_guards();
  auto mine = std::find_if(all.rbegin(), all.rend(), [=](const Guards& guards) {
    auto place = reinterpret_cast<uintptr_t>(guards.first);
    return place >= module_lo && place < module_hi;
  });
  if (mine == all.rend() || !mine->pcs) return;
  for (size_t i = 0; mine->first + i < mine->last; ++i) {
    uintptr_t pc = mine->pcs[2 * i];
    if (pc >= lo && pc < hi) mine->first[i] = kPagedGuard;
  }
}

}  // namespace nt

#ifndef DRYDOCK_FUZZ  // libFuzzer has these; the drivers of fuzzers are compiled into them, and have no edges
extern "C" {

NO_SANITIZE void __sanitizer_cov_trace_pc_guard(uint32_t* guard) {
  nt::EdgeState& edge = nt::t_edge;
  uintptr_t frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  bool event = (--edge.fuel < 0) | (*guard > edge.highest_guard) | (frame < edge.stack_floor);
  if (__builtin_expect(event, 0)) nt::edge_event(*guard, frame);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t* first, uint32_t* last) {
  if (first == last || *first != 0) return;
  for (uint32_t* guard = first; guard < last; ++guard) *guard = nt::kPlainGuard;
  // The module that was at this address before was unloaded.
  std::erase_if(nt::all_guards(), [=](const nt::Guards& old) { return old.first < last && first < old.last; });
  nt::all_guards().push_back({first, last});
}

void __sanitizer_cov_pcs_init(const uintptr_t* first, const uintptr_t* last) {
  // Called right after the guards of the same module.
  auto& all = nt::all_guards();
  if (all.empty()) return;
  nt::Guards& guards = all.back();
  if (static_cast<size_t>(last - first) / 2 == static_cast<size_t>(guards.last - guards.first)) guards.pcs = first;
}

}  // extern "C"
#endif
