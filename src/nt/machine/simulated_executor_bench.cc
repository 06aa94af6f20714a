#include <benchmark/benchmark.h>

#include <atomic>
#include <boost/context/detail/fcontext.hpp>

#include "nt/boundary/driver_call.h"
#include "nt/machine/fiber.h"
#include "nt/testing/bench_machine.h"

// What a step of the simulated machine costs, from the bare switch of stacks up to a signal that wakes a thread.

namespace nt {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// The floor: Boost's jump there and back, nothing around it.
void BM_RawJump(benchmark::State& state) {
  base::StackBounds stack = StackArena::instance().take();
  fcontext_t other = make_fcontext(reinterpret_cast<void*>(stack.hi), stack.hi - stack.lo, [](transfer_t transfer) {
    for (;;) transfer = jump_fcontext(transfer.fctx, nullptr);
  });
  for (auto _ : state) other = jump_fcontext(other, nullptr).fctx;
  state.SetItemsProcessed(state.iterations() * 2);
  StackArena::instance().give_back(stack);
}
BENCHMARK(BM_RawJump);

void BM_FiberSwitch(benchmark::State& state) {
  struct Pair {
    Fiber home, away;
  } pair;
  pair.home.adopt_current();
  base::StackBounds stack = StackArena::instance().take();
  pair.away.prepare(
      stack,
      [](void* raw) {
        auto& both = *static_cast<Pair*>(raw);
        for (;;) Fiber::switch_to(both.away, both.home);
      },
      &pair);
  for (auto _ : state) Fiber::switch_to(pair.home, pair.away);
  state.SetItemsProcessed(state.iterations() * 2);
  StackArena::instance().give_back(stack);
}
BENCHMARK(BM_FiberSwitch);

// When the first thread's body has returned, a simulated machine runs no other thread: threads may use the body's
// locals.
template <typename Body>
void on_machine(PolicyKind policy, Body&& body) {
  MachineOptions options = endless_options();
  options.seed = 1;
  options.policy = policy;
  run_to_end(options, body);
}

// A point at which only the running thread can go on, and one with `range` others to choose from.
void BM_SchedulingPoint(benchmark::State& state) {
  on_machine(PolicyKind::Random, [&](Machine& machine) {
    bool stop = false;
    for (int64_t i = 0; i < state.range(0); ++i) {
      machine.create_thread("other", [&] {
        while (!stop) machine.executor().yield(base::Point::Yield);
      });
    }
    for (auto _ : state) machine.executor().yield(base::Point::Yield);
    stop = true;
  });
}
BENCHMARK(BM_SchedulingPoint)->Arg(0)->Arg(15);

// The floor of a spin lock: one atomic word taken and given back.
void BM_AtomicFlagPair(benchmark::State& state) {
  std::atomic_flag flag;
  for (auto _ : state) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
    flag.clear(std::memory_order_release);
  }
}
BENCHMARK(BM_AtomicFlagPair);

void BM_SpinLockPair(benchmark::State& state) {
  on_machine(PolicyKind::Random, [&](Machine&) {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    for (auto _ : state) {
      KIRQL old;
      KeAcquireSpinLock(&lock, &old);
      KeReleaseSpinLock(&lock, old);
    }
  });
}
BENCHMARK(BM_SpinLockPair);

void BM_SetAndTakeAnEvent(benchmark::State& state) {
  on_machine(PolicyKind::Random, [&](Machine&) {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    for (auto _ : state) {
      KeSetEvent(&event, 0, FALSE);
      KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, nullptr);
    }
  });
}
BENCHMARK(BM_SetAndTakeAnEvent);

// Sixteen threads in a ring, each of which wakes the next. The time is that of one signal and the wake it causes.
void BM_SignalToWake(benchmark::State& state) {
  constexpr size_t kThreads = 16;
  on_machine(static_cast<PolicyKind>(state.range(0)), [&](Machine& machine) {
    KEVENT turn[kThreads];
    bool stop = false;
    for (KEVENT& event : turn) KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    for (size_t i = 1; i < kThreads; ++i) {
      machine.create_thread("ring", [&, i] {
        while (!stop) {
          KeWaitForSingleObject(&turn[i], Executive, KernelMode, FALSE, nullptr);
          KeSetEvent(&turn[(i + 1) % kThreads], 0, FALSE);
        }
      });
    }
    for (auto _ : state) {
      KeSetEvent(&turn[1], 0, FALSE);
      KeWaitForSingleObject(&turn[0], Executive, KernelMode, FALSE, nullptr);
    }
    stop = true;
  });
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kThreads));
  state.SetLabel(to_string(static_cast<PolicyKind>(state.range(0))));
}
BENCHMARK(BM_SignalToWake)->DenseRange(0, 2);

// The floor of a call into a driver: a call through a pointer.
void BM_PlainCall(benchmark::State& state) {
  void (*routine)() = +[] { benchmark::ClobberMemory(); };
  benchmark::DoNotOptimize(routine);
  for (auto _ : state) routine();
}
BENCHMARK(BM_PlainCall);

void BM_DriverCall(benchmark::State& state) {
  on_machine(PolicyKind::Random, [&](Machine& machine) {
    for (auto _ : state)
      call_driver(
          machine, "Routine", nullptr, +[] {});
  });
}
BENCHMARK(BM_DriverCall);

void BM_DpcQueuedAndRun(benchmark::State& state) {
  on_machine(PolicyKind::Random, [&](Machine&) {
    KDPC dpc;
    KeInitializeDpc(
        &dpc, [](KDPC*, void*, void*, void*) {}, nullptr);
    for (auto _ : state) {
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      KeLowerIrql(old);
    }
  });
}
BENCHMARK(BM_DpcQueuedAndRun);

// A machine for one short run: what a seed costs before the driver does anything.
void BM_MachineForOneRun(benchmark::State& state) {
  for (auto _ : state) on_machine(PolicyKind::Random, [](Machine&) {});
}
BENCHMARK(BM_MachineForOneRun);

}  // namespace
}  // namespace nt
