#include "verifier/report/report_sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

Json run_of(const Report& report) {
  Json json = Json::parse(sarif_report(report), nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  return json["runs"][0];
}

Json first_result(const Finding& finding) {
  Report report = sample_report();
  report.drivers[0].findings = {finding};
  return run_of(report)["results"][0];
}

TEST(SarifReport, NamesToolAndRules) {
  Json driver = run_of(full_report())["tool"]["driver"];
  EXPECT_EQ(driver["name"], "Drydock");
  EXPECT_EQ(driver["version"], "1.2.3");
  ASSERT_EQ(driver["rules"].size(), 2u) << "those that were broken";
  const Json& rule = driver["rules"][0];
  EXPECT_EQ(rule["id"], "NT-IRQL-03");
  EXPECT_EQ(rule["shortDescription"]["text"], "wait at DISPATCH_LEVEL or above");
  EXPECT_EQ(rule["defaultConfiguration"]["level"], "error");
  EXPECT_EQ(rule["properties"]["class"], "must");
  EXPECT_TRUE(rule["helpUri"].get<std::string>().starts_with("https://learn.microsoft.com/")) << rule["helpUri"];
}

TEST(SarifReport, AResultIsAtTheDriversInnermostFrame) {
  Json result = run_of(full_report())["results"][0];
  EXPECT_EQ(result["ruleId"], "NT-IRQL-03");
  EXPECT_EQ(result["ruleIndex"], 0);
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["message"]["text"], "KeWaitForSingleObject at DISPATCH_LEVEL may block");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"], (Json{{"uri", "src/mill.c"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(place["region"]["startLine"], 31);
  EXPECT_EQ(result["properties"]["seed"], 7);
  EXPECT_EQ(result["properties"]["replay"], "drydock check build/mill.so --scenario load --seed 7");
  ASSERT_EQ(result["stacks"].size(), 1u);
  EXPECT_EQ(result["stacks"][0]["message"]["text"], "here");
  EXPECT_EQ(result["stacks"][0]["frames"].size(), 4u);
}

TEST(SarifReport, AbsoluteAndOddPathsAreUris) {
  Finding finding = named_sample();
  finding.stacks[0].frames[1].file = "/home/me/my driver/mill#1.c";
  Json place = first_result(finding)["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(place, (Json{{"uri", "file:///home/me/my%20driver/mill%231.c"}}));
}

TEST(SarifReport, WithoutSourcesTheDriverIsThePlace) {
  Json result = first_result(sample_finding());
  const Json& place = result["locations"][0];
  EXPECT_EQ(place["physicalLocation"]["artifactLocation"]["uri"], "build/mill.so");
  EXPECT_EQ(place["logicalLocations"][0]["fullyQualifiedName"], "mill.so+0x1f40");
}

TEST(SarifReport, FingerprintsAreEqualForWhatIsOneFinding) {
  Finding other_seed = named_sample(), other_place = named_sample();
  other_seed.run.seed = 99;
  other_place.stacks[0].frames[1].offset += 16;
  auto print = [](const Finding& finding) { return first_result(finding)["partialFingerprints"]; };
  EXPECT_EQ(print(named_sample()), print(other_seed));
  EXPECT_NE(print(named_sample()), print(other_place));
}

TEST(SarifReport, TellsWhatCouldNotRun) {
  Json invocation = run_of(full_report())["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  ASSERT_EQ(invocation["toolExecutionNotifications"].size(), 1u);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"],
            "build/mill.so: could not run nt/power: the driver has no <power> routine");
}

TEST(SarifReport, TheExecutionIsSuccessfulWhenEverythingWasTried) {
  EXPECT_EQ(run_of(sample_report())["invocations"][0]["executionSuccessful"], true);
  Report report = sample_report();
  report.drivers[0].scenarios[0].outcome = Outcome::Incomplete;
  EXPECT_EQ(run_of(report)["invocations"][0]["executionSuccessful"], false);
}

TEST(SarifReport, NothingFoundIsAnEmptyList) {
  Json run = run_of({});
  EXPECT_EQ(run["results"], Json::array());
  EXPECT_EQ(run["tool"]["driver"]["rules"], Json::array());
}

TEST(SarifReport, EqualForEqualReports) { EXPECT_EQ(sarif_report(full_report()), sarif_report(full_report())); }

}  // namespace
}  // namespace verifier
