// What signals and waits cost: the common case is a fence that moves while nobody waits.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

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

// A CPU that waits a step ahead of the GPU, beside others who wait for later.
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

// After each completion interrupt: fences that somebody waits for and that have not moved.
void sample_unmoved(benchmark::State& state) {
  auto count = static_cast<size_t>(state.range(0));
  std::vector<uint64_t> words(count);
  WatchedFences watched;
  WokenList woken;
  std::vector<std::unique_ptr<Fence>> fences;
  std::vector<base::Ref<Silent>> waiters;
  for (uint64_t& word : words) {
    fences.push_back(std::make_unique<Fence>(&word, 0, Fence::Width::Bits64, Fence::OnReset::Nothing, &watched));
    waiters.push_back(base::make_ref<Silent>());
    fences.back()->try_wait(*waiters.back(), 1);
  }
  for (auto _ : state) watched.sample(woken);
  for (auto& each : waiters) each->cancel();
}
BENCHMARK(sample_unmoved)->Arg(0)->Arg(1)->Arg(64);
BENCHMARK(sample_unmoved)->Name("growth_watched_fences")->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace vidsch
