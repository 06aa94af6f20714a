#include "verifier/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "verifier/report/report_words.h"

namespace verifier {
namespace {

struct Paint {
  const char *red = "", *yellow = "", *bold = "", *dim = "", *off = "";
};
Paint paint(Colour colour) {
  if (colour == Colour::No) return {};
  return {"\033[1;31m", "\033[1;33m", "\033[1m", "\033[2m", "\033[0m"};
}

// --- Stacks ---

// The compiler's own: calls that instrumentation put into the driver, which its author never wrote.
bool is_instrumentation(const Frame& frame) { return frame.function.starts_with("__"); }

void append_stack(std::string& out, const FrameStack& stack, const Paint& p) {
  out += fmt::format("  {}{}:{}\n", p.dim, stack.role, p.off);
  std::vector<Frame> frames = driver_view(stack.frames);
  if (frames.empty()) out += "    (no code of the driver)\n";
  for (size_t i = 0; i < frames.size(); ++i) out += fmt::format("    #{} {}\n", i, place_of(frames[i]));
}

// In a shell, a word that needs no quotes.
std::string shell_word(const std::string& word) {
  auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./+:=,@%").find(c) != std::string::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// --- What ran ---

std::string heading(const CheckedDriver& driver) {
  std::string out = driver.path;
  if (driver.kind.empty() && driver.profile.empty()) return out;
  const char* comma = driver.kind.empty() || driver.profile.empty() ? "" : ", ";
  return out + fmt::format(" ({}{}{})", driver.kind, comma, driver.profile);
}

void append_scenarios(std::string& out, const CheckedDriver& driver) {
  for (const ScenarioRun& scenario : driver.scenarios) {
    std::string done;
    for (const ActivityCount& one : kActivityCounts) {
      if (uint64_t count = scenario.activity.*one.count) done += fmt::format("{:>9} {}  ", count, one.words);
    }
    if (scenario.milliseconds) done += fmt::format("{:>7} ms  ", scenario.milliseconds);
    out += fmt::format("  {:<24} {:>6} seeds  {}{}\n", scenario.name, scenario.seeds, done, outcome_line(scenario));
    if (scenario.faults) out += fmt::format("  {:<24} {}\n", "", faults_line(*scenario.faults));
  }
}

void append_summary(std::string& out, const CheckedDriver& driver) {
  for (const NotRun& left_out : all_not_run(driver)) out += "could not run: " + not_run_line(left_out) + '\n';
  if (driver.faults) out += faults_line(*driver.faults) + '\n';
  out += fmt::format("{}: {}, {}", driver.path, counted(driver.count(Level::Error), "error"),
                     counted(driver.count(Level::Warning), "warning"));
  if (!driver.scenarios.empty()) {
    out += fmt::format(" in {} of {}: {}", counted(driver.runs(), "run"), counted(driver.scenarios.size(), "scenario"),
                       outcomes_line(driver));
  }
  out += '\n';
}

}  // namespace

uint64_t CheckedDriver::runs() const {
  uint64_t sum = 0;
  for (const ScenarioRun& scenario : scenarios) sum += scenario.seeds;
  return sum;
}

uint64_t CheckedDriver::count(Level level) const {
  return static_cast<uint64_t>(std::ranges::count(findings, level, &Finding::level));
}

uint64_t CheckedDriver::count(Outcome outcome) const {
  return static_cast<uint64_t>(std::ranges::count(scenarios, outcome, &ScenarioRun::outcome));
}

bool CheckedDriver::complete() const {
  return !count(Outcome::Incomplete) && !count(Outcome::OurFault) && std::ranges::all_of(not_run, &NotRun::as_asked);
}

uint64_t Report::runs() const {
  uint64_t sum = 0;
  for (const CheckedDriver& driver : drivers) sum += driver.runs();
  return sum;
}

uint64_t Report::count(Level level) const {
  uint64_t sum = 0;
  for (const CheckedDriver& driver : drivers) sum += driver.count(level);
  return sum;
}

uint64_t Report::count(Outcome outcome) const {
  uint64_t sum = 0;
  for (const CheckedDriver& driver : drivers) sum += driver.count(outcome);
  return sum;
}

bool Report::complete() const { return std::ranges::all_of(drivers, &CheckedDriver::complete); }

bool worse(const Finding& a, const Finding& b) {
  auto rank = [](const Finding& finding) {
    const Rule& rule = rule_of(finding);
    return std::tuple(finding.level, rule.then == nt::Then::GoOn, rule.rule_class, &rule - all_rules().data());
  };
  auto rank_a = rank(a), rank_b = rank(b);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (a.run != b.run) return a.run < b.run;
  return key_of(a) < key_of(b);
}

void sort_worst_first(std::vector<Finding>& findings) { std::ranges::sort(findings, worse); }

std::vector<Frame> driver_view(const std::vector<Frame>& frames) {
  std::vector<Frame> out;
  for (size_t i = 0; i < frames.size(); ++i) {
    bool called_by_driver = i + 1 < frames.size() && frames[i + 1].driver;
    if (frames[i].driver || (called_by_driver && !is_instrumentation(frames[i]))) out.push_back(frames[i]);
  }
  return out;
}

std::vector<const FrameStack*> told_stacks(const Finding& finding) {
  auto empty = [](const FrameStack& stack) { return driver_view(stack.frames).empty(); };
  bool nothing = std::ranges::all_of(finding.stacks, empty);
  std::vector<const FrameStack*> told;
  for (const FrameStack& stack : finding.stacks) {
    if (nothing || stack.role.starts_with("thread '") || !empty(stack)) told.push_back(&stack);
  }
  return told;
}

std::string replay_command(const RunContext& run) {
  if (run.scenario.empty()) return shell_line({"drydock", "check", "--inf", run.driver});  // nothing was run
  std::vector<std::string> words = {
      "drydock", "check", run.driver, "--scenario", run.scenario, "--seed", std::to_string(run.seed)};
  if (run.processors) words.insert(words.end(), {"--processors", std::to_string(run.processors)});
  if (!run.profile.empty()) words.insert(words.end(), {"--profile", run.profile});
  if (run.fault) words.insert(words.end(), {"--fault", std::to_string(run.fault)});
  if (run.hang_edges) words.insert(words.end(), {"--hang-edges", std::to_string(run.hang_edges)});
  return shell_line(words);
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

std::string text_finding(const Finding& finding, uint64_t runs, Colour colour) {
  Paint p = paint(colour);
  const Rule& rule = rule_of(finding);
  const char* level_colour = finding.level == Level::Error ? p.red : p.yellow;
  std::string out = fmt::format("{}{} {}{}: {}{}{} ({})\n", level_colour, to_string(finding.level), rule.id, p.off,
                                p.bold, rule.title, p.off, to_string(rule.rule_class));
  out += fmt::format("  {}\n", finding.sentence);
  if (std::string where = where_line(finding); !where.empty()) out += fmt::format("  {}\n", where);
  if (!finding.call.empty()) out += fmt::format("  call: {}\n", finding.call);
  for (const FrameStack* stack : told_stacks(finding)) append_stack(out, *stack, p);
  if (!finding.history.empty()) out += fmt::format("  {}what came before:{}\n", p.dim, p.off);
  for (const std::string& step : finding.history) out += fmt::format("    {}\n", step);
  out += fmt::format("  {}\n", seen_line(finding, runs));
  out += fmt::format("  replay: {}\n", replay_command(finding.run));
  if (!finding.run.schedule.empty()) out += fmt::format("  schedule: {}\n", finding.run.schedule);
  if (finding.read_next.empty()) out += fmt::format("  more: {}\n", explain_command(rule.id));
  for (const std::string& page : finding.read_next) out += fmt::format("  more: {}\n", page);
  return out;
}

std::string text_report(const Report& report, Colour colour) {
  std::string out;
  for (const CheckedDriver& driver : report.drivers) {
    out += heading(driver) + '\n';
    append_scenarios(out, driver);
  }
  out += '\n';
  for (const RankedFinding& ranked : ranked_findings(report)) {
    out += text_finding(ranked.finding, report.drivers[ranked.driver].runs(), colour) + '\n';
  }
  for (const CheckedDriver& driver : report.drivers) append_summary(out, driver);
  return out;
}

}  // namespace verifier
