#include "verifier/report/report_html.h"

#include <fmt/format.h>

#include "verifier/report/report_escape.h"
#include "verifier/report/report_style.h"
#include "verifier/report/report_svg.h"
#include "verifier/report/report_words.h"

namespace verifier {
namespace {

// --- Elements ---

std::string element(const char* tag, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", tag, escaped(text));
}

std::string row(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(text));
}

std::string block(const char* heading, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return element("h4", heading) + fmt::format("\n<pre>{}</pre>\n", escaped(text));
}

std::string page_link(const std::string& page) {
  bool address = page.starts_with("https://") || page.starts_with("http://");
  if (!address) return fmt::format("<li>{}</li>\n", element("code", page));
  return fmt::format("<li><a href=\"{0}\">{0}</a></li>\n", escaped(page));
}

// --- Findings ---

std::string stack_html(const FrameStack& stack) {
  std::vector<std::string> lines;
  std::vector<Frame> frames = driver_view(stack.frames);
  for (size_t i = 0; i < frames.size(); ++i) lines.push_back(fmt::format("#{} {}", i, place_of(frames[i])));
  if (lines.empty()) lines.push_back("(no code of the driver)");
  return block(stack.role.c_str(), lines);
}

std::string finding_html(const RankedFinding& ranked, const CheckedDriver& driver, bool open) {
  const Finding& finding = ranked.finding;
  const Rule& rule = rule_of(finding);
  const char* level = to_string(finding.level);
  std::string out = fmt::format("<details class=\"finding is-{}\"{}>\n", level, open ? " open" : "");
  out += fmt::format(
      "<summary><span class=\"{}\">{}</span> <span class=\"rule\">{}</span> {} <span class=\"quiet\">{}"
      "</span></summary>\n",
      level, level, rule.id, escaped(rule.title), escaped(driver.path));
  out += fmt::format("<p class=\"sentence\">{}</p>\n<dl>\n", escaped(finding.sentence));
  out += row("call", finding.call) + row("where", where_line(finding));
  out += row("seen", seen_line(finding, driver.runs())) + row("schedule", finding.run.schedule);
  out += row("rule", fmt::format("{} ({})", rule.requirement, to_string(rule.rule_class)));
  out += "</dl>\n";
  for (const FrameStack* stack : told_stacks(finding)) out += stack_html(*stack);
  if (!finding.history.empty()) out += block("what came before, oldest first", finding.history);
  out += block("to see it again", {replay_command(finding.run)});
  out += element("h4", "what to read next") + "\n<ul>\n";
  for (const std::string& page : finding.read_next.empty() ? read_next(rule) : finding.read_next) {
    out += page_link(page);
  }
  return out + "</ul>\n</details>\n";
}

std::string findings_html(const Report& report) {
  std::string out = "<section id=\"findings\">\n<h2>What was found</h2>\n";
  std::vector<RankedFinding> findings = ranked_findings(report);
  if (findings.empty()) return out + "<p>Nothing.</p>\n</section>\n";
  constexpr size_t kOpen = 3;  // the worst are read without a click
  for (size_t i = 0; i < findings.size(); ++i) {
    out += finding_html(findings[i], report.drivers[findings[i].driver], i < kOpen);
  }
  return out + "</section>\n";
}

// --- What ran ---

const char* style_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "good";
    case Outcome::Skipped:
      return "quiet";
    case Outcome::Incomplete:
      return "warning";
    case Outcome::Found:
    case Outcome::OurFault:
      return "error";
  }
  return "";
}

std::string scenario_html(const ScenarioRun& scenario) {
  std::string out = fmt::format("<tr><td>{}</td><td class=\"number\">{}</td>", escaped(scenario.name), scenario.seeds);
  for (const ActivityCount& one : kActivityCounts) {
    out += fmt::format("<td class=\"number\">{}</td>", scenario.activity.*one.count);
  }
  const std::string detail = outcome_detail(scenario);
  const std::string faults = scenario.faults ? "; " + faults_line(*scenario.faults) : "";
  return out + fmt::format("<td class=\"number\">{}</td><td><span class=\"{}\">{}</span>{}{}{}</td></tr>\n",
                           scenario.milliseconds ? std::to_string(scenario.milliseconds) : "",
                           style_of(scenario.outcome), to_string(scenario.outcome), detail.empty() ? "" : ": ",
                           escaped(detail), escaped(faults));
}

std::string driver_html(const CheckedDriver& driver) {
  std::string out = element("h3", driver.path);
  std::string about = driver.kind;
  if (!driver.profile.empty()) about += (about.empty() ? "" : ", ") + driver.profile;
  out += fmt::format("\n<p class=\"quiet\">{}</p>\n", escaped(about));
  if (!driver.scenarios.empty()) out += fmt::format("<p>{}</p>\n", outcomes_line(driver));
  out += "<div class=\"wide\"><table>\n<tr><th>scenario</th><th class=\"number\">seeds</th>";
  for (const ActivityCount& one : kActivityCounts) out += fmt::format("<th class=\"number\">{}</th>", one.words);
  out += "<th class=\"number\">ms</th><th>outcome</th></tr>\n";
  for (const ScenarioRun& scenario : driver.scenarios) out += scenario_html(scenario);
  out += "</table></div>\n";
  if (driver.faults) out += element("p", faults_line(*driver.faults)) + '\n';
  const std::vector<NotRun> not_run = all_not_run(driver);
  if (!not_run.empty()) out += "<h4>What could not run</h4>\n<ul>\n";
  for (const NotRun& left_out : not_run) out += element("li", not_run_line(left_out)) + '\n';
  return not_run.empty() ? out : out + "</ul>\n";
}

std::string ran_html(const Report& report) {
  std::string out = "<section id=\"ran\">\n<h2>What ran</h2>\n";
  for (const CheckedDriver& driver : report.drivers) out += driver_html(driver);
  return out + "</section>\n";
}

// --- Charts ---

std::string charts_html(const Report& report) {
  std::string out;
  for (const Charts& charts : report.charts) {
    if (charts.empty()) continue;
    out += element("h3", charts.run) + '\n';
    if (!charts.memory.empty()) out += "<h4>memory in use, per segment</h4>\n" + memory_svg(charts);
    if (!charts.work.empty()) out += "<h4>work, per node</h4>\n" + work_svg(charts);
  }
  return out.empty() ? out : "<section id=\"charts\">\n<h2>Memory and work over time</h2>\n" + out + "</section>\n";
}

// --- The page ---

std::string verdict(const Report& report) {
  uint64_t errors = report.count(Level::Error), warnings = report.count(Level::Warning);
  if (errors) return counted(errors, "error") + (warnings ? ", " + counted(warnings, "warning") : "");
  if (warnings) return counted(warnings, "warning");
  return report.complete() ? "Nothing found" : "Nothing found, but the check is incomplete";
}

std::string count_html(const char* style, uint64_t n, const char* what) {
  return fmt::format("<li><b class=\"{}\">{}</b>{}</li>\n", n ? style : "", n, what);
}

std::string summary_html(const Report& report) {
  size_t not_run = 0;
  for (const CheckedDriver& driver : report.drivers) not_run += all_not_run(driver).size();
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"quiet\">Drydock {}</p>\n", verdict(report),
                                escaped(report.tool_version));
  if (!report.command_line.empty()) out += fmt::format("<pre>{}</pre>\n", escaped(report.command_line));
  out += "<ul class=\"counts\">\n" + count_html("error", report.count(Level::Error), "errors") +
         count_html("warning", report.count(Level::Warning), "warnings") +
         count_html("", report.drivers.size(), "drivers") + count_html("", report.runs(), "runs") +
         count_html("warning", not_run, "could not run");
  return out + "</ul>\n</header>\n";
}

}  // namespace

std::string html_report(const Report& report) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Drydock: {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}{}{}{}</main>\n</body>\n</html>\n",
      escaped(verdict(report)), kReportStyle, summary_html(report), findings_html(report), ran_html(report),
      charts_html(report));
}

}  // namespace verifier
