#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "vidmm/segment/segment_space.h"

// Steady churn at a given fill: sizes of a bounded Pareto distribution, victims at random. A trace is drawn beforehand
// as if nothing were ever refused; a refused allocation is counted and its later free does nothing. The first quarter
// brings the segment into its steady state and is not timed. Time is that of one allocation or one free.
//   A  64 KiB to 64 MiB in 16 GiB, pages of 64 KiB: about 10 thousand live at 70 %
//   B  the same sizes in 320 GiB: 200 thousand
//   C  4 KiB to 64 MiB, most of them small, in 16 GiB, pages of 4 KiB: 200 thousand
// The baseline is best fit as one would write it first, with gaps in a std::map by address and a std::set by size.
namespace vidmm {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

struct Case {
  const char* name;
  uint64_t segment_bytes;
  uint32_t page_bytes;
  double shape;  // of the distribution
  uint64_t smallest;
  uint64_t largest;
};

constexpr Case kCases[] = {{"A", 16 * kGiB, 65536, 0.675, 64 << 10, 64 << 20},
                           {"B", 320 * kGiB, 65536, 0.675, 64 << 10, 64 << 20},
                           {"C", 16 * kGiB, 4096, 0.9, 4 << 10, 64 << 20}};

struct Step {
  uint32_t slot;
  uint32_t pages;  // 0 frees the slot
};

struct Trace {
  std::vector<Step> steps;
  size_t timed_from = 0;
  size_t slots = 0;
};

uint32_t pareto_pages(base::Rng& rng, const Case& c) {
  double uniform = static_cast<double>(rng.next() >> 11) * 0x1.0p-53;
  double low = static_cast<double>(c.smallest);
  double ratio = std::pow(low / static_cast<double>(c.largest), c.shape);
  double bytes = low / std::pow(1 - uniform * (1 - ratio), 1 / c.shape);
  return static_cast<uint32_t>(std::ceil(bytes / c.page_bytes));
}

Trace make_trace(const Case& c, uint64_t fill_percent) {
  base::Rng rng(42);
  Trace trace;
  uint64_t target = c.segment_bytes / c.page_bytes * fill_percent / 100;
  uint64_t filled = 0;
  std::vector<std::pair<uint32_t, uint32_t>> live;  // slot and pages
  std::vector<uint32_t> spare;
  size_t length = 0;  // known once the target is first reached
  uint32_t pages = pareto_pages(rng, c);
  while (length == 0 || trace.steps.size() < length) {
    if (filled + pages <= target) {
      uint32_t slot = static_cast<uint32_t>(trace.slots);
      if (spare.empty()) {
        ++trace.slots;
      } else {
        slot = spare.back();
        spare.pop_back();
      }
      trace.steps.push_back({slot, pages});
      live.push_back({slot, pages});
      filled += pages;
      pages = pareto_pages(rng, c);
      continue;
    }
    if (length == 0) length = std::max<size_t>(2'000'000, 12 * trace.steps.size());
    size_t victim = rng.below(live.size());
    trace.steps.push_back({live[victim].first, 0});
    filled -= live[victim].second;
    spare.push_back(live[victim].first);
    live[victim] = live.back();
    live.pop_back();
  }
  trace.timed_from = length / 4;
  return trace;
}

const Trace& trace_of(int64_t which, int64_t fill_percent) {
  static std::map<std::pair<int64_t, int64_t>, Trace> made;
  auto [it, is_new] = made.try_emplace({which, fill_percent});
  if (is_new) it->second = make_trace(kCases[which], static_cast<uint64_t>(fill_percent));
  return it->second;
}

// One slot holds one extent, or, of a set of pages, several.
class Contiguous {
 public:
  Contiguous(const Case& c, size_t slots) : space_(c.segment_bytes, c.page_bytes), slots_(slots) {}
  size_t allocate(uint32_t slot, uint64_t bytes) {
    ExtentList out;
    if (!space_.allocate({bytes}, out)) return 0;
    slots_[slot] = *out.begin();
    return 1;
  }
  void free(uint32_t slot) {
    if (slots_[slot].bytes == 0) return;
    space_.free(slots_[slot]);
    slots_[slot].bytes = 0;
  }
  uint64_t free_bytes() const { return space_.free_bytes(); }
  size_t live() const { return space_.extents_live(); }

 protected:
  SegmentSpace space_;
  std::vector<Extent> slots_;
};

// Every fourth request from the end of the segment: what the index by address costs when it is used.
class FromEnd : public Contiguous {
 public:
  using Contiguous::Contiguous;
  size_t allocate(uint32_t slot, uint64_t bytes) {
    ExtentList out;
    SegmentSpace::Request request = {bytes};
    request.from_end = slot % 4 == 0;
    if (!space_.allocate(request, out)) return 0;
    slots_[slot] = *out.begin();
    return 1;
  }
};

class PageSet {
 public:
  PageSet(const Case& c, size_t slots) : space_(c.segment_bytes, c.page_bytes), slots_(slots) {}
  size_t allocate(uint32_t slot, uint64_t bytes) {
    SegmentSpace::Request request = {bytes};
    request.contiguous = false;
    slots_[slot] = {};
    return space_.allocate(request, slots_[slot]) ? slots_[slot].size() : 0;
  }
  void free(uint32_t slot) {
    for (const Extent& extent : slots_[slot]) space_.free(extent);
    slots_[slot] = {};
  }
  uint64_t free_bytes() const { return space_.free_bytes(); }
  size_t live() const { return space_.extents_live(); }

 private:
  SegmentSpace space_;
  std::vector<ExtentList> slots_;
};

class Baseline {
 public:
  Baseline(const Case& c, size_t slots) : free_bytes_(c.segment_bytes), slots_(slots) { insert(0, c.segment_bytes); }
  size_t allocate(uint32_t slot, uint64_t bytes) {
    auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return 0;
    auto [gap, offset] = *fit;
    by_size_.erase(fit);
    by_offset_.erase(offset);
    if (gap > bytes) insert(offset + bytes, gap - bytes);
    slots_[slot] = {offset, bytes};
    free_bytes_ -= bytes;
    ++live_;
    return 1;
  }
  void free(uint32_t slot) {
    auto [offset, bytes] = slots_[slot];
    if (bytes == 0) return;
    slots_[slot].bytes = 0;
    free_bytes_ += bytes;
    --live_;
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = remove(next);
    }
    if (next != by_offset_.begin()) {
      auto prev = std::prev(next);
      if (prev->first + prev->second == offset) {
        offset = prev->first;
        bytes += prev->second;
        remove(prev);
      }
    }
    insert(offset, bytes);
  }
  uint64_t free_bytes() const { return free_bytes_; }
  size_t live() const { return live_; }

 private:
  using ByOffset = std::map<uint64_t, uint64_t>;
  void insert(uint64_t offset, uint64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  ByOffset::iterator remove(ByOffset::iterator it) {
    by_size_.erase({it->second, it->first});
    return by_offset_.erase(it);
  }

  ByOffset by_offset_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t free_bytes_;
  size_t live_ = 0;
  std::vector<Extent> slots_;
};

struct Tally {
  uint64_t requests = 0;
  uint64_t refused = 0;
  uint64_t extents = 0;
};

template <typename Allocator>
void play(Allocator& allocator, const Step* from, const Step* to, uint32_t page_bytes, Tally& tally) {
  for (const Step* step = from; step != to; ++step) {
    if (step->pages == 0) {
      allocator.free(step->slot);
      continue;
    }
    size_t extents = allocator.allocate(step->slot, uint64_t{step->pages} * page_bytes);
    ++tally.requests;
    tally.refused += extents == 0;
    tally.extents += extents;
  }
}

template <typename Allocator>
void churn(benchmark::State& state) {
  const Case& c = kCases[state.range(0)];
  const Trace& trace = trace_of(state.range(0), state.range(1));
  const Step* begin = trace.steps.data();
  const Step* timed = begin + trace.timed_from;
  const Step* end = begin + trace.steps.size();
  Tally tally;
  double fill = 0;
  size_t live = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto allocator = std::make_unique<Allocator>(c, trace.slots);
    Tally ignored;
    play(*allocator, begin, timed, c.page_bytes, ignored);
    state.ResumeTiming();
    play(*allocator, timed, end, c.page_bytes, tally);
    state.PauseTiming();
    fill = 1 - static_cast<double>(allocator->free_bytes()) / static_cast<double>(c.segment_bytes);
    live = allocator->live();
    allocator.reset();
    state.ResumeTiming();
  }
  state.SetLabel(c.name + std::to_string(state.range(1)));
  auto operations = static_cast<double>(end - timed) * static_cast<double>(state.iterations());
  auto granted = static_cast<double>(tally.requests - tally.refused);
  state.counters["per_op"] = benchmark::Counter(operations, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["refused_%"] = 100 * static_cast<double>(tally.refused) / static_cast<double>(tally.requests);
  state.counters["extents_per_alloc"] = static_cast<double>(tally.extents) / granted;
  state.counters["fill_%"] = 100 * fill;
  state.counters["live"] = static_cast<double>(live);
}

void cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"case", "fill"})->Unit(benchmark::kMillisecond);
  for (int64_t fill : {70, 85, 95}) benchmark->Args({0, fill});
  benchmark->Args({1, 70})->Args({2, 70});
}

BENCHMARK_TEMPLATE(churn, Contiguous)->Apply(cases);
BENCHMARK_TEMPLATE(churn, PageSet)->Apply(cases);
BENCHMARK_TEMPLATE(churn, FromEnd)->Apply(cases);
BENCHMARK_TEMPLATE(churn, Baseline)->Apply(cases);

}  // namespace
}  // namespace vidmm
