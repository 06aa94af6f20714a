#include <benchmark/benchmark.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "nt/machine/live_executor.h"

// Handing over to another OS thread and back, against the least that the system asks for it.

namespace nt {
namespace {

// One direction of the floor: a word that is 1 from send to receive.
class Baton {
 public:
  void send() {
    word_.store(1, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, nullptr, nullptr, 0);
  }
  void receive() {
    while (word_.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &word_, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, nullptr, nullptr, 0);
    }
    word_.store(0, std::memory_order_relaxed);
  }

 private:
  alignas(64) std::atomic<uint32_t> word_{0};
};

void BM_RawFutexPingPong(benchmark::State& state) {
  Baton ping;
  Baton pong;
  std::atomic<bool> stop{false};
  std::thread peer([&] {
    while (true) {
      ping.receive();
      if (stop) return;
      pong.send();
    }
  });
  for (auto _ : state) {
    ping.send();
    pong.receive();
  }
  stop = true;
  ping.send();
  peer.join();
}
BENCHMARK(BM_RawFutexPingPong)->UseRealTime();

struct Rally {
  LiveExecutor* live = nullptr;
  base::Task* server = nullptr;
  std::atomic<bool> stop{false};
};

void return_until_stopped(void* raw) {
  auto& rally = *static_cast<Rally*>(raw);
  while (true) {
    rally.live->park(base::kForever, base::Point::Wait);
    if (rally.stop) return;
    rally.live->unpark(*rally.server);
  }
}

void BM_LivePingPong(benchmark::State& state) {
  Rally rally;  // outlives the peer, which `live` joins
  LiveExecutor live({.processors = 2, .seed = 0});
  auto client = live.attach("ping");
  rally.live = &live;
  rally.server = &client.task();
  base::Task& peer = live.spawn("pong", &return_until_stopped, &rally, base::kAnyProcessor);
  for (auto _ : state) {
    live.unpark(peer);
    live.park(base::kForever, base::Point::Wait);
  }
  rally.stop = true;
  live.unpark(peer);
}
BENCHMARK(BM_LivePingPong)->UseRealTime();

void BM_LiveOwnPermit(benchmark::State& state) {
  LiveExecutor live({.processors = 2, .seed = 0});
  auto client = live.attach("client");
  for (auto _ : state) {
    live.unpark(client.task());
    live.park(base::kForever, base::Point::Wait);
  }
}
BENCHMARK(BM_LiveOwnPermit);

void BM_LivePinUnpin(benchmark::State& state) {
  LiveExecutor live({.processors = 2, .seed = 0});
  auto client = live.attach("client");
  for (auto _ : state) {
    live.pin();
    live.unpin();
  }
}
BENCHMARK(BM_LivePinUnpin);

void BM_LiveAttachDetach(benchmark::State& state) {
  LiveExecutor live({.processors = 2, .seed = 0});
  for (auto _ : state) auto client = live.attach("client");
}
BENCHMARK(BM_LiveAttachDetach);

}  // namespace
}  // namespace nt
