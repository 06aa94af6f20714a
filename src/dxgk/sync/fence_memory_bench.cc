// What the word of a fence costs among many.

#include <benchmark/benchmark.h>

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "dxgk/sync/fence_memory.h"
#include "nt/testing/bench_machine.h"

namespace dxgk {
namespace {

// The oldest goes and another one comes.
void growth_fence_memory(benchmark::State& state) {
  nt::run_to_end(nt::endless_options(), [&](nt::Machine& machine) {
    auto memory = base::make_ref<FenceMemory>(machine);
    std::deque<FenceSlot> slots;
    for (int64_t i = 0; i < state.range(0); ++i) slots.push_back(memory->take(8).take());
    for (auto _ : state) {
      slots.pop_front();
      slots.push_back(memory->take(8).take());
    }
  });
}
BENCHMARK(growth_fence_memory)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Some of them go, from anywhere, and as many come. The slots that go are picked and brought together before the clock
// runs: a fence's owner has just used it, and that the list of a million of them here is not in the cache is no cost
// of this memory. No row of growth: among a million fences a slot goes back to one of 2,000 pages, most of which were
// full, and their bitmaps are not in the cache either; that is twice the cost, and the same few steps.
void fence_memory_at_random(benchmark::State& state) {
  constexpr size_t kBatch = 256;
  nt::run_to_end(nt::endless_options(), [&](nt::Machine& machine) {
    auto memory = base::make_ref<FenceMemory>(machine);
    std::vector<std::optional<FenceSlot>> slots(static_cast<size_t>(state.range(0)));
    for (auto& slot : slots) slot.emplace(memory->take(8).take());
    base::Rng rng(1);
    std::vector<std::pair<size_t, FenceSlot>> leaving;
    std::vector<FenceSlot> coming;
    leaving.reserve(kBatch);
    coming.reserve(kBatch);
    while (state.KeepRunningBatch(kBatch)) {
      state.PauseTiming();
      while (leaving.size() < kBatch) {
        size_t at = rng.below(slots.size());
        if (!slots[at]) continue;
        leaving.emplace_back(at, std::move(*slots[at]));
        slots[at].reset();
      }
      std::vector<size_t> free;
      for (const auto& each : leaving) free.push_back(each.first);
      state.ResumeTiming();
      leaving.clear();
      for (size_t i = 0; i < kBatch; ++i) coming.push_back(memory->take(8).take());
      state.PauseTiming();
      for (size_t i = 0; i < kBatch; ++i) slots[free[i]].emplace(std::move(coming[i]));
      coming.clear();
      state.ResumeTiming();
    }
  });
}
BENCHMARK(fence_memory_at_random)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace dxgk
