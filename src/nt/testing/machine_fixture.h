#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nt/machine/machine.h"
#include "trace/writer.h"

namespace nt {

// For tests: a machine that runs a body, and the violations that it reported.
class RecordingObserver : public MachineObserver {
 public:
  Then report_violation(const ViolationReport& violation) override {
    violations.push_back(violation);
    return then;
  }
  bool wants_faults() const override { return failing_allocations > 0; }
  bool fails(const FaultSite& site) override {
    if (failing_allocations == 0) return false;
    --failing_allocations;
    failed.push_back(site);
    return true;
  }

  std::string last_sentence() const { return violations.empty() ? "" : violations.back().sentence; }

  std::vector<ViolationReport> violations;
  std::vector<FaultSite> failed;
  Then then = Then::Stop;
  int failing_allocations = 0;
};

class MachineTest : public ::testing::Test {
 protected:
  // Runs `body` as the first thread of a new machine, which must return; afterwards the machine is gone and `observer`
  // has what it reported.
  void run(const std::function<void()>& body) {
    EXPECT_EQ(end_of_run(body), Machine::Ended::Returned) << observer.last_sentence();
  }
  // … and the machine must stop: a violation or a bug check ends it before `body` does.
  void run_to_stop(const std::function<void()>& body) { EXPECT_EQ(end_of_run(body), Machine::Ended::Stopped); }
  // … and the caller judges how it ended.
  [[nodiscard]] Machine::Ended end_of_run(const std::function<void()>& body) {
    Machine machine(options, observer, writer);
    current_machine = &machine;
    Machine::Ended ended = machine.run(body);
    current_machine = nullptr;
    return ended;
  }
  // … and returns the rules that were broken. The machine must stop at the first at which the observer stops, and
  // return when there is none.
  std::vector<std::string> rules_broken_by(const std::function<void()>& body) {
    observer.violations.clear();
    Machine::Ended ended = end_of_run(body);
    bool stops = observer.then == Then::Stop && !observer.violations.empty();
    EXPECT_EQ(ended, stops ? Machine::Ended::Stopped : Machine::Ended::Returned) << observer.last_sentence();
    return broken();
  }
  // Runs it once for each of `seeds`, with the policies that the seeds stand for. Every run must come to its end.
  void run_seeds(uint64_t seeds, const std::function<void()>& body) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = policy_for_seed(seed);
      observer.violations.clear();
      run(body);
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
};

}  // namespace nt
