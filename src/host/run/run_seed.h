#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/run/images.h"
#include "host/run/run_options.h"
#include "host/run/scenario.h"
#include "trace/writer.h"
#include "verifier/watch/verifier.h"

namespace host {

struct SeedOptions {
  RunOptions run;
  bool trace = false;  // needed for a hash and for the history of findings
  nt::Schedule* record = nullptr;
  nt::MachineObserver* observer = nullptr;  // asked in the verifier's place; hands on to it
};

struct SeedResult {
  nt::Machine::Ended ended = nt::Machine::Ended::Returned;
  std::optional<nt::Divergence> divergence;
  uint64_t trace_hash = 0;
  uint64_t events = 0;
  base::TimeNs virtual_time = 0;
  verifier::Activity activity = {};
  std::string skipped = {}, incomplete = {}, idle = {};  // why, in words; empty: it was not
  std::string trace_error;                               // why the trace could not be written
  bool files_changed = false;                            // the folder of the machine's files may be another now
  // Of a run with a fault: whether it came to it, and what every place that could have failed is, first passed first.
  bool fault_reached = false;
  std::vector<uint64_t> fault_places;
};

// Runs one scenario with one seed: restores the drivers' images, builds a machine, runs, and leaves what was found in
// `verifier`.
SeedResult run_seed(const Images& images, const Scenario& scenario, uint64_t seed, const SeedOptions& options,
                    verifier::Verifier& verifier, trace::Writer& writer);

}  // namespace host
