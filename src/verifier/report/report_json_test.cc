#include "verifier/report/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/finding/finding_json.h"
#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(const Report& report) {
  Json json = Json::parse(json_report(report), nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  return json;
}

TEST(JsonReport, HoldsTheWholeCheck) {
  Json json = parsed(full_report());
  EXPECT_EQ(json["schema"], "drydock-report/1");
  EXPECT_EQ(json["tool"], (Json{{"name", "drydock"}, {"version", "1.2.3"}}));
  EXPECT_EQ(json["command_line"], "drydock check build/mill.so 'my gpu.so' --report r.html");
  EXPECT_EQ(json["counts"], (Json{{"runs", 144}, {"errors", 2}, {"warnings", 0}}));
  ASSERT_EQ(json["drivers"].size(), 2u);
  const Json& gpu = json["drivers"][1];
  EXPECT_EQ(gpu["path"], "my gpu.so");
  EXPECT_EQ(gpu["kind"], "kernel-mode display driver");
  EXPECT_EQ(gpu["profile"], "WDDM 2.0");
  EXPECT_EQ(gpu["counts"], (Json{{"runs", 80}, {"errors", 0}, {"warnings", 0}}));
  EXPECT_EQ(gpu["faults"], (Json{{"injected", 17}, {"untried", 2}}));
  const Json activity = {{"ddi_calls", 1234}, {"requests", 0}, {"submissions", 0}, {"frames", 0}};
  EXPECT_EQ(gpu["outcomes"], (Json{{"passed", 2}, {"found", 0}, {"skipped", 0}, {"incomplete", 0}, {"our fault", 0}}));
  EXPECT_EQ(gpu["scenarios"][0], (Json{{"name", "vidmm/pressure"},
                                       {"outcome", "passed"},
                                       {"reason", ""},
                                       {"seeds", 40},
                                       {"failing_seeds", 0},
                                       {"warned_seeds", 0},
                                       {"activity", activity},
                                       {"ddi_calls", 1234},
                                       {"milliseconds", 300},
                                       {"cut_short", false}}));
  EXPECT_FALSE(json["drivers"][0].contains("faults")) << "none were asked for";
  EXPECT_EQ(json["drivers"][0]["not_run"][0]["what"], "nt/power");
}

TEST(JsonReport, FindingsOfAllDriversWorstFirst) {
  Report report = full_report();
  Finding crash = sample_leak();
  crash.rule = "NT-CRASH-01";
  report.drivers[1].findings = {crash};
  Json json = parsed(report);
  ASSERT_EQ(json["findings"].size(), 3u);
  EXPECT_EQ(json["findings"][1]["rule"], "NT-CRASH-01");
  EXPECT_EQ(json["findings"][1]["driver"], 1);
  EXPECT_EQ(json["findings"][2]["rule"], "NT-LEAK-01");
  const Json& wait = json["findings"][0];
  EXPECT_EQ(wait["driver"], 0);
  EXPECT_EQ(wait["title"], "wait at DISPATCH_LEVEL or above");
  EXPECT_EQ(wait["class"], "must");
  EXPECT_EQ(wait["replay"], "drydock check build/mill.so --scenario load --seed 7");
}

TEST(JsonReport, AFindingReadsBack) {
  Report report = full_report();
  auto worst = from_json_value(parsed(report)["findings"][0]);
  ASSERT_TRUE(worst.ok()) << worst.error();
  EXPECT_EQ(worst.value(), report.drivers[0].findings[1]);
}

TEST(JsonReport, ChartsAreListsOfNumbers) {
  Json charts = parsed(full_report())["charts"][0];
  EXPECT_EQ(charts["run"], "gpu.so, vidmm/pressure --seed 0");
  EXPECT_EQ(charts["end_ns"], 1'000'000);
  EXPECT_EQ(charts["memory"][0]["size_bytes"], 64 << 20);
  EXPECT_EQ(charts["memory"][0]["points"][1], Json::array({100'000, 8 << 20}));
  EXPECT_EQ(charts["work"][0]["intervals"][1], Json::array({400'000, 500'000, "paging", "fence 2"}));
}

TEST(JsonReport, EqualForEqualReports) { EXPECT_EQ(json_report(full_report()), json_report(full_report())); }

}  // namespace
}  // namespace verifier
