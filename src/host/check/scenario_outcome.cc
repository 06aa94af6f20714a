#include "host/check/scenario_outcome.h"

#include <fmt/format.h>

#include "verifier/report/report_words.h"

namespace host {
namespace {

using verifier::Outcome;

std::string in_seeds(const std::string& why, uint64_t seeds, const ScenarioResult& scenario) {
  return fmt::format("{} (in {} of {})", why, seeds, verifier::counted(scenario.seeds_run, "seed"));
}

// Why it is incomplete; empty: it is not.
std::string incomplete(const ScenarioResult& scenario) {
  if (scenario.incomplete_seeds) return in_seeds(scenario.incomplete_why, scenario.incomplete_seeds, scenario);
  if (!scenario.seeds_run) return "no seed was run";
  if (scenario.idle_seeds && scenario.idle_seeds == scenario.working_seeds) return scenario.idle_why + " in every seed";
  return scenario.too_little;
}

}  // namespace

void judge(ScenarioResult& scenario) {
  scenario.reason.clear();
  if (scenario.our_fault) {
    scenario.outcome = Outcome::OurFault;
  } else if (scenario.errors) {
    scenario.outcome = Outcome::Found;
  } else if (std::string why = incomplete(scenario); !why.empty()) {
    scenario.outcome = Outcome::Incomplete;
    scenario.reason = std::move(why);
  } else if (scenario.skipped_seeds && !scenario.working_seeds) {
    scenario.outcome = Outcome::Skipped;
    scenario.reason = in_seeds(scenario.skipped_why, scenario.skipped_seeds, scenario);
  } else {
    scenario.outcome = Outcome::Passed;
  }
}

}  // namespace host
