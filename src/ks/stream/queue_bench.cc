#include <benchmark/benchmark.h>

#include <cstdlib>
#include <deque>
#include <memory>

#include "ks/testing/queue_fixture.h"
#include "nt/io/irps.h"
#include "nt/mm/pool.h"
#include "nt/testing/bench_machine.h"

// What a frame costs in the class: queued, locked, cloned, advanced past, its clone deleted, done. The goal is 2 µs
// whatever is queued besides. Frames are not guarded: that costs system calls, and is for checks.

namespace ks {
namespace {

template <typename Body>
void on_machine(Body&& body) {
  nt::run_to_end(nt::endless_options(), body);
}

// The class's own frame going round, as in a circuit; the argument is how many others stand in the queue.
void BM_Frame(benchmark::State& state) {
  on_machine([&](nt::Machine& machine) {
    LoneQueue lone(machine, {});
    std::unique_ptr<StreamIrp> out;
    lone.on_left = [&](std::unique_ptr<StreamIrp> irp) { out = std::move(irp); };
    auto* memory = static_cast<uint8_t*>(machine.pool().allocate(4096, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero));
    for (int64_t i = 0; i < state.range(0); ++i) (void)lone.queue->add(StreamIrp::make(*lone.queue, memory, 4096)).ok();
    auto next = StreamIrp::make(*lone.queue, memory, 4096);
    PKSSTREAM_POINTER leading = lone.queue->leading()->body();
    for (auto _ : state) {
      (void)lone.queue->add(std::move(next)).ok();
      KsStreamPointerLock(leading);
      PKSSTREAM_POINTER clone = nullptr;
      KsStreamPointerClone(leading, nullptr, 64, &clone);
      KsStreamPointerUnlock(leading, TRUE);
      KsStreamPointerDelete(clone);
      next = std::move(out);
      next->renew();
    }
    next.reset();
    lone.on_left = [](std::unique_ptr<StreamIrp>) {};
    lone.queue->flush(STATUS_CANCELLED);
    machine.pool().free(memory, 0);
  });
}
BENCHMARK(BM_Frame)->Arg(0)->Arg(1000)->Arg(100'000);

// The floor: a queue of pointers, and the memory of a clone.
void BM_PlainQueue(benchmark::State& state) {
  std::deque<void*> queue(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    queue.push_back(&queue);
    void* clone = std::malloc(64);
    benchmark::DoNotOptimize(clone);
    std::free(clone);
    queue.pop_front();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_PlainQueue)->Arg(0)->Arg(1000)->Arg(100'000);

// A client's request from its judgement to its completion, with its pages locked and its IRP made.
void BM_ClientFrame(benchmark::State& state) {
  on_machine([&](nt::Machine& machine) {
    LoneQueue lone(machine, {});
    ClientRequest request(machine, {.bytes = static_cast<uint32_t>(state.range(0))});
    PKSSTREAM_POINTER leading = lone.queue->leading()->body();
    bool again = false;
    for (auto _ : state) {
      if (again) request.prepare(machine);
      again = true;
      request.send(*lone.queue);
      KsStreamPointerLock(leading);
      KsStreamPointerAdvanceOffsetsAndUnlock(leading, 0, 1, TRUE);
    }
    if (!again) machine.irps().free(*request.irp);
  });
}
BENCHMARK(BM_ClientFrame)->Arg(4096)->Arg(320 * 240 * 2);

// A clone made and deleted while many others exist.
void BM_CloneDelete(benchmark::State& state) {
  on_machine([&](nt::Machine& machine) {
    LoneQueue lone(machine, {});
    ClientRequest request(machine);
    request.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    for (int64_t i = 0; i < state.range(0); ++i) (void)leading->clone(nullptr, 64).ok();
    for (auto _ : state) {
      PKSSTREAM_POINTER clone = nullptr;
      KsStreamPointerClone(leading->body(), nullptr, 64, &clone);
      KsStreamPointerDelete(clone);
    }
    while (StreamPointer* clone = lone.queue->first_clone()) clone->remove();
    lone.queue->flush(STATUS_CANCELLED);
  });
}
BENCHMARK(BM_CloneDelete)->Arg(0)->Arg(100'000);

}  // namespace
}  // namespace ks
