#include "client/ledger_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/shared/ntstatus.h"

namespace client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LedgerReport sample() {
  LedgerReport report;
  report.process = "teapot";
  report.pid = 41;
  report.driver = "/lib/softgpu.so";
  report.objects = {{"device", 2, 1, 0}, {"allocation", 100, 40, 3}};
  report.peak_bytes = 5 << 20;
  report.bytes_at_exit = 3 * 4096;
  report.leaks = {{"allocation", 0x40000080, 3, 3 * 4096, {"D3DKMTCreateAllocation2", "brew at teapot.c:7"}}};
  report.refusals = {
      {"D3DKMTCreateDevice", STATUS_INVALID_PARAMETER, "no such adapter", "src/kmt/adapter/device.cc:9", 2}};
  return report;
}

TEST(LedgerText, SaysWhatHappened) {
  std::string text = text_of(sample());
  EXPECT_THAT(text, HasSubstr("ledger of process 41: 0 findings, 3 leaks, 1 refusal: teapot\n"));
  EXPECT_THAT(text, HasSubstr("allocation                   100        40         3\n"));
  EXPECT_THAT(text, HasSubstr("memory: 5.0 MiB at most, 12.0 KiB at exit\n"));
  EXPECT_THAT(text, HasSubstr("3 allocations (0x40000080, …), 12.0 KiB, created in\n"
                              "      D3DKMTCreateAllocation2\n"
                              "      brew at teapot.c:7\n"));
  EXPECT_THAT(text, HasSubstr("D3DKMTCreateDevice: STATUS_INVALID_PARAMETER, 2 times: no such adapter "
                              "(src/kmt/adapter/device.cc:9)\n"));
  EXPECT_THAT(text, Not(HasSubstr("incomplete")));
}

TEST(LedgerText, SaysWhenItIsNotAll) {
  LedgerReport report = sample();
  report.remark = "the machine stopped";
  EXPECT_THAT(text_of(report), HasSubstr("incomplete: the machine stopped\n"));
}

TEST(LedgerText, IndentsFindings) {
  LedgerReport report = sample();
  report.findings = {"error NT-X-01: something\n  somewhere\n"};
  EXPECT_THAT(text_of(report), HasSubstr("  findings: 1\n    error NT-X-01: something\n      somewhere\n"));
}

TEST(LedgerFile, TellsWhichProcessesReportedAndWhichDidNot) {
  LedgerReport guilty = sample();
  guilty.findings = {"one\n", "two\n"};
  std::string text = opening_line("teapot", 41) + opening_line("spoon", 42) + text_of(guilty);
  LedgerFile file = LedgerFile::parse(text);
  ASSERT_EQ(file.processes.size(), 2u);
  EXPECT_EQ(file.processes[0].name, "teapot");
  EXPECT_TRUE(file.processes[0].reported);
  EXPECT_EQ(file.processes[1].pid, 42);
  EXPECT_FALSE(file.processes[1].reported);
  EXPECT_EQ(file.findings, 2u);
  EXPECT_EQ(file.reports, text_of(guilty));
}

TEST(LedgerFile, WarningsAreToldAndDoNotCount) {
  LedgerReport report = sample();
  report.warnings = {"warning KD-11: a call that destroys nothing\n"};
  EXPECT_THAT(text_of(report), HasSubstr(": 0 findings, 1 warning, "));
  EXPECT_THAT(text_of(report), HasSubstr("  warnings: 1\n    warning KD-11: a call that destroys nothing\n"));
  EXPECT_EQ(LedgerFile::parse(opening_line("teapot", 41) + text_of(report)).findings, 0u);
}

TEST(LedgerFile, ANumberMayBeGivenToTwoProcesses) {
  std::string text = opening_line("a", 41) + text_of(sample()) + opening_line("b", 41);
  LedgerFile file = LedgerFile::parse(text);
  EXPECT_TRUE(file.processes[0].reported);
  EXPECT_FALSE(file.processes[1].reported);
}

TEST(LedgerFile, ANameMayBeAnything) {
  LedgerReport report = sample();
  report.process = "7 findings";
  LedgerFile file = LedgerFile::parse(opening_line("%d \nx", 1) + text_of(report));
  EXPECT_EQ(file.processes.size(), 1u);
  EXPECT_EQ(file.findings, 0u);
}

TEST(LedgerFile, AnEmptyOneIsFine) { EXPECT_TRUE(LedgerFile::parse("").processes.empty()); }

}  // namespace
}  // namespace client
