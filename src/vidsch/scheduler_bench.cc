#include <benchmark/benchmark.h>

#include <deque>

#include "vidsch/scheduler.h"

namespace vidsch {
namespace {

struct BenchPacket : Packet {
  BenchPacket() : Packet(PacketKind::Render) {}
};

// Every question is answered with yes, and packets go back to a free list.
class BenchOwner final : public Scheduler::Owner {
 public:
  bool ready(Context&) override { return true; }
  bool try_wait(Packet&) override { return true; }
  void signal(Packet&) override {}
  void retire(Packet& packet, Outcome) override { free.push_back(static_cast<BenchPacket&>(packet)); }

  IntrusiveList<BenchPacket, QueueTag> free;
};

// The whole way of a packet: enqueue, next, submitted, completed, retired. One iteration is one packet.
void BM_packet(benchmark::State& state) {
  const auto contexts_count = static_cast<uint32_t>(state.range(0));
  const auto nodes = static_cast<uint32_t>(state.range(1));
  BenchOwner owner;
  Scheduler scheduler(owner, {.nodes = nodes, .preemption_aware = true, .timeout = {}});
  DeviceState device;
  std::deque<Context> contexts;
  std::deque<BenchPacket> packets(4 * contexts_count);
  for (BenchPacket& packet : packets) owner.free.push_back(packet);
  for (uint32_t i = 0; i < contexts_count; ++i) {
    scheduler.add(contexts.emplace_back(device, ContextSettings{.node = i % nodes}));
  }
  base::TimeNs now = 0;
  uint32_t turn = 0;
  auto work = [&] {
    for (;;) {
      const Action action = scheduler.next(now);
      if (action.kind != Action::Kind::Submit) return;
      (void)scheduler.submitted(*action.packet, Scheduler::Submission::Accepted);
    }
  };
  auto complete_oldest = [&] {
    for (uint32_t i = 0; i < nodes; ++i) {
      if (const Packet* running = scheduler.node(i).running()) {
        (void)scheduler.completed(i, running->fence(), now);
      }
    }
    scheduler.retire_completed();
  };
  for (auto _ : state) {
    now += 1'000;
    while (owner.free.empty()) {
      work();
      complete_oldest();
    }
    scheduler.enqueue(contexts[turn], *owner.free.pop_front(), now);
    if (++turn == contexts_count) turn = 0;
    work();
    if (scheduler.node(turn % nodes).in_hardware() == 2) complete_oldest();
  }
  state.SetItemsProcessed(state.iterations());
  scheduler.stop();
  scheduler.fail(device);
  (void)scheduler.next(now);
  for (Context& context : contexts) scheduler.remove(context);
  while (owner.free.pop_front()) {
  }
}
BENCHMARK(BM_packet)->ArgNames({"contexts", "nodes"})->Args({1, 1})->Args({16, 1})->Args({64, 4});

// A packet of a higher level takes the hardware and gives it back: preemption, answer, two resubmissions.
void BM_preemption(benchmark::State& state) {
  BenchOwner owner;
  Scheduler scheduler(owner, {.preemption_aware = true, .timeout = {}});
  DeviceState device;
  Context low(device, {});
  Context high(device, {.level = 20});
  scheduler.add(low);
  scheduler.add(high);
  BenchPacket running[2];
  BenchPacket urgent;
  base::TimeNs now = 0;
  auto work = [&]() -> FenceId {
    for (;;) {
      const Action action = scheduler.next(now);
      if (action.kind == Action::Kind::Preempt) return action.fence;
      if (action.kind != Action::Kind::Submit) return 0;
      (void)scheduler.submitted(*action.packet, Scheduler::Submission::Accepted);
    }
  };
  for (BenchPacket& packet : running) scheduler.enqueue(low, packet, now);
  work();
  for (auto _ : state) {
    now += 1'000;
    scheduler.enqueue(high, urgent, now);
    (void)scheduler.preempted(0, work(), scheduler.node(0).last_completed(), now);
    work();
    (void)scheduler.completed(0, urgent.fence(), now);
    scheduler.retire_completed();
    owner.free.remove(urgent);
    work();
  }
  scheduler.stop();
  scheduler.fail(device);
  (void)scheduler.next(now);
  scheduler.remove(low);
  scheduler.remove(high);
  while (owner.free.pop_front()) {
  }
}
BENCHMARK(BM_preemption);

}  // namespace
}  // namespace vidsch
