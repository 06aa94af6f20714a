#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>

#include "nt/mm/pool.h"
#include "nt/testing/bench_machine.h"

// What a driver pays for pool: with its stack kept, its scope, the guards and the fills. The goal is 250 ns for a small
// block obtained and given back.

namespace nt {
namespace {

constexpr uint32_t kMill = 0x6C6C694D;

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536)->Arg(1 << 20);
}

// The floor: the C library's memory, cleared as a driver's is.
void BM_MallocFree(benchmark::State& state) {
  auto bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* block = std::malloc(bytes);
    std::memset(block, 0, bytes);
    benchmark::DoNotOptimize(block);
    benchmark::ClobberMemory();
    std::free(block);
  }
}
BENCHMARK(BM_MallocFree)->Apply(sizes);

void BM_AllocateFree(benchmark::State& state) {
  run_to_end(endless_options(), [&](Machine& machine) {
    auto bytes = static_cast<size_t>(state.range(0));
    for (auto _ : state) {
      void* block = machine.pool().allocate(bytes, kMill, PoolKind::NonPaged, PoolFill::Zero);
      benchmark::DoNotOptimize(block);
      machine.pool().free(block, kMill, "ExFreePoolWithTag");
    }
  });
}
BENCHMARK(BM_AllocateFree)->Apply(sizes);

void BM_ExAllocateFree(benchmark::State& state) {
  run_to_end(endless_options(), [&](Machine&) {
    for (auto _ : state) ExFreePoolWithTag(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kMill), kMill);
  });
}
BENCHMARK(BM_ExAllocateFree);

void BM_StackKept(benchmark::State& state) {
  run_to_end(endless_options(), [&](Machine& machine) {
    for (auto _ : state) benchmark::DoNotOptimize(machine.here_id());
  });
}
BENCHMARK(BM_StackKept);

// What a run pays for a pool: an empty one, and one that was used.
void BM_NewMachine(benchmark::State& state) {
  for (auto _ : state) {
    run_to_end(endless_options(), [&](Machine& machine) {
      for (int64_t i = 0; i < state.range(0); ++i)
        machine.pool().allocate(64, kMill, PoolKind::NonPaged, PoolFill::Zero);
    });
  }
}
BENCHMARK(BM_NewMachine)->Arg(0)->Arg(1000);

}  // namespace
}  // namespace nt
