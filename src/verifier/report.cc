#include "verifier/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/check.h"
#include "nt/irql.h"
#include "verifier/finding_json.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

const Rule& rule_of(const Finding& finding) {
  const Rule* rule = find_rule(finding.rule);
  CHECK(rule);  // make_finding and from_json_value see to it
  return *rule;
}

struct Paint {
  const char *red = "", *yellow = "", *bold = "", *dim = "", *off = "";
};
Paint paint(Colour colour) {
  if (colour == Colour::No) return {};
  return {"\033[1;31m", "\033[1;33m", "\033[1m", "\033[2m", "\033[0m"};
}

std::string counted(uint64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// --- Stacks ---

// The compiler's own: calls that instrumentation put into the driver, which its author never wrote.
bool is_instrumentation(const Frame& frame) { return frame.function.starts_with("__"); }

std::string place_of(const Frame& frame) {
  if (frame.module.empty()) return "?";
  if (frame.function.empty()) return base::module_and_offset(frame.module, frame.offset);
  if (!frame.driver) return frame.function;  // where the host's source has it is nobody's concern
  std::string out = frame.function;
  if (frame.inlined) out += " (inlined)";
  if (frame.file.empty()) return fmt::format("{} in {}", out, frame.module);
  return fmt::format("{} at {}:{}", out, frame.file, frame.line);
}

void append_stack(std::string& out, const FrameStack& stack, const Paint& p) {
  out += fmt::format("  {}{}:{}\n", p.dim, stack.role, p.off);
  std::vector<Frame> frames = driver_view(stack.frames);
  if (frames.empty()) out += "    (no code of the driver)\n";
  for (size_t i = 0; i < frames.size(); ++i) out += fmt::format("    #{} {}\n", i, place_of(frames[i]));
}

// --- One finding ---

// Empty when nobody in particular did it: a deadlock, a race.
std::string where_line(const Finding& finding) {
  if (finding.in_call.empty() && finding.thread.empty()) return {};
  std::string out;
  if (!finding.in_call.empty()) out += fmt::format("in {}, ", finding.in_call);
  if (!finding.thread.empty()) out += fmt::format("thread '{}' ({}), ", finding.thread, finding.thread_ordinal);
  return out + "at " + nt::irql_name(finding.irql);
}

std::string seen_line(const Finding& finding, uint64_t runs) {
  std::string out =
      fmt::format("seen in {} of {}, first with --seed {}", finding.runs, counted(runs, "seed"), finding.run.seed);
  if (finding.times > finding.runs) out += fmt::format(" ({} in all)", counted(finding.times, "time"));
  return out;
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

}  // namespace

uint64_t Report::count(Level level) const {
  return static_cast<uint64_t>(std::ranges::count(findings, level, &Finding::level));
}

void sort_worst_first(std::vector<Finding>& findings) {
  auto rank = [](const Finding& finding) {
    const Rule& rule = rule_of(finding);
    return std::tuple(finding.level, rule.then == nt::Then::GoOn, rule.rule_class, &rule - all_rules().data());
  };
  std::ranges::sort(findings, [&](const Finding& a, const Finding& b) {
    auto rank_a = rank(a), rank_b = rank(b);
    if (rank_a != rank_b) return rank_a < rank_b;
    if (a.run != b.run) return a.run < b.run;
    return key_of(a) < key_of(b);
  });
}

std::vector<Frame> driver_view(const std::vector<Frame>& frames) {
  std::vector<Frame> out;
  for (size_t i = 0; i < frames.size(); ++i) {
    bool called_by_driver = i + 1 < frames.size() && frames[i + 1].driver;
    if (frames[i].driver || (called_by_driver && !is_instrumentation(frames[i]))) out.push_back(frames[i]);
  }
  return out;
}

std::string replay_command(const RunContext& run) {
  std::string out = fmt::format("drydock check {} --scenario {} --seed {}", shell_word(run.driver),
                                shell_word(run.scenario), run.seed);
  if (run.processors) out += fmt::format(" --processors {}", run.processors);
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
  for (const FrameStack& stack : finding.stacks) append_stack(out, stack, p);
  out += fmt::format("  {}\n", seen_line(finding, runs));
  out += fmt::format("  replay: {}\n", replay_command(finding.run));
  if (!finding.run.schedule.empty()) out += fmt::format("  schedule: {}\n", finding.run.schedule);
  out += fmt::format("  more: drydock explain {}\n", rule.id);
  return out;
}

std::string text_report(const Report& report, Colour colour) {
  std::vector<Finding> findings = report.findings;
  sort_worst_first(findings);
  std::string out;
  for (const Finding& finding : findings) out += text_finding(finding, report.runs, colour) + '\n';
  out += fmt::format("{}: {}, {} in {} of {}\n", report.driver, counted(report.count(Level::Error), "error"),
                     counted(report.count(Level::Warning), "warning"), counted(report.runs, "run"),
                     counted(report.scenarios.size(), "scenario"));
  return out;
}

std::string json_report(const Report& report) {
  std::vector<Finding> findings = report.findings;
  sort_worst_first(findings);
  auto list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) list.push_back(to_json_value(finding));
  nlohmann::ordered_json out = {
      {"schema_version", kSchemaVersion},
      {"tool", {{"name", "drydock"}, {"version", report.tool_version}}},
      {"driver", report.driver},
      {"scenarios", report.scenarios},
      {"counts",
       {{"runs", report.runs}, {"errors", report.count(Level::Error)}, {"warnings", report.count(Level::Warning)}}},
      {"findings", std::move(list)}};
  return dump_json(out, 2) + '\n';
}

}  // namespace verifier
