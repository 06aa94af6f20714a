// What an earlier version saved can still be read: fixtures/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nt/machine/schedule.h"
#include "program.h"
#include "verifier/finding/finding_json.h"

namespace tests {
namespace {

std::string fixture(const std::string& name) { return read_text(DRYDOCK_SOURCE_DIR "/tests/fixtures/" + name); }

TEST(Fixtures060, TheScheduleIsRead) {
  std::string text = fixture("0.6.0/NT-STUCK-01-nt-run-seed0.schedule");
  auto read = nt::Schedule::from_text(text);
  ASSERT_TRUE(read.ok()) << read.error();
  const nt::Schedule& schedule = read.value();
  nt::Schedule::Header header = {.driver = "build/release/drivers/bad/mill/deadlock.so",
                                 .build_id = "14dd075e6f834b803f410ddd34c3bcd33fe00802",
                                 .scenario = "nt/run",
                                 .seed = 0,
                                 .processors = 2};
  EXPECT_EQ(schedule.header, header);
  ASSERT_EQ(schedule.entries.size(), 242u);
  EXPECT_EQ(schedule.entries.front(), (nt::Schedule::Entry{nt::Decision::Fuel, 65536, 999}));
  EXPECT_EQ(std::ranges::count(schedule.entries, nt::Decision::Pick, &nt::Schedule::Entry::kind), 241);
}

TEST(Fixtures060, TheFindingOfTheReportIsRead) {
  auto report = nlohmann::ordered_json::parse(fixture("0.6.0/report.json"), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["schema"], "drydock-report/1");
  EXPECT_EQ(report["tool"]["version"], "0.6.0");
  ASSERT_EQ(report["findings"].size(), 1u);
  auto read = verifier::from_json_value(report["findings"][0]);
  ASSERT_TRUE(read.ok()) << read.error();
  const verifier::Finding& finding = read.value();
  EXPECT_EQ(finding.rule, "NT-IRQL-03");
  EXPECT_EQ(finding.level, verifier::Level::Error);
  EXPECT_EQ(finding.sentence, "KeWaitForSingleObject at DISPATCH_LEVEL may block");
  EXPECT_EQ(finding.in_call, "DriverEntry");
  EXPECT_EQ(finding.irql, 2);
  EXPECT_EQ(finding.times, 100u);
  EXPECT_EQ(finding.run.driver, "build/release/drivers/bad/nt/wait_at_dispatch.so");
  EXPECT_EQ(finding.run.scenario, "nt/load-unload");
  ASSERT_EQ(finding.stacks.size(), 1u);
  auto own = std::ranges::find(finding.stacks[0].frames, true, &verifier::Frame::driver);
  ASSERT_NE(own, finding.stacks[0].frames.end());
  EXPECT_EQ(own->file, "drivers/bad/nt/wait_at_dispatch.c");
  EXPECT_EQ(own->function, "Start");
}

}  // namespace
}  // namespace tests
