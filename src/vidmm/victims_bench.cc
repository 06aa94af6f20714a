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
