#include "host/check/check_processes.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "host/check/check_coordinator.h"

namespace host {
namespace {

// The checking process: it hands the coordinator's batches to zygotes, reads what the workers say, and watches the
// clock.
class Checker {
 public:
  Checker(const CheckOptions& options, const Watch& watch, ZygoteBody& body, const CheckClock& clock)
      : options_(options), watch_(watch), clock_(clock), began_(clock.now()), coordinator_(options, watch) {
    uint32_t jobs = options.jobs ? options.jobs : static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    for (uint32_t i = 0; i < jobs; ++i) slots_.push_back(std::make_unique<Slot>(body, options.scratch));
  }

  CheckResult run() {
    coordinator_.plan_exploration();
    work();
    coordinator_.plan_confirmation();
    work();
    return coordinator_.take_result();
  }

 private:
  struct Slot {
    Slot(ZygoteBody& body, const std::string& scratch) : zygote(body, scratch) {}
    Zygote zygote;
    std::string unread;  // an incomplete line
    bool busy = false;
    bool dead = false;
    bool killed = false;  // by us, for being too slow
    Batch batch;
    CheckClock::Time began;
    uint64_t heartbeat = 0;
    CheckClock::Time last_beat;
  };

  CheckCoordinator::Time time() const {
    using Time = CheckCoordinator::Time;
    bool over = options_.time_limit_s && clock_.now() - began_ >= std::chrono::seconds(options_.time_limit_s);
    return over ? Time::Over : Time::Left;
  }

  void work() {
    for (;;) {
      if (watch_.interrupted && watch_.interrupted()) end_workers();
      for (auto& slot : slots_) start_next(*slot);
      std::vector<pollfd> fds;
      for (auto& slot : slots_) fds.push_back({slot->busy ? slot->zygote.results() : -1, POLLIN, 0});
      if (std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->busy; })) break;
      if (poll(fds.data(), fds.size(), clock_.poll_ms) < 0) continue;
      for (size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].revents) {
          read_results(*slots_[i]);
        } else if (slots_[i]->busy) {
          watch_clock(*slots_[i]);
        }
      }
    }
    coordinator_.give_up();
  }

  // The user interrupts: what the workers have said so far is kept.
  void end_workers() {
    std::vector<Batch*> under_way;
    for (auto& slot : slots_) {
      slot->dead = true;
      if (!std::exchange(slot->busy, false)) continue;
      slot->zygote.kill_worker();
      under_way.push_back(&slot->batch);
    }
    coordinator_.interrupt(under_way);
  }

  void start_next(Slot& slot) {
    if (slot.busy || slot.dead) return;
    auto batch = coordinator_.next(time());
    if (!batch) return;
    slot.batch = *std::move(batch);
    slot.busy = true;
    slot.killed = false;
    slot.heartbeat = 0;
    slot.began = slot.last_beat = clock_.now();
    slot.zygote.begin(slot.batch.command);
  }

  void watch_clock(Slot& slot) {
    uint64_t beat = __atomic_load_n(&slot.zygote.status().heartbeat, __ATOMIC_RELAXED);
    const CheckClock::Time now = clock_.now();
    if (beat != slot.heartbeat) slot.last_beat = now;
    slot.heartbeat = beat;
    if (now - slot.last_beat < std::chrono::seconds(options_.wall_limit_s)) return;
    slot.last_beat = now;
    slot.killed |= slot.zygote.kill_worker();
  }

  void read_results(Slot& slot) {
    char buffer[65536];
    ssize_t got = read(slot.zygote.results(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return lose(slot);
    slot.unread.append(buffer, static_cast<size_t>(got));
    size_t begin = 0;
    for (size_t end; (end = slot.unread.find('\n', begin)) != std::string::npos; begin = end + 1) {
      auto ended = coordinator_.take_line(slot.batch, std::string_view(slot.unread).substr(begin, end - begin));
      if (ended) finish(slot, *ended);
    }
    slot.unread.erase(0, begin);
  }

  void finish(Slot& slot, WorkerEnd end) {
    slot.busy = false;
    end.killed_for_time = slot.killed;
    auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - slot.began);
    end.milliseconds = static_cast<uint64_t>(took.count());
    coordinator_.worker_ended(slot.batch, end);
  }

  void lose(Slot& slot) {
    slot.busy = false;
    slot.dead = true;
    const WorkerStatus& status = slot.zygote.status();
    std::optional<uint64_t> at;
    if (status.pid > 0) at = status.seed;
    coordinator_.zygote_died(slot.batch, at);
  }

  const CheckOptions& options_;
  const Watch& watch_;
  const CheckClock& clock_;
  const CheckClock::Time began_;
  std::vector<std::unique_ptr<Slot>> slots_;
  CheckCoordinator coordinator_;
};

}  // namespace

CheckResult check_in_processes(const CheckOptions& options, const Watch& watch, ZygoteBody& body,
                               const CheckClock& clock) {
  signal(SIGPIPE, SIG_IGN);
  return Checker(options, watch, body, clock).run();
}

}  // namespace host
