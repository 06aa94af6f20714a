// What a seed costs: image restored, machine built, driver loaded, run, unloaded and judged.
#include <benchmark/benchmark.h>

#include "host/run_seed.h"
#include "nt/fault.h"

namespace host {
namespace {

void run(benchmark::State& state, const char* scenario) {
  std::string error;
  auto image = DriverImage::load(DRYDOCK_MILL, &error);
  if (!image) return state.SkipWithError(error.c_str());
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {image->file_name()}}, modules);
  trace::Writer writer;
  uint64_t seed = 0;
  for (auto _ : state) {
    SeedResult result = run_seed(*image, *find_scenarios(scenario)[0], seed++, {}, judge, writer);
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
  std::string error;
  auto image = DriverImage::load(DRYDOCK_MILL, &error);
  if (!image) return state.SkipWithError(error.c_str());
  for (auto _ : state) image->restore();
}
BENCHMARK(BM_RestoreImage);

}  // namespace
}  // namespace host
