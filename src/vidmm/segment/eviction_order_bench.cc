// What it costs to make room where many devices have something, and to be one of them.

#include <benchmark/benchmark.h>

#include <vector>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::Memory;
using testing::memory_segment;

// So many idle devices with a block of a page each, and room for all of them but one.
struct Crowd {
  explicit Crowd(size_t count) : memory({memory_segment(1, count - 1)}) {
    for (size_t i = 0; i < count; ++i) {
      DeviceResidency& device = memory.device();
      Block* block = &memory.block(1, {1});
      MakeResidentFlags flags{.cant_trim_further = true};
      memory.manager.make_resident(device, {&block, 1}, flags, memory.plan, memory.trim);
      memory.manager.prepare(device, memory.plan);
      memory.manager.mark_idle(device);
      memory.plan.clear();
    }
  }
  Memory memory;
};

// The device that has waited longest comes back, for which the one that then has waited longest goes.
void growth_victim(benchmark::State& state) {
  Crowd crowd(static_cast<size_t>(state.range(0)));
  size_t next = 0;
  for (auto _ : state) {
    DeviceResidency& device = crowd.memory.devices[next];
    if (++next == crowd.memory.devices.size()) next = 0;
    crowd.memory.plan.clear();
    benchmark::DoNotOptimize(crowd.memory.manager.prepare(device, crowd.memory.plan));
    crowd.memory.manager.mark_idle(device);
  }
}
BENCHMARK(growth_victim)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Room for two pages beside each other, in a segment full of single pages of another device, which then come back. The
// first search, which looks at the whole segment, is not measured: the index is kept from then on.
void growth_contiguous_room(benchmark::State& state) {
  auto count = static_cast<size_t>(state.range(0));
  Memory memory({memory_segment(1, count)}, {});
  DeviceResidency &crowd = memory.device(), &device = memory.device();
  std::vector<Block*> blocks;
  for (size_t i = 0; i < count; ++i) blocks.push_back(&memory.block(1, {1}));
  memory.manager.make_resident(crowd, blocks, {}, memory.plan, memory.trim);
  Block* wide = &memory.block(2, {1});
  auto round = [&] {
    memory.plan.clear();
    benchmark::DoNotOptimize(memory.manager.make_resident(device, {&wide, 1}, {}, memory.plan, memory.trim));
    memory.manager.evict(device, {&wide, 1}, {}, memory.plan, memory.trim).take();
    benchmark::DoNotOptimize(memory.manager.prepare(crowd, memory.plan));
    memory.manager.mark_idle(crowd);
  };
  round();
  for (auto _ : state) round();
}
BENCHMARK(growth_contiguous_room)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// A device comes and goes beside many.
void growth_device_residency(benchmark::State& state) {
  Crowd crowd(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    DeviceResidency device(crowd.memory.manager, crowd.memory.process);
    benchmark::DoNotOptimize(device.complete());
  }
}
BENCHMARK(growth_device_residency)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace vidmm
