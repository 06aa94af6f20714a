#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nt/machine/machine.h"
#include "trace/writer.h"

namespace nt {

// What a machine saw broken. It knows whether the test has looked at it since it last grew: a test
// that ignores a finding at which its run stopped believes that the run came to its end.
class SeenViolations {
 public:
  void add(const ViolationReport& violation) {
    all_.push_back(violation);
    looked_at_ = false;
  }
  void clear() { all_.clear(); }
  bool looked_at() const { return looked_at_; }
  std::string last_sentence() const { return all_.empty() ? "" : all_.back().sentence; }  // which is no look

  auto begin() const { return look().begin(); }
  auto end() const { return look().end(); }
  size_t size() const { return look().size(); }
  bool empty() const { return look().empty(); }
  const ViolationReport& operator[](size_t i) const { return look()[i]; }
  const ViolationReport& at(size_t i) const { return look().at(i); }
  const ViolationReport& front() const { return look().front(); }
  const ViolationReport& back() const { return look().back(); }

 private:
  const std::vector<ViolationReport>& look() const {
    looked_at_ = true;
    return all_;
  }
  std::vector<ViolationReport> all_;
  mutable bool looked_at_ = true;
};

// For tests: a machine that runs a body, and the violations that it reported.
class RecordingObserver : public MachineObserver {
 public:
  Then report_violation(const ViolationReport& violation) override {
    violations.add(violation);
    return then;
  }
  bool wants_faults() const override { return failing_allocations > 0; }
  bool fails(const FaultSite& site) override {
    if (failing_allocations == 0) return false;
    --failing_allocations;
    failed.push_back(site);
    return true;
  }

  SeenViolations violations;
  std::vector<FaultSite> failed;
  Then then = Then::Stop;
  int failing_allocations = 0;
};

class MachineTest : public ::testing::Test {
 protected:
  // A test whose machine stopped must have looked at why: at broken(), at what the observer saw, or at what run()
  // returned. It fails otherwise, for the rest of its body was never run.
  ~MachineTest() override {
    if (stopped_ && !observer.violations.looked_at()) {
      ADD_FAILURE() << "the machine stopped, and the test does not expect it: " << observer.violations.last_sentence();
    }
  }

  // How a run ended. A test that turns it into a value has looked at it.
  class RunEnd {
   public:
    RunEnd(Machine::Ended ended, bool& stopped) : ended_(ended), stopped_(stopped) {}
    operator Machine::Ended() const {
      stopped_ = false;
      return ended_;
    }

   private:
    Machine::Ended ended_;
    bool& stopped_;  // and the test has not looked
  };

  // Runs `body` as the first thread of a new machine; afterwards `machine` is gone and `observer` tells. The machine
  // must return, unless the test looks at how it ended or at what was broken.
  RunEnd run(const std::function<void()>& body) {
    Machine machine(options, observer, writer);
    current_machine = &machine;
    Machine::Ended ended = machine.run(body);
    current_machine = nullptr;
    if (ended == Machine::Ended::Stopped) stopped_ = true;
    return {ended, stopped_};
  }
  // … and the machine must stop.
  void run_to_stop(const std::function<void()>& body) { EXPECT_EQ(run(body), Machine::Ended::Stopped); }
  // Runs it once for each of `seeds`, with the policies that the seeds stand for. Every run must come to its end.
  void run_seeds(uint64_t seeds, const std::function<void()>& body) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = policy_for_seed(seed);
      observer.violations.clear();
      EXPECT_EQ(run(body), Machine::Ended::Returned) << observer.violations.last_sentence();
      if (HasFatalFailure()) return;
    }
  }
  Machine& machine() { return *current_machine; }

  // The rules that were broken, in order.
  std::vector<std::string> broken() const {
    std::vector<std::string> names;
    for (const ViolationReport& violation : observer.violations) names.push_back(to_string(violation.what));
    return names;
  }

  MachineOptions options;
  RecordingObserver observer;
  trace::Writer writer;
  Machine* current_machine = nullptr;

 private:
  bool stopped_ = false;  // and how that run ended has not been looked at
};

}  // namespace nt
