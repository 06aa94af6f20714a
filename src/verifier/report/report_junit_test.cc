#include "verifier/report/report_junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(JunitReport, Golden) {
  Report report = full_report();
  report.drivers[0].findings.clear();
  report.drivers[0].scenarios[0].outcome = Outcome::Passed;
  EXPECT_EQ(junit_report(report), R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="drydock" tests="4" failures="0" errors="1" skipped="0" time="1.610">
  <testsuite name="build/mill.so" tests="2" failures="0" errors="1" skipped="0" time="1.250">
    <testcase classname="build/mill.so" name="load" time="1.250"/>
    <testcase classname="build/mill.so" name="nt/power" time="0.000">
      <error type="incomplete" message="the driver has no &lt;power&gt; routine"/>
    </testcase>
  </testsuite>
  <testsuite name="my gpu.so (WDDM 2.0)" tests="2" failures="0" errors="0" skipped="0" time="0.360">
    <testcase classname="my gpu.so (WDDM 2.0)" name="vidmm/pressure" time="0.300"/>
    <testcase classname="my gpu.so (WDDM 2.0)" name="vidsch/preemption" time="0.060"/>
  </testsuite>
</testsuites>
)xml");
}

TEST(JunitReport, AScenarioFailsOnceWithAllItsErrors) {
  std::string xml = junit_report(full_report());
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"build/mill.so\" tests=\"2\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"NT-IRQL-03\" message=\"NT-IRQL-03: KeWaitForSingleObject at "
                             "DISPATCH_LEVEL may block (and 1 more)\">error NT-IRQL-03: "));
  EXPECT_THAT(xml, HasSubstr("\nerror NT-LEAK-01: something obtained was never given back (must)\n"));
}

TEST(JunitReport, WarningsDoNotFail) {
  Report report = sample_report();
  for (Finding& finding : report.drivers[0].findings) finding.level = Level::Warning;
  report.drivers[0].scenarios[0].outcome = Outcome::Passed;
  std::string xml = junit_report(report);
  EXPECT_THAT(xml, Not(HasSubstr("<failure")));
  EXPECT_THAT(xml, HasSubstr("<system-out>warning NT-IRQL-03: "));
}

TEST(JunitReport, AFindingOutsideOfEveryScenarioHasACaseOfItsOwn) {
  Report report = sample_report();
  report.drivers[0].findings[0].run.scenario = "package";
  std::string xml = junit_report(report);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"build/mill.so\" tests=\"2\" failures=\"2\""));
  EXPECT_THAT(xml, HasSubstr("name=\"package\" time=\"0.000\">"));
}

}  // namespace
}  // namespace verifier
