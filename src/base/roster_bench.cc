// What one of many costs that comes and goes.
#include <benchmark/benchmark.h>

#include "base/roster.h"

namespace base {
namespace {

// The oldest goes and comes again.
void growth_roster(benchmark::State& state) {
  std::vector<int> things(static_cast<size_t>(state.range(0)));
  Roster<int> roster;
  for (int& thing : things) roster.push_back(&thing);
  for (auto _ : state) {
    int* oldest = roster.front();
    roster.erase(oldest);
    roster.push_back(oldest);
  }
}
BENCHMARK(growth_roster)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace base
