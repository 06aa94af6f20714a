// What a seed costs: image restored, machine built, driver loaded, run, unloaded and judged.
#include <benchmark/benchmark.h>

#include "host/run/run_seed.h"
#include "nt/fault/fault.h"

namespace host {
namespace {

void run(benchmark::State& state, const char* scenario) {
  auto images = Images::load(DRYDOCK_MILL, {}, {});
  if (!images.ok()) return state.SkipWithError(images.error().c_str());
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {images.value().file_name()}}, modules);
  trace::Writer writer;
  uint64_t seed = 0;
  for (auto _ : state) {
    SeedResult result = run_seed(images.value(), *find_scenarios(scenario)[0], seed++, {}, judge, writer);
    if (!judge.findings().empty()) return state.SkipWithError("the driver is not quiet");
    benchmark::DoNotOptimize(result);
  }
}

void BM_SeedLoadUnload(benchmark::State& state) { run(state, "nt/load-unload"); }
BENCHMARK(BM_SeedLoadUnload);

void BM_SeedRun(benchmark::State& state) { run(state, "nt/run"); }
BENCHMARK(BM_SeedRun);

// The floor of a reset: the driver's writable memory, copied back.
void BM_RestoreImage(benchmark::State& state) {
  auto images = Images::load(DRYDOCK_MILL, {}, {});
  if (!images.ok()) return state.SkipWithError(images.error().c_str());
  for (auto _ : state) images.value().restore();
}
BENCHMARK(BM_RestoreImage);

}  // namespace
}  // namespace host
