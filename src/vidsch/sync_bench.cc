// What signals and waits cost: the common case is a fence that changes while there is no waiter.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "base/rng.h"
#include "vidsch/monitored_fence.h"

namespace vidsch {
namespace {

class Silent final : public Waiter {
 public:
  void wake() override {}
};

void signal_nobody_waits(benchmark::State& state) {
  uint64_t word;
  Fence fence(&word, 0, Fence::Width::Bits64, Fence::OnReset::Nothing);
  WokenList woken;
  uint64_t value = 0;
  for (auto _ : state) benchmark::DoNotOptimize(fence.signal(++value, Rewind::Refused, woken));
}
BENCHMARK(signal_nobody_waits);

// A CPU that waits a step ahead of the GPU, beside waiters for later values.
void wait_then_signal(benchmark::State& state) {
  uint64_t word;
  Fence fence(&word, 0, Fence::Width::Bits64, Fence::OnReset::Nothing);
  WokenList woken;
  std::vector<base::Ref<Silent>> later;
  for (int64_t i = 0; i < state.range(0); ++i) {
    later.push_back(base::make_ref<Silent>());
    fence.try_wait(*later.back(), UINT64_MAX - static_cast<uint64_t>(i));
  }
  base::Ref<Silent> waiter = base::make_ref<Silent>();
  uint64_t value = 0;
  for (auto _ : state) {
    fence.try_wait(*waiter, ++value);
    benchmark::DoNotOptimize(fence.signal(value, Rewind::Refused, woken));
    woken.deliver();
  }
  for (auto& each : later) each->cancel();
}
BENCHMARK(wait_then_signal)->Arg(0)->Arg(64)->Arg(4096);

// So many fences with a wait for each, as if the client's threads or contexts waited.
struct Watched {
  explicit Watched(size_t count) : words(count) {
    for (uint64_t& word : words) {
      fences.push_back(std::make_unique<Fence>(&word, 0, Fence::Width::Bits64, Fence::OnReset::Nothing, &watched));
      waiters.push_back(base::make_ref<Silent>());
      fences.back()->try_wait(*waiters.back(), 1);
    }
  }
  ~Watched() {
    for (auto& each : waiters) each->cancel();
  }
  // A device changes the fence, the interrupt finds that out, and the waiter waits for the next value.
  void move(size_t index) {
    uint64_t& word = words[index];
    ++word;
    watched.written(reinterpret_cast<uintptr_t>(&word), sizeof(word));
    watched.sample_written(woken);
    woken.deliver();
    fences[index]->try_wait(*waiters[index], word + 1);
  }

  std::vector<uint64_t> words;
  WatchedFences watched;
  WokenList woken;
  std::vector<std::unique_ptr<Fence>> fences;
  std::vector<base::Ref<Silent>> waiters;
};

// After each completion interrupt: fences that have waiters and have not moved.
void sample_unmoved(benchmark::State& state) {
  Watched all(static_cast<size_t>(state.range(0)));
  for (auto _ : state) all.watched.sample_written(all.woken);
}
BENCHMARK(sample_unmoved)->Arg(0)->Arg(1)->Arg(64);
BENCHMARK(sample_unmoved)->Name("growth_watched_fences")->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Work goes on for a few contexts while the others wait: what one step of it costs.
void growth_moved_fence(benchmark::State& state) {
  Watched all(static_cast<size_t>(state.range(0)));
  size_t stride = all.words.size() / 32;
  size_t next = 0;
  for (auto _ : state) {
    all.move(next * stride);
    next = (next + 1) % 32;
  }
}
BENCHMARK(growth_moved_fence)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Each of them moves in its turn.
void growth_fences_in_turn(benchmark::State& state) {
  Watched all(static_cast<size_t>(state.range(0)));
  size_t next = 0;
  for (auto _ : state) {
    all.move(next);
    next = (next + 1) % all.words.size();
  }
}
BENCHMARK(growth_fences_in_turn)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Any of them moves: with many, the one that does is in no cache, and what is measured is a handful of cache misses.
// Not a row of growth: no index avoids touching the fence that moves and the wait that it ends.
void move_at_random(benchmark::State& state) {
  Watched all(static_cast<size_t>(state.range(0)));
  base::Rng rng(1);
  for (auto _ : state) all.move(rng.below(all.words.size()));
}
BENCHMARK(move_at_random)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace vidsch
