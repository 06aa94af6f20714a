#pragma once

#include <cstdio>
#include <functional>

#include "base/check.h"
#include "nt/machine/machine.h"
#include "trace/writer.h"

namespace nt::testing {

// Whether a run of the checker goes on after this was broken. Defined by the verifier, which has the rules.
Then then_of(Violation what);

// For fuzzers: a fresh machine with a fixed seed for each input. Findings about the driver or the client are expected
// here. A failed CHECK, a sanitizer's report or a deadlock is a bug of ours.
class FuzzMachine : private MachineObserver {
 public:
  FuzzMachine() { options_.stack_bytes = 0; }  // the drivers of fuzzers are compiled into this program

  // Runs `body` as the first thread. Stopped: a rule was broken after which nothing can be trusted.
  Machine::Ended run(const std::function<void(Machine&)>& body) {
    Machine machine(options_, *this, writer_);
    return machine.run([&] { body(machine); });
  }
  MachineOptions& options() { return options_; }

  // A fuzzer whose driver may wait for ever, or never end a loop, expects it.
  bool may_get_stuck = false;
  uint32_t violations = 0;

 private:
  Then report_violation(const ViolationReport& violation) override {
    ++violations;
    bool stuck = violation.what == Violation::Deadlock || violation.what == Violation::Hang ||
                 violation.what == Violation::Livelock;
    if (stuck && !may_get_stuck) tell(violation);
    CHECK_MSG(!stuck || may_get_stuck, "a hang of our own");
    return then_of(violation.what);
  }
  static void tell(const ViolationReport& violation) {
    std::fprintf(stderr, "%s\n", violation.sentence.c_str());
    for (const RoleStack& each : violation.stacks) std::fprintf(stderr, "  %s\n", each.role.c_str());
  }

  MachineOptions options_;
  trace::Writer writer_;
};

}  // namespace nt::testing
