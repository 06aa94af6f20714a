#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vidsch/scheduler.h"

namespace vidsch {

inline constexpr base::TimeNs kMs = 1'000'000;
inline constexpr base::TimeNs kSecond = 1'000 * kMs;

// A packet with a name.
struct NamedPacket : Packet {
  NamedPacket(PacketKind kind, std::string given) : Packet(kind), name(std::move(given)) {}
  std::string name;
};

// A scheduler whose worker and owner are the test: what happens is recorded as lines, in order.
class SchedulerTest : public testing::Test, public Scheduler::Owner {
 public:
  void start(const SchedulerConfig& config) { scheduler.emplace(*this, config); }
  // A driver that can everything, at `depth` packets.
  static SchedulerConfig able(uint32_t depth = 2) {
    return {.nodes = 2,
            .hardware_depth = depth,
            .preemption_aware = true,
            .cancel_aware = true,
            .per_engine_tdr = true,
            .quantum_ns = 1000 * kSecond,
            .timeout = {}};
  }

  DeviceState& device() { return devices_.emplace_back(); }
  Context& context(DeviceState& device, const ContextSettings& settings = {}) {
    Context& made = contexts_.emplace_back(device, settings);
    scheduler->add(made);
    return made;
  }
  Packet& put(Context& to, const char* name, PacketKind kind = PacketKind::Render) {
    NamedPacket& packet = packets_.emplace_back(kind, name);
    scheduler->enqueue(to, packet, now);
    return packet;
  }

  // Does what the scheduler says until it has nothing more to say; submissions are accepted, resets are not performed.
  std::vector<std::string> run() {
    for (;;) {
      const Action action = scheduler->next(now);
      EXPECT_TRUE(scheduler->validate());
      if (action.kind == Action::Kind::None) break;
      lines.push_back(describe(action));
      if (action.kind == Action::Kind::Submit) {
        EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Accepted).fine());
      } else if (action.kind == Action::Kind::Cancel) {
        scheduler->cancelled(*action.packet);
      } else if (action.kind != Action::Kind::Preempt && action.kind != Action::Kind::QueryFence) {
        break;
      }
    }
    return std::exchange(lines, {});
  }
  std::vector<std::string> complete(FenceId fence, uint32_t node = 0) {
    const Verdict verdict = scheduler->completed(node, fence, now);
    EXPECT_TRUE(verdict.fine()) << verdict.sentence;
    return run();
  }
  std::vector<std::string> preempted(FenceId preemption, FenceId last_completed, uint32_t node = 0) {
    const Verdict verdict = scheduler->preempted(node, preemption, last_completed, now);
    EXPECT_TRUE(verdict.fine()) << verdict.sentence;
    return run();
  }

  void TearDown() override {
    scheduler->stop();
    for (Context& each : contexts_) {
      if (each.system()) {
        scheduler->cancel(each);
      } else {
        scheduler->fail(each.device());
      }
    }
    run();
    for (Context& each : contexts_) scheduler->remove(each);
  }

  base::TimeNs now = 0;
  std::optional<Scheduler> scheduler;
  std::set<Context*> unready;
  std::set<std::string> satisfied;  // names of Waits
  std::vector<std::string> lines;

 protected:
  bool ready(Context& each) override { return !unready.count(&each); }
  bool try_wait(Packet& packet) override { return satisfied.count(name(packet)) != 0; }
  void signal(Packet& packet) override { lines.push_back("signal " + name(packet)); }
  void retire(Packet& packet, Outcome outcome) override {
    static constexpr const char* kOutcomes[] = {"done", "aborted", "cancelled"};
    lines.push_back(fmt::format("{} {}", kOutcomes[static_cast<int>(outcome)], name(packet)));
  }

  static const std::string& name(const Packet& packet) { return static_cast<const NamedPacket&>(packet).name; }
  static std::string describe(const Action& action) {
    switch (action.kind) {
      case Action::Kind::Submit:
        return fmt::format("submit {}{} {}", name(*action.packet), action.packet->resubmission() ? " again" : "",
                           action.fence);
      case Action::Kind::Cancel:
        return "cancel " + name(*action.packet);
      case Action::Kind::Preempt:
        return fmt::format("preempt {}", action.fence);
      case Action::Kind::QueryFence:
        return "query fence";
      case Action::Kind::QueryDependents:
        return fmt::format("query dependents {}", action.node);
      case Action::Kind::ResetEngine:
        return fmt::format("reset engine {}", action.node);
      case Action::Kind::ResetAdapter:
        return "reset adapter";
      case Action::Kind::Unanswered:
        return fmt::format("unanswered {}", action.fence);
      case Action::Kind::BugCheck:
        return fmt::format("bug check {:#x}", action.code);
      case Action::Kind::None:
        break;
    }
    return "nothing";
  }

 private:
  std::deque<DeviceState> devices_;
  std::deque<Context> contexts_;
  std::deque<NamedPacket> packets_;
};

using testing::ElementsAre;
using testing::IsEmpty;

}  // namespace vidsch
