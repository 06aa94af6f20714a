#include "verifier/report/report_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "nt/ke/irql.h"

namespace verifier {

const Rule& rule_of(const Finding& finding) {
  const Rule* rule = find_rule(finding.rule);
  CHECK(rule);  // make_finding and from_json_value see to it
  return *rule;
}

std::string counted(uint64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string place_of(const Frame& frame) {
  if (frame.module.empty()) return "?";
  if (frame.function.empty()) return base::module_and_offset(frame.module, frame.offset);
  if (!frame.driver) return frame.function;  // file and line of the host do not help the reader
  std::string out = frame.function;
  if (frame.inlined) out += " (inlined)";
  if (frame.file.empty()) return fmt::format("{} in {}", out, frame.module);
  return fmt::format("{} at {}:{}", out, frame.file, frame.line);
}

std::string where_line(const Finding& finding) {
  if (finding.in_call.empty() && finding.thread.empty()) return {};
  std::string out;
  if (!finding.in_call.empty()) out += fmt::format("in {}, ", finding.in_call);
  if (!finding.thread.empty()) out += fmt::format("thread '{}' ({}), ", finding.thread, finding.thread_ordinal);
  return out + "at " + nt::irql_name(finding.irql);
}

std::string seen_line(const Finding& finding, uint64_t runs) {
  if (finding.run.scenario.empty()) return "seen without running anything";
  std::string out =
      fmt::format("seen in {} of {}, first with --seed {}", finding.runs, counted(runs, "seed"), finding.run.seed);
  if (finding.times > finding.runs) out += fmt::format(" ({} in all)", counted(finding.times, "time"));
  return out;
}

std::string not_run_line(const NotRun& left_out) {
  return left_out.what.empty() ? left_out.why : left_out.what + ": " + left_out.why;
}

std::vector<NotRun> all_not_run(const CheckedDriver& driver) {
  std::vector<NotRun> all = driver.not_run;
  for (const ScenarioRun& scenario : driver.scenarios) {
    if (scenario.outcome == Outcome::Incomplete) all.push_back({scenario.name, scenario.reason});
  }
  return all;
}

std::string outcome_detail(const ScenarioRun& scenario) {
  const std::string of_seeds = fmt::format(" of {}", counted(scenario.seeds, "seed"));
  switch (scenario.outcome) {
    case Outcome::Passed:
      return scenario.warned_seeds ? fmt::format("warnings in {}{}", scenario.warned_seeds, of_seeds) : scenario.reason;
    case Outcome::Found:
      if (!scenario.failing_seeds) return "errors with injected failures";
      return fmt::format("errors in {}{}{}", scenario.failing_seeds, of_seeds,
                         scenario.cut_short ? ", the rest left out" : "");
    case Outcome::Skipped:
    case Outcome::Incomplete:
      return scenario.reason;
    case Outcome::OurFault:
      return "Drydock failed";
  }
  return {};
}

std::string outcome_line(const ScenarioRun& scenario) {
  const std::string detail = outcome_detail(scenario);
  return detail.empty() ? to_string(scenario.outcome) : fmt::format("{}: {}", to_string(scenario.outcome), detail);
}

std::string outcomes_line(const CheckedDriver& driver) {
  std::string out;
  for (Outcome outcome : kOutcomes) {
    const uint64_t scenarios = driver.count(outcome);
    if (scenarios) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", scenarios, to_string(outcome));
  }
  return out;
}

std::string faults_line(const FaultCounts& faults) {
  return fmt::format("faults: {} injected, {} left untried", faults.injected, counted(faults.untried, "place"));
}

std::vector<RankedFinding> ranked_findings(const Report& report) {
  std::vector<RankedFinding> ranked;
  for (size_t i = 0; i < report.drivers.size(); ++i) {
    for (const Finding& finding : report.drivers[i].findings) ranked.push_back({i, finding});
  }
  std::ranges::stable_sort(ranked,
                           [](const RankedFinding& a, const RankedFinding& b) { return worse(a.finding, b.finding); });
  return ranked;
}

}  // namespace verifier
