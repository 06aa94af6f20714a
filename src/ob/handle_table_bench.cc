#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ob/handle_table.h"
#include "ob/testing/test_object.h"

// Each look-up depends on the one before it, as does each load of the floor: what is measured is latency. The floor is
// a bare random load from an array with as many bytes as the table has slots.
namespace ob {
namespace {

constexpr size_t kSlotSize = 16;

// The next of a random walk over [0, count). `last` is what the previous step read, and makes this one wait for it.
uint32_t wander(uint64_t& state, uint64_t last, uint32_t count) {
  state = (state + (last >> 63)) * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(((state >> 32) * count) >> 32);
}

// A table with `count` devices, kept for all benchmarks of that size.
struct Population {
  explicit Population(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) table.reserve().take().publish(TestDevice::create(ordinals, log));
  }

  Ordinals ordinals;
  TestObjectLog log;
  KmtHandleTable table;
};

Population& population(uint32_t count) {
  static std::unique_ptr<Population> current;
  static uint32_t size = 0;
  if (size != count) {
    current = std::make_unique<Population>(count);
    size = count;
  }
  return *current;
}

uint32_t handle_at(uint32_t index) { return LocalKmtEncoding::encode({index, 1}); }

void bare_random_load(benchmark::State& state) {
  auto count = static_cast<uint32_t>(state.range(0));
  std::vector<uint64_t> array(count * kSlotSize / sizeof(uint64_t), 1);
  uint64_t walk = 1;
  uint64_t last = 0;
  for (auto _ : state) last = array[wander(walk, last, count) * (kSlotSize / sizeof(uint64_t))];
  benchmark::DoNotOptimize(last);
}

// The floor of a look-up whose object is read too: from the slot to what it points at, both cold.
void bare_random_load_through_pointer(benchmark::State& state) {
  struct Target {
    uint64_t value = 1;
    char rest[sizeof(TestDevice) - sizeof(uint64_t)] = {};
  };
  struct Source {
    const Target* target;
    uint64_t rest;
  };
  static_assert(sizeof(Source) == kSlotSize);
  auto count = static_cast<uint32_t>(state.range(0));
  std::vector<Target> targets(count);
  std::vector<Source> sources;
  for (const Target& target : targets) sources.push_back({&target, 0});
  uint64_t walk = 1;
  uint64_t last = 0;
  for (auto _ : state) {
    last = sources[wander(walk, last, count)].target->value;
    benchmark::DoNotOptimize(last);
  }
}

void pin(benchmark::State& state) {
  auto count = static_cast<uint32_t>(state.range(0));
  KmtHandleTable& table = population(count).table;
  uint64_t walk = 1;
  uint64_t last = 0;
  for (auto _ : state) {
    auto pinned = table.pin<TestDevice>(handle_at(wander(walk, last, count)));
    last = reinterpret_cast<uintptr_t>(&*pinned.value());
  }
  benchmark::DoNotOptimize(last);
}

// The chain runs through the slot only: the miss on the object's reference count overlaps the next look-up, so at large
// sizes this flatters get(). get_and_read is the one to compare.
void get(benchmark::State& state) {
  auto count = static_cast<uint32_t>(state.range(0));
  KmtHandleTable& table = population(count).table;
  uint64_t walk = 1;
  uint64_t last = 0;
  for (auto _ : state) {
    base::Ref<TestDevice> object = table.get<TestDevice>(handle_at(wander(walk, last, count))).take();
    last = reinterpret_cast<uintptr_t>(object.get());
  }
  benchmark::DoNotOptimize(last);
}

// As a caller does that uses the object and not only its address.
void get_and_read(benchmark::State& state) {
  auto count = static_cast<uint32_t>(state.range(0));
  KmtHandleTable& table = population(count).table;
  uint64_t walk = 1;
  uint64_t last = 0;
  for (auto _ : state) {
    last = table.get<TestDevice>(handle_at(wander(walk, last, count))).take()->ordinal();
    benchmark::DoNotOptimize(last);
  }
}

void reserve_publish_close(benchmark::State& state) {
  KmtHandleTable table;
  Ordinals ordinals;
  TestObjectLog log;
  UnpublishedObject<TestDevice> object = TestDevice::create(ordinals, log);
  for (auto _ : state) {
    uint32_t handle = table.reserve().take().publish(std::move(*UnpublishedObject<TestDevice>::open(*object)));
    benchmark::DoNotOptimize(table.close<TestDevice>(handle).ok());
  }
}

void create_table(benchmark::State& state) {
  for (auto _ : state) {
    KmtHandleTable table;
    benchmark::DoNotOptimize(table.reserve().ok());
  }
}

void sizes(benchmark::internal::Benchmark* bench) { bench->Arg(10)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000); }

BENCHMARK(bare_random_load)->Apply(sizes);
BENCHMARK(bare_random_load_through_pointer)->Apply(sizes);
BENCHMARK(pin)->Apply(sizes);
BENCHMARK(get)->Apply(sizes);
BENCHMARK(get_and_read)->Apply(sizes);
BENCHMARK(reserve_publish_close);
BENCHMARK(create_table);

}  // namespace
}  // namespace ob
