#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/finding/finding.h"
#include "verifier/report/report.h"
#include "verifier/rules/rules.h"

// The wording of the parts of a finding, the same in every form of a report.
namespace verifier {

const Rule& rule_of(const Finding& finding);

// "1 seed", "2 seeds".
std::string counted(uint64_t n, std::string_view what);

// "on_dpc at src/mill.c:52".
std::string place_of(const Frame& frame);
// "in DpcRoutine, thread 'main' (1), at DISPATCH_LEVEL"; empty when no single thread did it: a deadlock, a race.
std::string where_line(const Finding& finding);
// "seen in 3 of 64 seeds, first with --seed 7"; of `runs` in all.
std::string seen_line(const Finding& finding, uint64_t runs);
// "vidmm/pressure: the driver reports no segment".
std::string not_run_line(const NotRun& left_out);
// What the check could not run, and the scenarios that are incomplete, with the reason.
std::vector<NotRun> all_not_run(const CheckedDriver& driver);

// What follows a scenario's outcome in words: "passed: warnings in 3 of 64 seeds", "skipped: the driver has no pin".
std::string outcome_detail(const ScenarioRun& scenario);
std::string outcome_line(const ScenarioRun& scenario);
// "5 passed, 1 found, 1 skipped, 1 incomplete": of the scenarios.
std::string outcomes_line(const CheckedDriver& driver);
// "faults: 17 injected, 2 places left untried".
std::string faults_line(const FaultCounts& faults);

// The findings of all drivers, worst first, each with the number of its driver.
struct RankedFinding {
  size_t driver = 0;  // index in Report::drivers
  Finding finding;
};
std::vector<RankedFinding> ranked_findings(const Report& report);

}  // namespace verifier
