// What a tile update keeps in case that it has to be undone, with many other tiles mapped.

#include <benchmark/benchmark.h>

#include <vector>

#include "dxgk/memory/mapped_before.h"

namespace dxgk {
namespace {

using vidmm::VaSpace;

constexpr uint64_t kTile = 65536;
constexpr uint64_t kBase = uint64_t{1} << 40;

// The first tile and the last.
void growth_mapped_before(benchmark::State& state) {
  auto count = static_cast<uint64_t>(state.range(0));
  VaSpace space(kTile, uint64_t{1} << 48);
  vidmm::Mapped what(2 * kTile);
  vidmm::VaOpList ops;
  CHECK(space.reserve({.base = kBase, .bytes = count * kTile}, ops).ok());
  auto tile = [&](uint64_t index) {
    return VaSpace::Update{
        .kind = VaSpace::Update::Kind::Map, .va = kBase + index * kTile, .bytes = kTile, .what = &what};
  };
  for (uint64_t i = 0; i < count; ++i) {
    CHECK(space.update({{tile(i)}}, ops).ok());
    ops.clear();
  }
  std::vector<VaSpace::Update> updates = {tile(0), tile(count - 1)};
  for (auto _ : state) {
    MappedBefore before(space, updates);
    benchmark::DoNotOptimize(before.size());
  }
  space.clear();
}
BENCHMARK(growth_mapped_before)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace dxgk
