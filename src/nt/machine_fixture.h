#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nt/machine.h"
#include "trace/writer.h"

namespace nt {

// For tests: a machine, run with a body, and what it saw broken.
class RecordingProbe : public Probe {
 public:
  Then broke(const Breach& breach) override {
    breaches.push_back(breach);
    return then;
  }
  bool wants_faults() const override { return failing_allocations > 0; }
  bool fails(const FaultSite& site) override {
    if (failing_allocations == 0) return false;
    --failing_allocations;
    failed.push_back(site);
    return true;
  }

  std::vector<Breach> breaches;
  std::vector<FaultSite> failed;
  Then then = Then::Stop;
  int failing_allocations = 0;
};

class MachineTest : public ::testing::Test {
 protected:
  // Runs `body` as the first thread of a new machine; afterwards `machine` is gone and `probe` tells.
  Machine::Ended run(const std::function<void()>& body) {
    Machine machine(options, probe, writer);
    current_machine = &machine;
    Machine::Ended ended = machine.run(body);
    current_machine = nullptr;
    return ended;
  }
  // Runs it once for each of `seeds`, with the policies that the seeds stand for. Every run must come to its end.
  void run_seeds(uint64_t seeds, const std::function<void()>& body) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = policy_for_seed(seed);
      probe.breaches.clear();
      EXPECT_EQ(run(body), Machine::Ended::Returned) << (probe.breaches.empty() ? "" : probe.breaches.back().sentence);
      if (HasFatalFailure()) return;
    }
  }
  Machine& machine() { return *current_machine; }

  // The rules that were broken, in order.
  std::vector<std::string> broken() const {
    std::vector<std::string> names;
    for (const Breach& breach : probe.breaches) names.push_back(to_string(breach.what));
    return names;
  }

  MachineOptions options;
  RecordingProbe probe;
  trace::Writer writer;
  Machine* current_machine = nullptr;
};

}  // namespace nt
