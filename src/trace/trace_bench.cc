#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "trace/reader.h"
#include "trace/writer.h"

// Budgets: 1 ns when off, 30 ns when on (hash included), for an event of a few numbers.
namespace trace {
namespace {

void emit_points(benchmark::State& state, Writer& writer) {
  Context context;
  writer.set_context(&context);
  uint64_t emitted = 0;
  for (auto _ : state) {
    context.time_ns += 10;
    writer.emit(SchedPoint{.point = 1, .next = static_cast<uint32_t>(++emitted), .runnable = 3});
  }
  state.SetItemsProcessed(state.iterations());
  writer.set_context(nullptr);
  if (writer.count() != (writer.on() ? emitted : 0)) state.SkipWithError("not every event was recorded");
}

// The floor of an event while the trace is off: one flag read.
void BM_ReadFlag(benchmark::State& state) {
  std::atomic<bool> on{false};
  benchmark::DoNotOptimize(on);
  uint64_t read = 0;
  for (auto _ : state) {
    if (on.load(std::memory_order_relaxed)) [[unlikely]]
      benchmark::DoNotOptimize(++read);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_ReadFlag);

// The floor of one that is wanted: as many words written to a ring, with no lock, no encoding and no hash.
void BM_WriteWords(benchmark::State& state) {
  constexpr size_t kWords = record_words(Layout<SchedPoint>::Fields::kBytes);
  constexpr size_t kEnd = (1 << 20) / sizeof(uint64_t) / kWords * kWords;
  std::vector<uint64_t> ring(kEnd);
  uint64_t* words = ring.data();
  benchmark::DoNotOptimize(words);
  uint64_t time_ns = 0;
  size_t next = 0;
  for (auto _ : state) {
    time_ns += 10;
    for (size_t i = 0; i < kWords; ++i) words[next + i] = time_ns;
    next = next + kWords < kEnd ? next + kWords : 0;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_WriteWords);

void BM_EmitOff(benchmark::State& state) {
  Writer writer;
  emit_points(state, writer);
}
BENCHMARK(BM_EmitOff);

void BM_EmitOn(benchmark::State& state) {
  Writer writer;
  writer.turn_on();
  emit_points(state, writer);
}
BENCHMARK(BM_EmitOn);

void BM_EmitOnWithFile(benchmark::State& state) {
  char path[] = "/tmp/drydock_trace_bench_XXXXXX";
  int placeholder = ::mkstemp(path);
  auto file = FileSink::create(path).take();
  {
    Writer writer;
    writer.turn_on();
    writer.set_sink(file.get());
    emit_points(state, writer);
    if (!writer.flush().ok()) state.SkipWithError("the file could not be written");
  }
  ::close(placeholder);
  std::remove(path);
}
BENCHMARK(BM_EmitOnWithFile)->Iterations(4'000'000);

void BM_EmitOnWithString(benchmark::State& state) {
  Writer writer;
  writer.turn_on();
  for (auto _ : state) writer.emit(DriverCall{.ddi = "DxgkDdiCreateAllocation", .scope = "adapter"});
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EmitOnWithString);

void BM_Read(benchmark::State& state) {
  Writer writer(16 << 20);
  writer.turn_on();
  for (uint32_t i = 0; i < 100'000; ++i) writer.emit(SchedPoint{.point = 1, .next = i, .runnable = 3});
  MemorySink sink;
  writer.set_sink(&sink);
  writer.set_sink(nullptr);
  for (auto _ : state) {
    Reader reader(sink.bytes());
    uint64_t sum = 0;
    while (auto record = reader.next()) sum += record->as<SchedPoint>().next;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * 100'000);
}
BENCHMARK(BM_Read);

}  // namespace
}  // namespace trace
