// What a packet pays for each allocation that it names, with many packets that name it in flight.

#include <benchmark/benchmark.h>

#include "dxgk/work/gpu_uses.h"

namespace dxgk {
namespace {

// The oldest packet comes back, the client asks, and another one is queued.
void growth_gpu_uses(benchmark::State& state) {
  GpuUses uses;
  for (int64_t i = 0; i < state.range(0); ++i) uses.begin(true);
  uint64_t oldest = 1;
  for (auto _ : state) {
    uses.end(oldest);
    benchmark::DoNotOptimize(uses.passed(oldest++, GpuUses::Which::Writes));
    uses.begin(true);
  }
}
BENCHMARK(growth_gpu_uses)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace dxgk
