// What the word of a fence costs among many.

#include <benchmark/benchmark.h>

#include <deque>

#include "dxgk/fence_memory.h"
#include "nt/bench_machine.h"

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

}  // namespace
}  // namespace dxgk
