#include <benchmark/benchmark.h>

#include <vector>

#include "nt/dma/dma_adapters.h"
#include "nt/mm/pool.h"
#include "nt/testing/bench_machine.h"

// What a class driver pays for a buffer of its device. The goal is 500 ns for one page mapped and unmapped, both stacks
// kept.

namespace nt {
namespace {

void BM_MapUnmap(benchmark::State& state) {
  run_to_end(endless_options(), [&](Machine& machine) {
    DRIVER_OBJECT driver{};
    PDEVICE_OBJECT pdo = nullptr;
    IoCreateDevice(&driver, 0, nullptr, FILE_DEVICE_KS, 0, FALSE, &pdo);
    DEVICE_DESCRIPTION description{};
    description.Master = description.ScatterGather = description.Dma64BitAddresses = TRUE;
    description.MaximumLength = ~ULONG{0};
    ULONG registers;
    DMA_ADAPTER& adapter = *machine.dma().get(*pdo, description, &registers).take();
    auto bytes = static_cast<size_t>(state.range(0)) * PAGE_SIZE;
    void* memory = machine.pool().allocate(bytes, 1, PoolKind::NonPaged, PoolFill::Zero);
    PMDL mdl = IoAllocateMdl(memory, static_cast<ULONG>(bytes), FALSE, FALSE, nullptr);
    MmBuildMdlForNonPagedPool(mdl);
    std::vector<DmaAdapters::Piece> pieces;
    for (auto _ : state) {
      pieces.clear();
      machine.dma().unmap(adapter, machine.dma().map(adapter, *mdl, 0, bytes, true, 0, pieces).take());
    }
  });
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MapUnmap)->Arg(1)->Arg(16)->Arg(256);

// The floor: the list of pieces is written, and nothing is mapped.
void BM_WritePieces(benchmark::State& state) {
  std::vector<DmaAdapters::Piece> pieces;
  for (auto _ : state) {
    pieces.clear();
    for (int64_t i = 0; i < state.range(0); ++i) pieces.push_back({});
    benchmark::DoNotOptimize(pieces.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_WritePieces)->Arg(1)->Arg(16)->Arg(256);

}  // namespace
}  // namespace nt
