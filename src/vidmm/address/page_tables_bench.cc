#include <benchmark/benchmark.h>

#include <map>
#include <vector>

#include "base/rng.h"
#include "vidmm/address/page_tables.h"

// An allocation mapped and unmapped again in four levels of tables. Beside it, the least that a shadow of page table
// entries costs: one entry per page in the standard's ordered map, and nothing computed for a driver.

namespace vidmm {
namespace {

class AnyPlace final : public PageTables::Owner {
 public:
  base::Result<> create_table(Table& table) override {
    table.segment = 1;
    table.page = next_++;
    return {};
  }
  void destroy_table(Table&) override {}

 private:
  uint64_t next_ = 1;
};

struct Tables {
  explicit Tables(bool large) {
    DXGK_GPUMMUCAPS caps{};
    caps.VirtualAddressBitCount = 48;
    caps.PageTableLevelCount = 4;
    caps.InvalidTlbEntriesNotCached = 1;
    caps.LargePageSupported = large;
    std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels(4);
    for (DXGK_PAGE_TABLE_LEVEL_DESC& level : levels) level.PageTableIndexBitCount = 9;
    tables = PageTables::create(caps, levels, owner, ops).take();
    // What is beside keeps the tables in place, as other mappings of a process do.
    PageRun beside{.segment = 1, .page = 1, .count = 1};
    for (uint64_t va = tables->first_va(); va < tables->first_va() + (4 << 20); va += 2 << 20)
      tables->map(va + (2 << 20) - kPageBytes, kPageBytes, {&beside, 1}, {}, ops).take();
    ops.clear();
  }

  AnyPlace owner;
  TableOpList ops;
  std::unique_ptr<PageTables> tables;
};

void BM_MapAndUnmap(benchmark::State& state) {
  Tables it(false);
  auto pages = static_cast<uint64_t>(state.range(0));
  PageRun run{.segment = 1, .page = 0x1234, .count = pages};
  uint64_t va = it.tables->first_va();
  for (auto _ : state) {
    it.tables->map(va, pages * kPageBytes, {&run, 1}, {}, it.ops).take();
    it.tables->unmap(va, pages * kPageBytes, it.ops).take();
    it.ops.clear();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MapAndUnmap)->Arg(1)->Arg(16)->Arg(256)->Arg(262'144);

void BM_MapAndUnmapStandardMap(benchmark::State& state) {
  std::map<uint64_t, DXGK_PTE> entries;
  auto pages = static_cast<uint64_t>(state.range(0));
  for (auto _ : state) {
    for (uint64_t i = 0; i < pages; ++i) entries[i] = {{.Flags = 1}, {.PageAddress = i}};
    entries.erase(entries.begin(), entries.lower_bound(pages));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MapAndUnmapStandardMap)->Arg(1)->Arg(16)->Arg(256)->Arg(262'144);

void BM_MapAndUnmapLargePages(benchmark::State& state) {
  Tables it(true);
  auto pages = static_cast<uint64_t>(state.range(0));
  PageRun run{.segment = 1, .page = 0, .count = pages};
  uint64_t va = it.tables->first_va() + (8 << 20);
  for (auto _ : state) {
    it.tables->map(va, pages * kPageBytes, {&run, 1}, {}, it.ops).take();
    it.tables->unmap(va, pages * kPageBytes, it.ops).take();
    it.ops.clear();
  }
}
BENCHMARK(BM_MapAndUnmapLargePages)->Arg(512)->Arg(262'144 - 4096);

void BM_Translate(benchmark::State& state) {
  Tables it(false);
  PageRun run{.segment = 1, .page = 0, .count = 262'144};
  uint64_t va = it.tables->first_va() + (8 << 20);
  it.tables->map(va, run.count * kPageBytes, {&run, 1}, {}, it.ops).take();
  base::Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(it.tables->translate(va + rng.below(run.count) * kPageBytes));
}
BENCHMARK(BM_Translate);

}  // namespace
}  // namespace vidmm
