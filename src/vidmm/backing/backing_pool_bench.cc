// What a backing costs among many that are live. Nothing of the memory is touched.

#include <benchmark/benchmark.h>

#include <vector>

#include "base/rng.h"
#include "vidmm/backing/backing_pool.h"

namespace vidmm {
namespace {

// One of the live ones, drawn at random, is given back and another one taken.
void growth_backing(benchmark::State& state) {
  BackingPool pool;
  std::vector<BackingCell> cells(static_cast<size_t>(state.range(0)));
  for (BackingCell& cell : cells) cell = pool.take(4096).take();
  base::Rng rng(1);
  for (auto _ : state) {
    BackingCell& cell = cells[rng.below(cells.size())];
    pool.give(cell, 4096);
    cell = pool.take(4096).take();
  }
  for (BackingCell cell : cells) pool.give(cell, 4096);
}
BENCHMARK(growth_backing)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace vidmm
