// Random clients, a random GPU and random misfortune, against what must hold whatever happens:
//
//   every packet is retired once, and those of a context in the order in which they were enqueued;
//   what is retired as completed was executed, after everything before it in its context;
//   a device is in error only if it did something, and nothing of an innocent one is lost;
//   the hardware is never overfull, fences are new (or, for paging that comes again, the old ones), and nothing reaches
//   a node that owes an answer; the scheduler does not ask to be called back at a time that has passed.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "vidsch/testing/simulated_gpu.h"

namespace vidsch {
namespace {

constexpr base::TimeNs kMicrosecond = 1'000;

struct JobPacket final : Packet {
  JobPacket(Job& described) : Packet(described.kind), job(described) {}
  Job& job;
};

struct Client {
  Client(DeviceState& state, uint32_t device_index, const ContextSettings& settings)
      : context(state, settings), device(device_index) {}
  Context context;
  uint32_t device;
  std::deque<Job> jobs;             // all, in order
  size_t retired = 0;               // of them
  std::vector<JobPacket*> waiting;  // Waits that are begun and not retired
  bool unready = false;
  bool cancelled = false;
};

using ActionCounts = std::array<uint64_t, static_cast<size_t>(Action::Kind::BugCheck)>;

class World final : public Scheduler::Owner {
 public:
  World(uint64_t seed, ActionCounts& counts)
      : counts_(counts),
        rng_(seed),
        config_{.nodes = static_cast<uint32_t>(1 + rng_.below(3)),
                .hardware_depth = static_cast<uint32_t>(1 + rng_.below(4)),
                .preemption_aware = rng_.chance(3, 4),
                .cancel_aware = rng_.chance(1, 2),
                .per_engine_tdr = rng_.chance(2, 3),
                .quantum_ns = 50 * kMicrosecond,
                .first_fence = rng_.chance(1, 2) ? 1 : 0xFFFFFFFF - static_cast<FenceId>(rng_.below(200)),
                .timeout = {.limit_count = 1'000'000}},
        gpu_(config_.nodes, config_.first_fence),
        scheduler_(*this, config_),
        last_fence_(config_.nodes, config_.first_fence - 1) {
    for (uint32_t i = 0; i < 4; ++i) add_device();
    devices_.emplace_back();
    guilty_.push_back(false);
    for (uint32_t node = 0; node < config_.nodes; ++node)
      add_client(devices_.size() - 1, {.node = node, .system = true});
  }

  // After a failure what is left goes without being judged.
  ~World() {
    judging_ = false;
    scheduler_.stop();
    for (auto& client : clients_) {
      scheduler_.cancel(client->context);
      if (!client->context.system()) scheduler_.fail(client->context.device());
    }
    scheduler_.next(now_);
    for (auto& client : clients_) scheduler_.remove(client->context);
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      step();
      ASSERT_TRUE(scheduler_.validate());
    }
  }

  // Nothing hangs any more and every context is ready: everything must come to its end.
  void finish() {
    calm_ = true;
    for (auto& client : clients_) {
      for (Job& job : client->jobs) job.hangs = false;
    }
    for (int round = 0; round < 10'000 && !all_empty(); ++round) {
      work(1'000);
      for (uint32_t node = 0; node < config_.nodes; ++node) {
        gpu_.unit(node).deaf = false;
        answer_preemption(node);
        execute(node);
        report(node);
      }
      for (auto& client : clients_) {
        wake(*client);
        resume(*client);
      }
      now_ += kMicrosecond;
    }
    ASSERT_TRUE(all_empty()) << "a packet was lost or is stuck";
    for (auto& client : clients_) {
      ASSERT_EQ(client->retired, client->jobs.size());
      scheduler_.remove(client->context);
    }
    clients_.clear();
  }

 private:
  void step() {
    const uint32_t node = static_cast<uint32_t>(rng_.below(config_.nodes));
    switch (rng_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        enqueue(*clients_[rng_.below(clients_.size())]);
        break;
      case 4:
      case 5:
      case 6:
        work(1 + rng_.below(6));
        break;
      case 7:
      case 8:
      case 9:
        execute(node);
        break;
      case 10:
        report(node);
        break;
      case 11:
        answer_preemption(node);
        break;
      case 12:
        wake(*clients_[rng_.below(clients_.size())]);
        resume(*clients_[rng_.below(clients_.size())]);
        break;
      case 13:
        scheduler_.retire_completed();
        break;
      case 14:
        now_ += rng_.below(100) * kMicrosecond;
        break;
      default:
        mishap(node);
    }
  }

  void mishap(uint32_t node) {
    Client& client = *clients_[rng_.below(clients_.size())];
    switch (rng_.below(12)) {
      case 0:
        fault(node);
        break;
      case 1:
        gpu_.unit(node).deaf = !gpu_.unit(node).deaf;
        break;
      case 2:
        if (!client.context.system() && rng_.chance(1, 4)) fail(client);
        break;
      case 3:
        client.cancelled = true;
        scheduler_.cancel(client.context);
        break;
      case 4:
        scheduler_.set_level(client.context, static_cast<Level>(rng_.below(32)));
        break;
      case 5:
        scheduler_.suspend(client.context);
        client.unready = true;
        break;
      case 6:
        if (rng_.chance(1, 4)) add_device();
        break;
      default:
        // Straight to the next timeout.
        if (const base::TimeNs deadline = scheduler_.next_deadline(); deadline != base::kForever) {
          now_ = std::max(now_, deadline);
        }
    }
  }

  void add_device() {
    const auto index = devices_.size();
    devices_.emplace_back();
    guilty_.push_back(false);
    for (uint64_t i = 0, count = 1 + rng_.below(3); i < count; ++i) {
      add_client(index, {.node = static_cast<uint32_t>(rng_.below(config_.nodes)),
                         .level = static_cast<Level>(rng_.chance(1, 2) ? kNormalLevel : rng_.below(32))});
    }
  }
  void add_client(size_t device, const ContextSettings& settings) {
    clients_.push_back(std::make_unique<Client>(devices_[device], static_cast<uint32_t>(device), settings));
    scheduler_.add(clients_.back()->context);
    index_of_[&clients_.back()->context] = static_cast<uint32_t>(clients_.size() - 1);
  }

  void enqueue(Client& client) {
    for (uint64_t i = 0, count = 1 + rng_.below(4); i < count; ++i) {
      Job& job = client.jobs.emplace_back();
      job.context = index_of_[&client.context];
      const PacketKind hardware = client.context.system() ? PacketKind::Paging : PacketKind::Render;
      static constexpr PacketKind kSoftware[] = {PacketKind::Signal, PacketKind::Event, PacketKind::Marker,
                                                 PacketKind::Wait};
      job.kind = rng_.chance(2, 3) ? hardware : kSoftware[rng_.below(4)];
      job.hangs = !calm_ && rng_.chance(1, job.kind == PacketKind::Paging ? 200 : 40);
      scheduler_.enqueue(client.context, *new JobPacket(job), now_);
    }
  }

  void work(uint64_t most) {
    for (uint64_t i = 0; i < most && !testing::Test::HasFailure(); ++i) {
      const Action action = scheduler_.next(now_);
      if (action.kind == Action::Kind::None) {
        ASSERT_GT(scheduler_.next_deadline(), now_);
        return;
      }
      perform(action);
    }
  }

  void perform(const Action& action) {
    ++counts_[static_cast<size_t>(action.kind)];
    const uint32_t node = action.node;
    switch (action.kind) {
      case Action::Kind::Submit:
        return submit(action);
      case Action::Kind::Cancel: {
        Job& job = static_cast<JobPacket*>(action.packet)->job;
        ASSERT_FALSE(job.cancel_asked);
        job.cancel_asked = true;
        return scheduler_.cancelled(*action.packet);
      }
      case Action::Kind::Preempt:
        ASSERT_TRUE(config_.preemption_aware);
        ASSERT_EQ(gpu_.unit(node).preemption, 0u);
        ASSERT_TRUE(is_after(action.fence, last_fence_[node]));
        last_fence_[node] = action.fence;
        gpu_.unit(node).preemption = action.fence;
        return;
      case Action::Kind::QueryFence:
        return report(node);
      case Action::Kind::QueryDependents:
        return expect_fine(scheduler_.dependents(node, (rng_.next() & 7) | uint64_t{1} << node, now_));
      case Action::Kind::ResetEngine:
        return reset_engine(node);
      case Action::Kind::ResetAdapter:
        return reset_adapter(action);
      case Action::Kind::Unanswered:
        ASSERT_TRUE(gpu_.unit(node).queue.empty());
        gpu_.unit(node).preemption = 0;
        return;
      default:
        FAIL() << "a bug check for nothing";
    }
  }

  void submit(const Action& action) {
    Job& job = static_cast<JobPacket*>(action.packet)->job;
    SimulatedGpu::Unit& unit = gpu_.unit(action.node);
    ASSERT_LE(scheduler_.node(action.node).in_hardware(), config_.hardware_depth);
    ASSERT_EQ(unit.preemption, 0u) << "submitted while a preemption is not answered";
    ASSERT_EQ(action.packet->resubmission(), job.preempted);
    if (job.kind == PacketKind::Paging && action.fence == job.fence) {
      ASSERT_TRUE(is_after(action.fence, unit.completed));
    } else {
      ASSERT_TRUE(is_after(action.fence, last_fence_[action.node]));
      last_fence_[action.node] = action.fence;
    }
    job.fence = action.fence;
    const bool refused = !calm_ && job.kind == PacketKind::Render && rng_.chance(1, 100);
    gpu_.submit(action.node, &job, action.fence, refused);
    if (refused) guilty_[clients_[job.context]->device] = true;
    if (!refused && rng_.chance(1, 4)) {  // the GPU is faster than the driver's way out
      execute(action.node);
      report(action.node);
      scheduler_.retire_completed();
    }
    expect_fine(scheduler_.submitted(*action.packet,
                                     refused ? Scheduler::Submission::Refused : Scheduler::Submission::Accepted));
  }

  void execute(uint32_t node) {
    const Job* job = gpu_.execute(node);
    if (!job) return;
    ASSERT_FALSE(job->retired) << "executed after it was retired";
    Client& client = *clients_[job->context];
    for (size_t i = client.retired; &client.jobs[i] != job; ++i) {
      const Job& earlier = client.jobs[i];
      const bool must_be_over =
          earlier.kind == PacketKind::Render || earlier.kind == PacketKind::Paging || earlier.kind == PacketKind::Wait;
      ASSERT_TRUE(!must_be_over || earlier.executed || earlier.over || client.cancelled) << "executed out of order";
    }
    const_cast<Job*>(job)->executed = true;
  }

  void report(uint32_t node) {
    if (scheduler_.node(node).resetting()) {  // what it reports now is ignored
      return expect_fine(scheduler_.completed(node, static_cast<FenceId>(rng_.next()), now_));
    }
    if (gpu_.to_report(node)) expect_fine(scheduler_.completed(node, gpu_.report(node), now_));
  }

  void answer_preemption(uint32_t node) {
    SimulatedGpu::Unit& unit = gpu_.unit(node);
    if (!unit.preemption || unit.deaf || scheduler_.node(node).resetting()) return;
    if (!calm_ && !unit.queue.empty() && unit.queue.front().job->hangs) return;
    const FenceId preemption = unit.preemption;
    gpu_.give_back(node);
    expect_fine(scheduler_.preempted(node, preemption, gpu_.report(node), now_));
  }

  void fault(uint32_t node) {
    if (scheduler_.node(node).resetting()) return;
    const Job* job = gpu_.fault(node);
    if (!job) return;
    guilty_[clients_[job->context]->device] = true;
    expect_fine(scheduler_.page_faulted(node, job->fence, 0, now_));
  }

  void fail(Client& client) {
    guilty_[client.device] = true;
    scheduler_.fail(devices_[client.device]);
  }

  void reset_engine(uint32_t node) {
    if (rng_.chance(1, 8)) return expect_fine(scheduler_.engine_reset(node, Scheduler::Reset::Failed, 0, now_));
    for (const Job* job : gpu_.reset_engine(node, rng_.chance(1, 4))) {
      if (job->kind == PacketKind::Render) guilty_[clients_[job->context]->device] = true;
    }
    expect_fine(scheduler_.engine_reset(node, Scheduler::Reset::Done, gpu_.unit(node).completed, now_));
  }

  void reset_adapter(const Action& action) {
    if (action.packet && !action.packet->paging()) {
      guilty_[clients_[static_cast<JobPacket*>(action.packet)->job.context]->device] = true;
    }
    for (auto& client : clients_) {
      for (size_t i = client->retired; i < client->jobs.size(); ++i) client->jobs[i].preempted = false;
    }
    for (uint32_t i = 0; i < config_.nodes; ++i) gpu_.reset(i, scheduler_.node(i).last_submitted());
    scheduler_.adapter_reset_done(now_);
  }

  void wake(Client& client) {
    for (JobPacket* wait : std::exchange(client.waiting, {})) {
      wait->job.executed = true;
      scheduler_.wake(*wait);
    }
  }
  void resume(Client& client) {
    if (!client.unready) return;
    client.unready = false;
    scheduler_.resume(client.context);
  }

  bool ready(Context& context) override {
    Client& client = *clients_[index_of_[&context]];
    if (!calm_ && rng_.chance(1, 10)) client.unready = true;
    return !client.unready;
  }
  bool try_wait(Packet& packet) override {
    auto& wait = static_cast<JobPacket&>(packet);
    Client& client = *clients_[wait.job.context];
    wait.job.executed = calm_ || rng_.chance(1, 2);
    if (!wait.job.executed) client.waiting.push_back(&wait);
    return wait.job.executed;
  }
  void signal(Packet& packet) override {
    const Job& job = static_cast<JobPacket&>(packet).job;
    Client& client = *clients_[job.context];
    EXPECT_EQ(&client.jobs[client.retired], &job) << "signalled before its predecessors retired";
    if (rng_.chance(1, 2)) wake(*clients_[rng_.below(clients_.size())]);  // as a signal does
  }
  void retire(Packet& packet, Outcome outcome) override {
    auto& gone = static_cast<JobPacket&>(packet);
    Job& job = gone.job;
    Client& client = *clients_[job.context];
    EXPECT_FALSE(job.retired) << "retired twice";
    EXPECT_EQ(&client.jobs[client.retired], &job) << "retired out of order";
    job.retired = true;
    ++client.retired;
    std::erase(client.waiting, &gone);
    if (judging_) judge(client, job, outcome);
    if (rng_.chance(1, 16)) resume(*clients_[rng_.below(clients_.size())]);
    delete &gone;
  }
  void judge(const Client& client, const Job& job, Outcome outcome) {
    const bool needs_more =
        job.kind == PacketKind::Render || job.kind == PacketKind::Paging || job.kind == PacketKind::Wait;
    const bool guilty = guilty_[client.device];
    EXPECT_LE(devices_[client.device].failed(), guilty) << "an innocent device is in error";
    switch (outcome) {
      case Outcome::Completed:
        EXPECT_TRUE(!needs_more || job.executed) << "completed without having run";
        break;
      case Outcome::Aborted:
        EXPECT_TRUE(guilty || job.kind == PacketKind::Paging) << "an innocent was aborted";
        break;
      case Outcome::Cancelled:
        EXPECT_TRUE(guilty || client.cancelled) << "an innocent was cancelled";
        break;
    }
  }

  bool all_empty() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->context.empty(); });
  }
  static void expect_fine(const Verdict& verdict) { EXPECT_TRUE(verdict.fine()) << verdict.sentence; }

  ActionCounts& counts_;
  base::Rng rng_;
  base::TimeNs now_ = 0;
  bool calm_ = false;
  bool judging_ = true;
  SchedulerConfig config_;
  SimulatedGpu gpu_;
  Scheduler scheduler_;
  std::vector<FenceId> last_fence_;  // given to a packet or a preemption, by node
  std::deque<DeviceState> devices_;
  std::vector<bool> guilty_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::map<const Context*, uint32_t> index_of_;
};

TEST(SchedulerPropertyTest, HoldsWhateverHappens) {
  const uint64_t seed = base::seed_for_test(20'240'611);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ActionCounts counts = {};
  for (uint64_t run = 0; run < 300; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << " run " << run);
    World world(seed + run, counts);
    world.run(1'500);
    if (testing::Test::HasFailure()) return;
    world.finish();
    if (testing::Test::HasFailure()) return;
  }
  for (size_t kind = 1; kind < counts.size(); ++kind)
    EXPECT_GT(counts[kind], 20u) << "action " << kind << " is not tested";
}

}  // namespace
}  // namespace vidsch
