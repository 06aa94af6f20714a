#include "verifier/report/report_sarif.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "verifier/finding/finding_json.h"
#include "verifier/report/report_words.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
// Where the rules come from.
constexpr const char* kInformation = "https://learn.microsoft.com/windows-hardware/drivers/";

Json text(const std::string& sentence) { return {{"text", sentence}}; }

// --- Places ---

// RFC 3986: what is neither unreserved nor a separator of a path is written as its bytes.
std::string uri_of(const std::string& path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-._~").find(c) != std::string::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// A file of the driver's author; one that is not absolute lies below the root of the sources.
Json artifact(const std::string& path) {
  Json out = {{"uri", uri_of(path)}};
  if (!path.starts_with('/')) out["uriBaseId"] = "%SRCROOT%";
  return out;
}

Json frame_location(const Frame& frame) {
  Json out = Json::object();
  if (frame.driver && !frame.file.empty()) {
    out["physicalLocation"] = {{"artifactLocation", artifact(frame.file)}};
    if (frame.line) out["physicalLocation"]["region"] = {{"startLine", frame.line}};
  }
  std::string name = frame.function.empty() ? base::module_and_offset(frame.module, frame.offset) : frame.function;
  out["logicalLocations"] = Json::array({{{"fullyQualifiedName", name}}});
  return out;
}

// Where the finding is shown: the driver's innermost frame, or the driver as a whole.
Json location(const Finding& finding) {
  const Frame* place = nullptr;
  for (const FrameStack& stack : finding.stacks) {
    for (const Frame& frame : stack.frames) {
      if (frame.driver && !frame.file.empty()) return frame_location(frame);
      if (frame.driver && !place) place = &frame;
    }
  }
  Json out = place ? frame_location(*place) : Json::object();
  out["physicalLocation"] = {{"artifactLocation", artifact(finding.run.driver)}};
  return out;
}

Json stack_json(const FrameStack& stack) {
  Json frames = Json::array();
  for (const Frame& frame : driver_view(stack.frames)) {
    Json one = {{"location", frame_location(frame)}};
    if (!frame.module.empty()) one["module"] = frame.module;
    frames.push_back(std::move(one));
  }
  return {{"message", text(stack.role)}, {"frames", std::move(frames)}};
}

// --- Rules ---

Json rule_json(const Rule& rule) {
  Json pages = Json::array();
  for (const char* page : rule.pages) {
    if (page) pages.push_back(page_address(page));
  }
  return {{"id", rule.id},
          {"shortDescription", text(rule.title)},
          {"fullDescription", text(rule.requirement)},
          {"helpUri", pages.empty() ? Json(kInformation) : pages[0]},
          {"help", text(explain(rule))},
          {"defaultConfiguration", {{"level", to_string(level_of(rule.rule_class))}}},
          {"properties", {{"class", to_string(rule.rule_class)}, {"windows", rule.windows}, {"pages", pages}}}};
}

// The rules that were broken, in the order of rules.def.
class RuleTable {
 public:
  explicit RuleTable(const std::vector<RankedFinding>& findings) {
    for (const RankedFinding& ranked : findings) indices_[&rule_of(ranked.finding)] = 0;
    for (auto& [rule, index] : indices_) {
      index = json_.size();
      json_.push_back(rule_json(*rule));
    }
  }
  size_t index_of(const Rule& rule) const { return indices_.at(&rule); }
  const Json& json() const { return json_; }

 private:
  std::map<const Rule*, size_t> indices_;  // all lie in one array
  Json json_ = Json::array();
};

// --- Results ---

// FNV-1a: short, and the same everywhere.
std::string fingerprint(const std::string& key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

Json result_json(const RankedFinding& ranked, const CheckedDriver& driver, const RuleTable& rules) {
  const Finding& finding = ranked.finding;
  Json stacks = Json::array();
  for (const FrameStack& stack : finding.stacks) stacks.push_back(stack_json(stack));
  Json out = {{"ruleId", finding.rule},
              {"ruleIndex", rules.index_of(rule_of(finding))},
              {"level", to_string(finding.level)},
              {"message", text(finding.sentence)},
              {"locations", Json::array({location(finding)})},
              {"partialFingerprints", {{"drydockFinding/v1", fingerprint(key_of(finding))}}},
              {"occurrenceCount", finding.times}};
  if (!stacks.empty()) out["stacks"] = std::move(stacks);
  out["properties"] = {{"driver", driver.path},
                       {"profile", driver.profile},
                       {"scenario", finding.run.scenario},
                       {"seed", finding.run.seed},
                       {"replay", replay_command(finding.run)},
                       {"where", where_line(finding)},
                       {"call", finding.call},
                       {"history", finding.history},
                       {"readNext", finding.read_next}};
  return out;
}

// One that ended as it should is told by the absence of a notification.
void append_outcome(Json& notes, const CheckedDriver& driver, const ScenarioRun& scenario) {
  const char* level = scenario.outcome == Outcome::Skipped      ? "note"
                      : scenario.outcome == Outcome::Incomplete ? "warning"
                      : scenario.outcome == Outcome::OurFault   ? "error"
                                                                : nullptr;
  if (!level) return;
  notes.push_back({{"level", level},
                   {"message", text(fmt::format("{}: {} {}", driver.path, scenario.name, outcome_line(scenario)))},
                   {"properties",
                    {{"driver", driver.path},
                     {"scenario", scenario.name},
                     {"outcome", to_string(scenario.outcome)},
                     {"reason", scenario.reason}}}});
}

// Of every scenario: SARIF has no place of its own for it.
Json scenarios_json(const Report& report) {
  Json out = Json::array();
  for (const CheckedDriver& driver : report.drivers) {
    for (const ScenarioRun& scenario : driver.scenarios) {
      Json one = {{"driver", driver.path},
                  {"scenario", scenario.name},
                  {"outcome", to_string(scenario.outcome)},
                  {"seeds", scenario.seeds}};
      for (const ActivityCount& count : kActivityCounts) one[count.key] = scenario.activity.*count.count;
      out.push_back(std::move(one));
    }
  }
  return out;
}

Json invocation(const Report& report) {
  Json notes = Json::array();
  for (const CheckedDriver& driver : report.drivers) {
    for (const NotRun& left_out : driver.not_run) {
      notes.push_back({{"level", left_out.as_asked ? "note" : "warning"},
                       {"message", text(fmt::format("{}: could not run {}", driver.path, not_run_line(left_out)))}});
    }
    for (const ScenarioRun& scenario : driver.scenarios) append_outcome(notes, driver, scenario);
  }
  Json out = {{"executionSuccessful", report.complete()}, {"toolExecutionNotifications", std::move(notes)}};
  if (!report.command_line.empty()) out["commandLine"] = report.command_line;
  out["properties"] = {{"scenarios", scenarios_json(report)}};
  return out;
}

}  // namespace

std::string sarif_report(const Report& report) {
  std::vector<RankedFinding> findings = ranked_findings(report);
  RuleTable rules(findings);
  Json results = Json::array();
  for (const RankedFinding& ranked : findings) {
    results.push_back(result_json(ranked, report.drivers[ranked.driver], rules));
  }
  Json driver = {{"name", "Drydock"},
                 {"version", report.tool_version},
                 {"semanticVersion", report.tool_version},
                 {"informationUri", kInformation},
                 {"rules", rules.json()}};
  Json run = {{"tool", {{"driver", std::move(driver)}}},
              {"invocations", Json::array({invocation(report)})},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  return dump_json({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}}, 2) + '\n';
}

}  // namespace verifier
