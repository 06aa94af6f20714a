// What a device pays for the residency of blocks that are resident already, and for running.

#include <benchmark/benchmark.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::Memory;
using testing::memory_segment;

// A device with `count` blocks of 16 pages, all resident.
struct ResidentDevice {
  explicit ResidentDevice(size_t count) : memory({memory_segment(1, count * 16)}), device(memory.device()) {
    for (size_t i = 0; i < count; ++i) blocks.push_back(&memory.block(16, {1}));
    memory.make_resident(device, blocks);
    memory.plan.clear();
  }
  Memory memory;
  DeviceResidency& device;
  std::vector<Block*> blocks;
};

// The counts only rise: what a client does that names its working set with every frame.
void make_resident_again(benchmark::State& state) {
  ResidentDevice made(static_cast<size_t>(state.range(0)));
  Memory& memory = made.memory;
  for (auto _ : state) {
    memory.manager.make_resident(made.device, made.blocks, {}, memory.plan, memory.trim);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(make_resident_again)->Arg(16)->Arg(1024)->Arg(10240);

void make_resident_again_shared_by_32(benchmark::State& state) {
  ResidentDevice made(1024);
  Memory& memory = made.memory;
  DeviceResidency* last = nullptr;
  for (int i = 0; i < 31; ++i) {
    last = &memory.device();
    memory.manager.make_resident(*last, made.blocks, {}, memory.plan, memory.trim);
  }
  for (auto _ : state) memory.manager.make_resident(*last, made.blocks, {}, memory.plan, memory.trim);
  state.SetItemsProcessed(state.iterations() * 1024);
}
BENCHMARK(make_resident_again_shared_by_32);

// On the list and off it again, without leaving the segment.
void list_and_unlist(benchmark::State& state) {
  ResidentDevice made(1024);
  Memory& memory = made.memory;
  DeviceResidency& other = memory.device();
  for (auto _ : state) {
    memory.manager.make_resident(other, made.blocks, {}, memory.plan, memory.trim);
    memory.manager.evict(other, made.blocks, {.evict_only_if_necessary = true}, memory.plan, memory.trim).take();
  }
  state.SetItemsProcessed(state.iterations() * 1024);
}
BENCHMARK(list_and_unlist);

void prepare_complete_device(benchmark::State& state) {
  ResidentDevice made(10240);
  for (auto _ : state) benchmark::DoNotOptimize(made.memory.manager.prepare(made.device, made.memory.plan));
}
BENCHMARK(prepare_complete_device);

// Two devices that need the same memory take turns: everything of one leaves for everything of the other.
void alternate(benchmark::State& state) {
  ResidentDevice made(1024);
  Memory& memory = made.memory;
  DeviceResidency& other = memory.device();
  std::vector<Block*> blocks;
  for (int i = 0; i < 1024; ++i) blocks.push_back(&memory.block(16, {1}));
  memory.manager.make_resident(other, blocks, {}, memory.plan, memory.trim);
  DeviceResidency* turn[] = {&made.device, &other};
  size_t next = 0;
  for (auto _ : state) {
    memory.plan.clear();
    DeviceResidency& device = *turn[next++ % 2];
    memory.manager.prepare(device, memory.plan);
    memory.manager.mark_idle(device);
  }
  state.SetItemsProcessed(state.iterations() * 1024);
}
BENCHMARK(alternate);

}  // namespace
}  // namespace vidmm
