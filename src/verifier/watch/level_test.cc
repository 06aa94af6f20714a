// The class of a rule decides whether breaking it is an error or a warning, and a warning fails nothing, in no form of
// a report. Each test goes over all rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/report/report_html.h"
#include "verifier/report/report_json.h"
#include "verifier/report/report_junit.h"
#include "verifier/report/report_sarif.h"
#include "verifier/watch/verifier.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool is_advice(const Rule& rule) {
  return rule.rule_class == RuleClass::Should || rule.rule_class == RuleClass::Advice;
}

// What a run that broke this rule alone comes to.
Report report_of(const Rule& rule) {
  base::ModuleMap modules;
  Verifier judge({.drivers = {"mill.so"}}, modules);
  judge.reset({"mill.so", "nt/run", 7, "random", "", 0});
  nt::ViolationReport violation;
  violation.what = rule.violation;
  violation.sentence = "it was broken";
  judge.report_violation(violation);
  bool failed = has_error(judge.findings());
  CheckedDriver driver;
  driver.path = "mill.so";
  driver.scenarios = {{.name = "nt/run",
                       .seeds = 1,
                       .failing_seeds = failed,
                       .warned_seeds = !failed,
                       .outcome = failed ? Outcome::Found : Outcome::Passed}};
  driver.findings = judge.findings();
  Report report;
  report.drivers = {driver};
  return report;
}

TEST(Levels, FollowTheClass) {
  size_t warnings = 0;
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    Report report = report_of(rule);
    EXPECT_EQ(report.count(Level::Warning), is_advice(rule) ? 1u : 0u);
    EXPECT_EQ(report.count(Level::Error), is_advice(rule) ? 0u : 1u);
    warnings += is_advice(rule);
  }
  EXPECT_GT(warnings, 10u);
}

TEST(Levels, AWarningEndsNoRun) {
  for (const Rule& rule : all_rules()) EXPECT_TRUE(!is_advice(rule) || rule.then == nt::Then::GoOn) << rule.id;
}

TEST(Levels, AWarningIsNotRedInText) {
  constexpr const char *kRed = "\033[1;31m", *kYellow = "\033[1;33m";
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    std::string text = text_report(report_of(rule), Colour::Yes);
    EXPECT_THAT(text, HasSubstr(std::string(is_advice(rule) ? kYellow : kRed) +
                                (is_advice(rule) ? "warning " : "error ") + rule.id));
    EXPECT_THAT(text, HasSubstr(is_advice(rule) ? "passed: warnings in 1 of 1 seed" : "found: errors in 1 of 1 seed"));
    EXPECT_THAT(text, HasSubstr(is_advice(rule) ? "0 errors, 1 warning" : "1 error, 0 warnings"));
    if (is_advice(rule)) EXPECT_THAT(text, Not(HasSubstr(kRed)));
  }
}

TEST(Levels, AWarningFailsNoTestOfJunit) {
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    std::string xml = junit_report(report_of(rule));
    EXPECT_THAT(xml, HasSubstr(is_advice(rule) ? "failures=\"0\"" : "failures=\"1\""));
    EXPECT_EQ(xml.find("<failure") == std::string::npos, is_advice(rule));
  }
}

TEST(Levels, AWarningIsAWarningInSarif) {
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    auto json = nlohmann::json::parse(sarif_report(report_of(rule)), nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    const char* level = is_advice(rule) ? "warning" : "error";
    EXPECT_EQ(json["runs"][0]["results"][0]["level"], level);
    EXPECT_EQ(json["runs"][0]["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"], level);
  }
}

TEST(Levels, AWarningIsNotRedInHtml) {
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    std::string page = html_report(report_of(rule));
    EXPECT_EQ(page.find("<span class=\"error\">found</span>: errors in 1 of 1 seed") == std::string::npos,
              is_advice(rule));
    EXPECT_EQ(page.find("<span class=\"good\">passed</span>: warnings in 1 of 1 seed") != std::string::npos,
              is_advice(rule));
    auto json = nlohmann::json::parse(json_report(report_of(rule)), nullptr, false);
    EXPECT_EQ(json["counts"]["errors"], is_advice(rule) ? 0 : 1);
  }
}

// What was asked for on the command line outweighs the class.
TEST(Levels, APolicyOutweighsTheClass) {
  for (const Rule& rule : all_rules()) {
    Finding finding = finding_for(rule.violation);
    EXPECT_TRUE(apply(Action::ByClass, finding));
    EXPECT_EQ(finding.level, level_of(rule.rule_class)) << rule.id;
    EXPECT_TRUE(apply(Action::Error, finding));
    EXPECT_EQ(finding.level, Level::Error) << rule.id;
    EXPECT_TRUE(apply(Action::Warn, finding));
    EXPECT_EQ(finding.level, Level::Warning) << rule.id;
    EXPECT_FALSE(apply(Action::Off, finding)) << rule.id;
  }
}

}  // namespace
}  // namespace verifier
