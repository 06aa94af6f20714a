#include <benchmark/benchmark.h>

#include "base/rng.h"

namespace base {
namespace {

// The floor: what the loop around every other figure costs.
void BM_floor(benchmark::State& state) {
  uint64_t counter = 0;
  for (auto _ : state) benchmark::DoNotOptimize(++counter);
}
BENCHMARK(BM_floor);

void BM_next(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.next());
}
BENCHMARK(BM_next);

void BM_below(benchmark::State& state) {
  Rng rng(1);
  uint64_t n = 7;
  benchmark::DoNotOptimize(n);
  for (auto _ : state) benchmark::DoNotOptimize(rng.below(n));
}
BENCHMARK(BM_below);

void BM_split(benchmark::State& state) {
  Rng rng(1);
  uint64_t ordinal = 0;
  for (auto _ : state) benchmark::DoNotOptimize(rng.split("scheduler", ++ordinal));
}
BENCHMARK(BM_split);

}  // namespace
}  // namespace base
