#include "verifier/report/report_junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/report/report_escape.h"
#include "verifier/report/report_words.h"

namespace verifier {
namespace {

struct Case {
  std::string name;
  uint64_t milliseconds = 0;
  std::vector<Finding> errors = {}, warnings = {};  // worst first
  Outcome outcome = Outcome::Passed;
  std::string detail = {};  // of the outcome
};

struct Suite {
  std::string name;
  std::vector<Case> cases;

  size_t count(Outcome outcome) const {
    return static_cast<size_t>(std::ranges::count(cases, outcome, &Case::outcome));
  }
  uint64_t milliseconds() const {
    uint64_t sum = 0;
    for (const Case& one : cases) sum += one.milliseconds;
    return sum;
  }
};

// A finding may come from something that was no scenario: it makes a case of its own.
Case& case_named(std::vector<Case>& cases, const std::string& name) {
  auto at = std::ranges::find(cases, name, &Case::name);
  return at != cases.end() ? *at : cases.emplace_back(Case{.name = name});
}

Suite suite_of(const CheckedDriver& driver) {
  Suite suite;
  suite.name = driver.profile.empty() ? driver.path : fmt::format("{} ({})", driver.path, driver.profile);
  for (const ScenarioRun& scenario : driver.scenarios) {
    suite.cases.push_back({.name = scenario.name,
                           .milliseconds = scenario.milliseconds,
                           .outcome = scenario.outcome,
                           .detail = outcome_detail(scenario)});
  }
  std::vector<Finding> findings = driver.findings;
  sort_worst_first(findings);
  for (Finding& finding : findings) {
    Case& one = case_named(suite.cases, finding.run.scenario);
    if (finding.level == Level::Error && one.outcome != Outcome::OurFault) one.outcome = Outcome::Found;
    (finding.level == Level::Error ? one.errors : one.warnings).push_back(std::move(finding));
  }
  for (const NotRun& left_out : driver.not_run) {
    suite.cases.push_back({.name = left_out.what.empty() ? "the whole check" : left_out.what,
                           .outcome = left_out.as_asked ? Outcome::Skipped : Outcome::Incomplete,
                           .detail = left_out.why});
  }
  return suite;
}

std::string seconds(uint64_t milliseconds) { return fmt::format("{}.{:03}", milliseconds / 1000, milliseconds % 1000); }

std::string texts(const std::vector<Finding>& findings, uint64_t runs) {
  std::string out;
  for (const Finding& finding : findings) out += (out.empty() ? "" : "\n") + text_finding(finding, runs, Colour::No);
  return escaped(out);
}

std::string case_xml(const Case& one, const Suite& suite, uint64_t runs) {
  std::string inside;
  if (one.outcome == Outcome::Skipped) {
    inside += fmt::format("      <skipped message=\"{}\"/>\n", escaped(one.detail));
  }
  if (one.outcome == Outcome::Incomplete || one.outcome == Outcome::OurFault) {
    inside += fmt::format("      <error type=\"{}\" message=\"{}\"/>\n", to_string(one.outcome), escaped(one.detail));
  }
  // What another scenario showed first is told there.
  if (one.outcome == Outcome::Found && one.errors.empty()) {
    inside += fmt::format("      <failure type=\"found\" message=\"{}\"/>\n", escaped(one.detail));
  }
  if (!one.errors.empty()) {
    const Finding& worst = one.errors.front();
    std::string message = fmt::format("{}: {}", worst.rule, worst.sentence);
    if (one.errors.size() > 1) message += fmt::format(" (and {} more)", one.errors.size() - 1);
    inside += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", escaped(worst.rule),
                          escaped(message), texts(one.errors, runs));
  }
  if (!one.warnings.empty()) inside += fmt::format("      <system-out>{}</system-out>\n", texts(one.warnings, runs));
  std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"", escaped(suite.name),
                                 escaped(one.name), seconds(one.milliseconds));
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
}

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  uint64_t milliseconds = 0;

  void add(const Suite& suite) {
    tests += suite.cases.size();
    failures += suite.count(Outcome::Found);
    errors += suite.count(Outcome::Incomplete) + suite.count(Outcome::OurFault);
    skipped += suite.count(Outcome::Skipped);
    milliseconds += suite.milliseconds();
  }
};

std::string counts_xml(const Counts& counts) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"", counts.tests,
                     counts.failures, counts.errors, counts.skipped, seconds(counts.milliseconds));
}

std::string suite_xml(const Suite& suite, const CheckedDriver& driver) {
  Counts counts;
  counts.add(suite);
  std::string out = fmt::format("  <testsuite name=\"{}\" {}>\n", escaped(suite.name), counts_xml(counts));
  for (const Case& one : suite.cases) out += case_xml(one, suite, driver.runs());
  return out + "  </testsuite>\n";
}

}  // namespace

std::string junit_report(const Report& report) {
  Counts counts;
  std::string suites;
  for (const CheckedDriver& driver : report.drivers) {
    Suite suite = suite_of(driver);
    counts.add(suite);
    suites += suite_xml(suite, driver);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"drydock\" {}>\n{}</testsuites>\n",
                     counts_xml(counts), suites);
}

}  // namespace verifier
