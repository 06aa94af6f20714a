#include "verifier/report/report_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

size_t times(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

TEST(ReportSvg, NumbersAsPeopleSayThem) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(4096), "4 KiB");
  EXPECT_EQ(bytes_text(3 << 19), "1.5 MiB");
  EXPECT_EQ(bytes_text(uint64_t{100} << 30), "100 GiB");
  EXPECT_EQ(time_text(0), "0");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(20'000), "20 µs");
  EXPECT_EQ(time_text(1'250'000), "1.25 ms");
  EXPECT_EQ(time_text(2'000'000'000), "2 s");
}

TEST(MemorySvg, APanelPerSegmentWithLegendAndAxes) {
  std::string svg = memory_svg(sample_charts());
  EXPECT_EQ(times(svg, "class=\"s0 line\""), 1u);
  EXPECT_EQ(times(svg, "class=\"s1 line\""), 1u);
  EXPECT_THAT(svg, HasSubstr("segment 1: at most 32 MiB of 64 MiB in use"));
  EXPECT_THAT(svg, HasSubstr(">16 MiB</text>")) << "on the first panel's axis";
  EXPECT_THAT(svg, HasSubstr(">200 µs</text>")) << "on the time axis";
  EXPECT_THAT(svg, HasSubstr(">simulated time</text>"));
}

// 790 pixels are 1 ms: the levels hold from their moment to the next.
TEST(MemorySvg, IsAStaircase) {
  Charts charts;
  charts.end_ns = 790;
  charts.memory = {{"segment 1", 4, {{0, 0}, {100, 4}, {200, 2}}}};
  EXPECT_THAT(memory_svg(charts), HasSubstr("d=\"M90 140V140V140V140H190V50V50V50H290V95V95V95H880\""));
}

TEST(MemorySvg, ManyPointsAreDrawnOncePerColumn) {
  Charts charts;
  charts.end_ns = 100'000;
  UseSeries& series = charts.memory.emplace_back();
  for (uint64_t i = 0; i < 100'000; ++i) series.points.push_back({i, i % 1000});
  std::string svg = memory_svg(charts);
  EXPECT_LT(svg.size(), 60'000u);
  EXPECT_THAT(svg, HasSubstr("at most 999 B"));
}

TEST(WorkSvg, ALanePerNodeAndAColourPerKind) {
  std::string svg = work_svg(sample_charts());
  EXPECT_THAT(svg, HasSubstr(">node 0</text>"));
  EXPECT_THAT(svg, HasSubstr(">node 1</text>"));
  EXPECT_THAT(svg, HasSubstr("paging: 100 µs in all"));
  EXPECT_THAT(svg, HasSubstr("rendering: 700 µs in all"));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"s1\" x=\"169.0\" y=\"58\" width=\"237.0\" height=\"20\">"
                             "<title>fence 1, rendering: 100 µs to 400 µs</title></rect>"));
  EXPECT_EQ(times(svg, "<rect class=\"s0\""), 2u) << "one in the legend, one packet";
}

TEST(WorkSvg, PacketsTooShortToTellApartAreOneBar) {
  Charts charts;
  charts.end_ns = 1'000'000'000;
  WorkSeries& series = charts.work.emplace_back();
  for (uint64_t i = 0; i < 100; ++i) series.intervals.push_back({i * 20, i * 20 + 10, "rendering", "fence"});
  series.intervals.push_back({500'000'000, 600'000'000, "rendering", "fence 101"});
  std::string svg = work_svg(charts);
  EXPECT_EQ(times(svg, "<rect"), 3u) << svg;
  EXPECT_THAT(svg, HasSubstr("100 packets, rendering: 0 to 1.99 µs"));
}

TEST(ReportSvg, NothingToDrawIsNothing) {
  EXPECT_EQ(memory_svg({}), "");
  EXPECT_EQ(work_svg({}), "");
}

TEST(ReportSvg, NamesAreText) {
  Charts charts = sample_charts();
  charts.work[0].name = charts.work[0].intervals[0].label = charts.memory[0].name = "<script>";
  EXPECT_THAT(memory_svg(charts) + work_svg(charts), Not(HasSubstr("<script>")));
}

TEST(ReportSvg, ARunWithoutTimeIsDrawn) {
  Charts charts = sample_charts();
  charts.end_ns = 0;
  EXPECT_THAT(memory_svg(charts), HasSubstr("<path"));
}

}  // namespace
}  // namespace verifier
