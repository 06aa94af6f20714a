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
  std::vector<Finding> errors, warnings;  // worst first
  std::string skipped;                    // why
};

struct Suite {
  std::string name;
  std::vector<Case> cases;

  size_t failures() const {
    return static_cast<size_t>(std::ranges::count_if(cases, [](const Case& c) { return !c.errors.empty(); }));
  }
  size_t skipped() const {
    return static_cast<size_t>(std::ranges::count_if(cases, [](const Case& c) { return !c.skipped.empty(); }));
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
  return at != cases.end()
             ? *at
             : cases.emplace_back(Case{.name = name, .milliseconds = 0, .errors = {}, .warnings = {}, .skipped = {}});
}

Suite suite_of(const CheckedDriver& driver) {
  Suite suite;
  suite.name = driver.profile.empty() ? driver.path : fmt::format("{} ({})", driver.path, driver.profile);
  for (const ScenarioRun& scenario : driver.scenarios) {
    case_named(suite.cases, scenario.name).milliseconds = scenario.milliseconds;
  }
  std::vector<Finding> findings = driver.findings;
  sort_worst_first(findings);
  for (Finding& finding : findings) {
    Case& one = case_named(suite.cases, finding.run.scenario);
    (finding.level == Level::Error ? one.errors : one.warnings).push_back(std::move(finding));
  }
  for (const NotRun& left_out : driver.not_run) {
    Case& skipped = suite.cases.emplace_back();
    skipped.name = left_out.what.empty() ? "the whole check" : left_out.what;
    skipped.skipped = left_out.why;
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
  if (!one.skipped.empty()) inside += fmt::format("      <skipped message=\"{}\"/>\n", escaped(one.skipped));
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

std::string counts_xml(size_t tests, size_t failures, size_t skipped, uint64_t milliseconds) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\"", tests, failures, skipped,
                     seconds(milliseconds));
}

std::string suite_xml(const Suite& suite, const CheckedDriver& driver) {
  std::string out =
      fmt::format("  <testsuite name=\"{}\" {}>\n", escaped(suite.name),
                  counts_xml(suite.cases.size(), suite.failures(), suite.skipped(), suite.milliseconds()));
  for (const Case& one : suite.cases) out += case_xml(one, suite, driver.runs());
  return out + "  </testsuite>\n";
}

}  // namespace

std::string junit_report(const Report& report) {
  size_t tests = 0, failures = 0, skipped = 0;
  uint64_t milliseconds = 0;
  std::string suites;
  for (const CheckedDriver& driver : report.drivers) {
    Suite suite = suite_of(driver);
    tests += suite.cases.size();
    failures += suite.failures();
    skipped += suite.skipped();
    milliseconds += suite.milliseconds();
    suites += suite_xml(suite, driver);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"drydock\" {}>\n{}</testsuites>\n",
                     counts_xml(tests, failures, skipped, milliseconds), suites);
}

}  // namespace verifier
