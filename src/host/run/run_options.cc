#include "host/run/run_options.h"

#include "nt/machine/choice_source.h"

namespace host {

verifier::RunContext context_of(const RunOptions& options, std::string scenario, uint64_t seed) {
  return {.driver = options.driver,
          .scenario = std::move(scenario),
          .seed = seed,
          .policy = nt::to_string(nt::policy_for_seed(seed)),
          .schedule = {},
          .processors = options.processors == RunOptions{}.processors ? 0 : options.processors,
          .profile = options.profile,
          .fault = options.fault,
          .hang_edges = options.hang_edges};
}

}  // namespace host
