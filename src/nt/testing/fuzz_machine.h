#pragma once

#include <cstdio>
#include <functional>

#include "base/check.h"
#include "nt/machine.h"
#include "trace/writer.h"

namespace nt::testing {

// Whether a run of the checker goes on after this was broken. Defined by the verifier, which has the rules.
Then then_of(Broke what);

// For fuzzers: a fresh machine with a fixed seed for each input. What a driver or a client is found to do wrong is
// theirs and is expected here; a CHECK, a sanitizer's report or a machine in which nothing can go on is a defect of
// ours.
class FuzzMachine : private Probe {
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
  uint32_t breaches = 0;

 private:
  Then broke(const Breach& breach) override {
    ++breaches;
    bool stuck = breach.what == Broke::Deadlock || breach.what == Broke::Hang || breach.what == Broke::Livelock;
    if (stuck && !may_get_stuck) tell(breach);
    CHECK_MSG(!stuck || may_get_stuck, "a hang of our own");
    return then_of(breach.what);
  }
  static void tell(const Breach& breach) {
    std::fprintf(stderr, "%s\n", breach.sentence.c_str());
    for (const RoleStack& each : breach.stacks) std::fprintf(stderr, "  %s\n", each.role.c_str());
  }

  MachineOptions options_;
  trace::Writer writer_;
};

}  // namespace nt::testing
