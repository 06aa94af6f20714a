#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "nt/machine.h"

// What a driver pays for pool: with its stack kept, its scope, the guards and the fills. The goal is 250 ns for a small
// block obtained and given back.

namespace nt {
namespace {

constexpr uint32_t kMill = 0x6C6C694D;

// Runs a benchmark's loop as a machine's first thread.
template <typename Body>
void on_machine(Body&& body) {
  Probe probe;
  trace::Writer writer;
  Machine machine({}, probe, writer);
  machine.run([&] { body(machine); });
}

void BM_AllocateFree(benchmark::State& state) {
  on_machine([&](Machine& machine) {
    auto bytes = static_cast<size_t>(state.range(0));
    for (auto _ : state) {
      void* block = machine.pool().allocate(bytes, kMill, PoolKind::NonPaged, PoolFill::Zero);
      benchmark::DoNotOptimize(block);
      machine.pool().free(block, kMill, "ExFreePoolWithTag");
    }
  });
}
BENCHMARK(BM_AllocateFree)->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Arg(65536)->Arg(1 << 20);

void BM_ExAllocateFree(benchmark::State& state) {
  on_machine([&](Machine&) {
    for (auto _ : state) ExFreePoolWithTag(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kMill), kMill);
  });
}
BENCHMARK(BM_ExAllocateFree);

void BM_StackKept(benchmark::State& state) {
  on_machine([&](Machine& machine) {
    for (auto _ : state) benchmark::DoNotOptimize(machine.here_id());
  });
}
BENCHMARK(BM_StackKept);

// What a run pays for a pool: an empty one, and one that was used.
void BM_NewMachine(benchmark::State& state) {
  for (auto _ : state) {
    on_machine([&](Machine& machine) {
      for (int64_t i = 0; i < state.range(0); ++i)
        machine.pool().allocate(64, kMill, PoolKind::NonPaged, PoolFill::Zero);
    });
  }
}
BENCHMARK(BM_NewMachine)->Arg(0)->Arg(1000);

}  // namespace
}  // namespace nt
