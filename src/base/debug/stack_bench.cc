#include <benchmark/benchmark.h>

#include "base/debug/stack.h"
#include "base/debug/stack_table.h"

namespace base {
namespace {

constexpr int kFrames = 20;

// Runs `body` with exactly kFrames frames between it and the end of the bounds it is given.
template <typename F>
__attribute__((noinline)) void deep(int frames, uintptr_t hi, F& body) {
  auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (hi == 0) hi = frame + 2 * sizeof(uintptr_t);
  if (frames == 1) {
    body(StackBounds{frame, hi}, __builtin_frame_address(0));
  } else {
    deep(frames - 1, hi, body);
  }
  asm volatile("");
}

template <typename F>
void at_depth(F body) {
  deep(kFrames, 0, body);
}

// The floor: following that many pointers without a check, the least that frame pointers can cost.
void BM_chase_floor(benchmark::State& state) {
  at_depth([&](StackBounds, const void* frame) {
    for (auto _ : state) {
      const void* at = frame;
      for (int i = 0; i < kFrames - 1; ++i) at = *static_cast<const void* const*>(at);
      benchmark::DoNotOptimize(at);
    }
  });
}
BENCHMARK(BM_chase_floor);

void BM_capture(benchmark::State& state) {
  at_depth([&](StackBounds bounds, const void* frame) {
    uint32_t frames = 0;
    for (auto _ : state) {
      Stack stack = capture(bounds, frame);
      benchmark::DoNotOptimize(stack);
      frames = stack.count;
    }
    state.counters["frames"] = frames;
  });
}
BENCHMARK(BM_capture);

void BM_intern(benchmark::State& state) {
  at_depth([&](StackBounds bounds, const void* frame) {
    StackTable table;
    Stack stack = capture(bounds, frame);
    for (auto _ : state) benchmark::DoNotOptimize(table.intern(stack));
  });
}
BENCHMARK(BM_intern);

void BM_capture_and_intern(benchmark::State& state) {
  at_depth([&](StackBounds bounds, const void* frame) {
    StackTable table;
    for (auto _ : state) benchmark::DoNotOptimize(table.intern(capture(bounds, frame)));
  });
}
BENCHMARK(BM_capture_and_intern);

// A reset costs the same however large the table has become.
void BM_intern_and_reset(benchmark::State& state) {
  StackTable table(static_cast<size_t>(state.range(0)));
  Stack stack;
  stack.count = 1;
  stack.pc[0] = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.intern(stack));
    table.reset();
  }
}
BENCHMARK(BM_intern_and_reset)->Arg(1 << 10)->Arg(1 << 20);

}  // namespace
}  // namespace base
