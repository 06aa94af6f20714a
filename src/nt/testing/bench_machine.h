#pragma once

#include <cstdio>
#include <utility>

#include "base/check.h"
#include "nt/machine/machine.h"
#include "trace/writer.h"

// For benchmarks: a machine that runs for as many iterations as Google Benchmark asks for.

namespace nt {

// A benchmark must break no rule: a violation is printed before the machine stops.
struct LoudObserver : MachineObserver {
  Then report_violation(const ViolationReport& violation) override {
    std::fprintf(stderr, "%s: %s\n", to_string(violation.what), violation.sentence.c_str());
    return Then::Stop;
  }
};

// A simulated machine reports many steps without progress as a livelock, and stops. A benchmark's loop is exactly that,
// and a faster computer takes more steps. So this machine has no limit.
inline MachineOptions endless_options() {
  MachineOptions options;
  options.livelock_points = ~uint64_t{0};
  options.time_limit = base::kForever - 1;
  return options;
}

// Runs body(machine) as the first thread of a machine. A run that was stopped would have left the benchmark's loop
// half-way, so it must have come to its end.
template <typename Body>
void run_to_end(const MachineOptions& options, Body&& body) {
  LoudObserver observer;
  trace::Writer writer(1 << 12);
  Machine machine(options, observer, writer);
  CHECK(machine.run([&] { body(machine); }) == Machine::Ended::Returned);
}

// Waits until a thread of the machine has ended. A live thread goes on after the first thread's body has returned, so
// a body joins every thread that uses its locals.
inline void join(Thread& thread) {
  CHECK(KeWaitForSingleObject(&thread.body->header, Executive, KernelMode, FALSE, nullptr) == STATUS_SUCCESS);
}

}  // namespace nt
