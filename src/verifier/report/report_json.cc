#include "verifier/report/report_json.h"

#include <nlohmann/json.hpp>

#include "verifier/finding/finding_json.h"
#include "verifier/report/report_words.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

template <typename Item, typename ToJson>
Json list(const std::vector<Item>& items, ToJson&& to_json) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(to_json(item));
  return out;
}

template <typename Counted>
Json counts(const Counted& what) {
  return {{"runs", what.runs()}, {"errors", what.count(Level::Error)}, {"warnings", what.count(Level::Warning)}};
}

Json faults_json(const FaultCounts& faults) { return {{"injected", faults.injected}, {"untried", faults.untried}}; }

Json outcomes_json(const CheckedDriver& driver) {
  Json out = Json::object();
  for (Outcome outcome : kOutcomes) out[to_string(outcome)] = driver.count(outcome);
  return out;
}

Json scenario_json(const ScenarioRun& scenario) {
  Json activity = Json::object();
  for (const ActivityCount& one : kActivityCounts) activity[one.key] = scenario.activity.*one.count;
  Json out = {{"name", scenario.name},
              {"outcome", to_string(scenario.outcome)},
              {"reason", scenario.reason},
              {"seeds", scenario.seeds},
              {"failing_seeds", scenario.failing_seeds},
              {"warned_seeds", scenario.warned_seeds},
              {"activity", std::move(activity)},
              {"ddi_calls", scenario.activity.ddi_calls},
              {"milliseconds", scenario.milliseconds},
              {"cut_short", scenario.cut_short}};
  if (scenario.faults) out["faults"] = faults_json(*scenario.faults);
  return out;
}

Json not_run_json(const NotRun& left_out) { return {{"what", left_out.what}, {"why", left_out.why}}; }

Json driver_json(const CheckedDriver& driver) {
  Json out = {{"path", driver.path},
              {"kind", driver.kind},
              {"profile", driver.profile},
              {"counts", counts(driver)},
              {"outcomes", outcomes_json(driver)},
              {"scenarios", list(driver.scenarios, scenario_json)},
              {"not_run", list(driver.not_run, not_run_json)}};
  if (driver.faults) out["faults"] = faults_json(*driver.faults);
  return out;
}

Json ranked_json(const RankedFinding& ranked) {
  const Rule& rule = rule_of(ranked.finding);
  Json out = {{"driver", ranked.driver}};
  out.update(to_json_value(ranked.finding));
  out["title"] = rule.title;
  out["class"] = to_string(rule.rule_class);
  out["replay"] = replay_command(ranked.finding.run);
  return out;
}

// A point is a pair of numbers: there are thousands.
Json memory_json(const UseSeries& series) {
  return {
      {"name", series.name}, {"size_bytes", series.size_bytes}, {"points", list(series.points, [](const UsePoint& p) {
                                                                   return Json::array({p.at_ns, p.bytes});
                                                                 })}};
}

Json work_json(const WorkSeries& series) {
  return {{"name", series.name}, {"intervals", list(series.intervals, [](const WorkInterval& i) {
                                    return Json::array({i.from_ns, i.to_ns, i.kind, i.label});
                                  })}};
}

Json charts_json(const Charts& charts) {
  return {{"run", charts.run},
          {"end_ns", charts.end_ns},
          {"memory", list(charts.memory, memory_json)},
          {"work", list(charts.work, work_json)}};
}

}  // namespace

std::string json_report(const Report& report) {
  Json out = {{"schema", kReportSchema},
              {"tool", {{"name", "drydock"}, {"version", report.tool_version}}},
              {"command_line", report.command_line},
              {"counts", counts(report)},
              {"drivers", list(report.drivers, driver_json)},
              {"findings", list(ranked_findings(report), ranked_json)},
              {"charts", list(report.charts, charts_json)}};
  return dump_json(out, 2) + '\n';
}

}  // namespace verifier
