#include <benchmark/benchmark.h>

#include <map>
#include <set>
#include <vector>

#include "base/rng.h"
#include "vidmm/address/va_space.h"

// One mapping freed and one mapped in a space that holds many. The goal is 400 ns for the pair with a million mappings;
// at random places most of it is memory that no cache holds (the leaf, the mapping, the allocation, the leaf that gets
// the new one). Beside it, the same with the standard's ordered containers: a map of intervals, a set of gaps by size.

namespace vidmm {
namespace {

constexpr uint64_t kFirst = uint64_t{1} << 30;
constexpr uint64_t kEnd = uint64_t{1} << 48;
constexpr uint64_t kMaxPages = 16;

uint64_t any_bytes(base::Rng& rng) { return (1 + rng.below(kMaxPages)) * kPageBytes; }

struct Held {
  uint64_t va = 0;
  uint64_t bytes = 0;
  Mapped what{kMaxPages * kPageBytes};  // as most allocations have one mapping
};

class Intervals {
 public:
  Intervals() { add_gap(kFirst, kEnd); }

  uint64_t map(uint64_t bytes, Mapped* what) {
    auto gap = gaps_.lower_bound({bytes, 0});
    auto [gap_bytes, va] = *gap;
    gaps_.erase(gap);
    if (gap_bytes > bytes) gaps_.insert({gap_bytes - bytes, va + bytes});
    used_.emplace(va, std::pair(bytes, what));
    return va;
  }

  void free(uint64_t va) {
    auto at = used_.find(va);
    uint64_t from = at == used_.begin() ? kFirst : end_of(std::prev(at));
    uint64_t end = std::next(at) == used_.end() ? kEnd : std::next(at)->first;
    if (from < va) gaps_.erase({va - from, from});
    if (end_of(at) < end) gaps_.erase({end - end_of(at), end_of(at)});
    add_gap(from, end);
    used_.erase(at);
  }

 private:
  using Used = std::map<uint64_t, std::pair<uint64_t, Mapped*>>;
  static uint64_t end_of(Used::iterator at) { return at->first + at->second.first; }
  void add_gap(uint64_t from, uint64_t end) { gaps_.insert({end - from, from}); }

  Used used_;
  std::set<std::pair<uint64_t, uint64_t>> gaps_;
};

// Calls `free_one` and `map_one` in turn on a random one of the mappings held.
template <typename MapOne, typename FreeOne>
void churn(benchmark::State& state, MapOne map_one, FreeOne free_one) {
  base::Rng rng(1);
  std::vector<Held> held(static_cast<size_t>(state.range(0)));
  auto map = [&](Held& one) {
    one.bytes = any_bytes(rng);
    one.va = map_one(one);
  };
  auto again = [&] {
    Held& one = held[rng.below(held.size())];
    free_one(one);
    map(one);
  };
  for (Held& one : held) map(one);
  for (size_t i = 0; i < held.size(); ++i) again();  // until the order is random
  for (auto _ : state) again();
  for (Held& one : held) free_one(one);
}

void BM_MapAndFree(benchmark::State& state) {
  VaSpace space(kFirst, kEnd);
  VaOpList ops;
  churn(
      state, [&](Held& one) { return space.map({.what = &one.what, .bytes = one.bytes}, ops).take(); },
      [&](Held& one) {
        ops.clear();
        space.free(one.va, one.bytes, ops).take();
      });
}
BENCHMARK(BM_MapAndFree)->Arg(1000)->Arg(100'000)->Arg(1'000'000);

// A short-lived mapping among many others.
void BM_MapThenFreeIt(benchmark::State& state) {
  std::vector<Held> held(static_cast<size_t>(state.range(0)));
  Mapped what(kMaxPages * kPageBytes);
  VaSpace space(kFirst, kEnd);
  VaOpList ops;
  base::Rng rng(1);
  for (Held& one : held) space.map({.what = &one.what, .bytes = any_bytes(rng)}, ops).take();
  VaOpList().swap(ops);
  for (auto _ : state) {
    ops.clear();
    uint64_t bytes = any_bytes(rng);
    uint64_t va = space.map({.what = &what, .bytes = bytes}, ops).take();
    space.free(va, bytes, ops).take();
  }
}
BENCHMARK(BM_MapThenFreeIt)->Arg(1'000'000);

void BM_MapAndFreeStandardContainers(benchmark::State& state) {
  Intervals intervals;
  churn(
      state, [&](Held& one) { return intervals.map(one.bytes, &one.what); },
      [&](Held& one) { intervals.free(one.va); });
}
BENCHMARK(BM_MapAndFreeStandardContainers)->Arg(1000)->Arg(100'000)->Arg(1'000'000);

// What a client with one reservation of half its addresses does: it maps where its own memory lies.
void BM_MapAndFreeInReservation(benchmark::State& state) {
  auto count = static_cast<uint64_t>(state.range(0));
  std::vector<Held> held(count);
  VaSpace space(kFirst, kEnd);
  VaOpList ops;
  uint64_t base = space.reserve({.bytes = uint64_t{1} << 46}, ops).take();
  auto address = [&](uint64_t slot) { return base + slot * 2 * kMaxPages * kPageBytes; };
  auto map_at = [&](uint64_t slot) {
    ops.clear();
    Mapped& what = held[slot].what;
    space.map({.base = address(slot), .what = &what, .bytes = what.bytes()}, ops).take();
  };
  for (uint64_t i = 0; i < count; ++i) map_at(i);
  base::Rng rng(1);
  for (auto _ : state) {
    uint64_t slot = rng.below(count);
    space.free(address(slot), kMaxPages * kPageBytes, ops).take();
    map_at(slot);
  }
}
BENCHMARK(BM_MapAndFreeInReservation)->Arg(1000)->Arg(1'000'000);

void BM_Find(benchmark::State& state) {
  Mapped what(kPageBytes);
  VaSpace space(kFirst, kEnd);
  VaOpList ops;
  auto count = static_cast<uint64_t>(state.range(0));
  for (uint64_t i = 0; i < count; ++i) space.map({.what = &what, .bytes = kPageBytes}, ops).take();
  base::Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(space.find(kFirst + rng.below(count) * kPageBytes));
}
BENCHMARK(BM_Find)->Arg(1000)->Arg(1'000'000);

void BM_TileUpdate(benchmark::State& state) {
  Mapped pool(uint64_t{1} << 30);
  VaSpace space(kFirst, kEnd);
  VaOpList ops;
  uint64_t base = space.reserve({.bytes = uint64_t{1} << 30, .protection = {.zero = true}}, ops).take();
  base::Rng rng(1);
  for (auto _ : state) {
    ops.clear();
    VaSpace::Update update{.kind = VaSpace::Update::Kind::Map,
                           .va = base + rng.below(16384) * kBigPageBytes,
                           .bytes = kBigPageBytes,
                           .what = &pool,
                           .offset = rng.below(16384) * kBigPageBytes};
    space.update({&update, 1}, ops).take();
  }
}
BENCHMARK(BM_TileUpdate);

}  // namespace
}  // namespace vidmm
