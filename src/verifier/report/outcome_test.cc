// The outcomes of scenarios are the same in every form of a report: each form is read back here.
#include "verifier/report/outcome.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "verifier/report/report_html.h"
#include "verifier/report/report_json.h"
#include "verifier/report/report_junit.h"
#include "verifier/report/report_sarif.h"
#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;
using Outcomes = std::map<std::string, std::string>;  // scenario -> outcome

// Every match of a pattern with the scenario's name in the first group and its outcome in the second.
Outcomes matches(const std::string& text, const std::string& pattern) {
  Outcomes outcomes;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) outcomes[(*at)[1]] = (*at)[2];
  return outcomes;
}

Outcomes of_text(const Report& report) {
  return matches(text_report(report, Colour::No),
                 "  (nt/[a-z-]+) +[0-9]+ seeds  .*?(passed|found|skipped|incomplete|our fault)");
}

Outcomes of_json(const Report& report) {
  Outcomes outcomes;
  const Json json = Json::parse(json_report(report));
  for (const Json& scenario : json["drivers"][0]["scenarios"]) outcomes[scenario["name"]] = scenario["outcome"];
  return outcomes;
}

Outcomes of_junit(const Report& report) {
  Outcomes outcomes;
  for (const auto& [name, inside] :
       matches(junit_report(report),
               "<testcase [^>]*name=\"([^\"]+)\"[^>]*?(/>|>\\s*<[a-z]+ type=\"[^\"]+\"|>\\s*<[a-z]+)")) {
    outcomes[name] = inside == "/>"                                       ? "passed"
                     : inside.find("<skipped") != std::string::npos       ? "skipped"
                     : inside.find("<failure") != std::string::npos       ? "found"
                     : inside.find("\"incomplete\"") != std::string::npos ? "incomplete"
                     : inside.find("\"our fault\"") != std::string::npos  ? "our fault"
                                                                          : inside;
  }
  return outcomes;
}

Outcomes of_sarif(const Report& report) {
  Outcomes outcomes;
  const Json invocation = Json::parse(sarif_report(report))["runs"][0]["invocations"][0];
  for (const Json& scenario : invocation["properties"]["scenarios"]) {
    outcomes[scenario["scenario"]] = scenario["outcome"];
  }
  for (const Json& note : invocation["toolExecutionNotifications"]) {
    EXPECT_EQ(outcomes[note["properties"]["scenario"]], note["properties"]["outcome"]);
  }
  return outcomes;
}

Outcomes of_html(const Report& report) {
  return matches(html_report(report), "<tr><td>(nt/[a-z-]+)</td>.*<td><span class=\"[a-z]+\">([a-z ]+)</span>");
}

TEST(Outcomes, AreTheSameInEveryForm) {
  const Report report = report_of_all_outcomes();
  Outcomes expected;
  for (const ScenarioRun& scenario : report.drivers[0].scenarios) {
    expected[scenario.name] = to_string(scenario.outcome);
  }
  ASSERT_EQ(expected.size(), 6u);
  EXPECT_EQ(of_text(report), expected);
  EXPECT_EQ(of_json(report), expected);
  EXPECT_EQ(of_junit(report), expected);
  EXPECT_EQ(of_sarif(report), expected);
  EXPECT_EQ(of_html(report), expected);
}

TEST(Outcomes, AreAllListed) {
  EXPECT_EQ(std::size(kOutcomes), 5u);
  for (Outcome outcome : kOutcomes) EXPECT_STRNE(to_string(outcome), "?");
}

TEST(Activity, IsAddedCountByCount) {
  Activity sum{.ddi_calls = 1, .requests = 2, .submissions = 3, .frames = 4};
  sum += {.ddi_calls = 10, .requests = 20, .submissions = 30, .frames = 40};
  EXPECT_EQ(sum, (Activity{.ddi_calls = 11, .requests = 22, .submissions = 33, .frames = 44}));
}

}  // namespace
}  // namespace verifier
