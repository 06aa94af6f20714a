#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/images.h"
#include "host/scenario.h"
#include "nt/schedule.h"
#include "trace/writer.h"
#include "verifier/verifier.h"

namespace host {

struct SeedOptions {
  std::string driver;  // as the caller names it
  uint32_t processors = 2;
  std::string files;                     // folder of the host that holds the machine's files; the run may change it
  std::string profile;                   // a name of profile.h; empty: by the seed
  uint32_t fault = 0;                    // in a scenario that survives faults: make this one happen
  uint64_t hang_edges = 0;               // as in CheckOptions
  bool trace = false;                    // needed for a hash and for the history of findings
  std::string trace_file;                // where the trace goes; empty: nowhere
  const nt::Schedule* replay = nullptr;  // instead of the seed's own choices
  nt::Schedule* record = nullptr;
  nt::Probe* probe = nullptr;  // asked in the verifier's place; hands on to it
};

struct SeedResult {
  nt::Machine::Ended ended = nt::Machine::Ended::Returned;
  std::optional<nt::Divergence> divergence;
  uint64_t trace_hash = 0;
  uint64_t events = 0;
  base::TimeNs virtual_time = 0;
  uint64_t ddi_calls = 0;
  std::string trace_error;     // why the trace could not be written
  bool files_changed = false;  // the folder of the machine's files may be another now
  // Of a run with a fault: whether it came to it, and what every place that could have failed is, first passed first.
  bool fault_reached = false;
  std::vector<uint64_t> fault_places;
};

// Runs one scenario with one seed: restores the drivers' images, builds a machine, runs, and leaves what was found in
// `verifier`.
SeedResult run_seed(const Images& images, const Scenario& scenario, uint64_t seed, const SeedOptions& options,
                    verifier::Verifier& verifier, trace::Writer& writer);

}  // namespace host
