// What the word of a fence costs among many.

#include <benchmark/benchmark.h>

#include <deque>
#include <optional>

#include "base/rng.h"
#include "dxgk/fence_memory.h"
#include "nt/bench_machine.h"

namespace dxgk {
namespace {

// One of the live ones, drawn at random, goes and another one comes.
void growth_fence_memory(benchmark::State& state) {
  nt::run_to_end(nt::endless_options(), [&](nt::Machine& machine) {
    auto memory = base::make_ref<FenceMemory>(machine);
    std::deque<std::optional<FenceSlot>> slots(static_cast<size_t>(state.range(0)));
    for (auto& slot : slots) slot.emplace(memory->take(8).take());
    base::Rng rng(1);
    for (auto _ : state) {
      auto& slot = slots[rng.below(slots.size())];
      slot.reset();
      slot.emplace(memory->take(8).take());
    }
  });
}
BENCHMARK(growth_fence_memory)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace dxgk
