#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nt/machine/schedule.h"
#include "verifier/finding/finding.h"

namespace host {

// What a run is made with besides its scenario and its seed. It travels whole from the command line to run_seed(), the
// only place that turns it into the options of a machine.
struct RunOptions {
  std::string driver;  // path of the .so that is judged, as the caller names it
  uint32_t processors = 2;
  std::string files;                   // folder of the host that holds the machine's files; empty: none. check() gives
                                       // each run a copy of it; run_seed() may change the folder that it is given
  std::string profile;                 // name of the Windows that is played; empty: by the seed (profile.h)
  uint32_t fault = 0;                  // make this failure happen: the number it has in the scenario; 0: none
  uint64_t hang_edges = 0;             // that a driver may run without a call into the kernel; 0: the machine's default
  std::string trace_file;              // write the trace of the one seed here; empty: no trace
  std::optional<nt::Schedule> replay;  // play this back instead of the seed's own choices; one scenario, one seed
};

// What the findings of a run say about how it was made.
verifier::RunContext context_of(const RunOptions& options, std::string scenario, uint64_t seed);

}  // namespace host
