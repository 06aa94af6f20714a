#include "verifier/report/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlReport, SaysWhatAFindingCarries) {
  std::string page = html_report(full_report());
  EXPECT_THAT(page, HasSubstr("<h1>2 errors</h1>"));
  EXPECT_THAT(page, HasSubstr("<span class=\"rule\">NT-IRQL-03</span> wait at DISPATCH_LEVEL or above"));
  EXPECT_THAT(page, HasSubstr("KeWaitForSingleObject at DISPATCH_LEVEL may block"));
  EXPECT_THAT(page, HasSubstr("<dd>DpcRoutine(Dpc = 1, Context = &quot;&lt;none&gt;&quot;)</dd>"));
  EXPECT_THAT(page,
              HasSubstr("<h4>here</h4>\n<pre>#0 KeWaitForSingleObject\n#1 wait_for_it (inlined) at src/mill.c:31"));
  EXPECT_THAT(page, HasSubstr("event 3 was set &amp; reset"));
  EXPECT_THAT(page, HasSubstr("<pre>drydock check build/mill.so --scenario load --seed 7\n</pre>"));
  EXPECT_THAT(page, HasSubstr("<li><code>drydock explain NT-IRQL-03</code></li>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"https://learn.microsoft.com/windows-hardware/drivers/x?a=1&amp;b=2\">"));
}

TEST(HtmlReport, SaysWhatRanAndWhatCouldNot) {
  std::string page = html_report(full_report());
  EXPECT_THAT(page, HasSubstr("<td>vidmm/pressure</td><td class=\"number\">40</td><td class=\"number\">1234</td>"));
  EXPECT_THAT(page, HasSubstr("kernel-mode display driver, WDDM 2.0"));
  EXPECT_THAT(page, HasSubstr("<li>nt/power: the driver has no &lt;power&gt; routine</li>"));
  EXPECT_THAT(page, HasSubstr("<p>faults: 17 injected, 2 places left untried</p>"));
  EXPECT_THAT(page, HasSubstr("<h3>gpu.so, vidmm/pressure --seed 0</h3>"));
}

TEST(HtmlReport, NeedsNothingElse) {
  std::string page = html_report(full_report());
  for (const char* outside : {"<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "javascript:"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(HtmlReport, TheWorstAreOpen) {
  Report report = sample_report();
  report.drivers[0].findings.resize(5, named_sample());
  std::string page = html_report(report);
  size_t open = 0;
  for (size_t at = 0; (at = page.find("\" open>", at)) != std::string::npos; ++at) ++open;
  EXPECT_EQ(open, 3u);
}

TEST(HtmlReport, NothingFound) {
  Report report = full_report();
  report.drivers[0].findings.clear();
  report.drivers[0].not_run.clear();
  report.charts.clear();
  std::string page = html_report(report);
  EXPECT_THAT(page, HasSubstr("<h1>Nothing found</h1>"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

TEST(HtmlReport, NothingFoundInACheckThatTriedNothingIsNotAPass) {
  Report report = full_report();
  report.drivers[0].findings.clear();
  EXPECT_THAT(html_report(report), HasSubstr("<h1>Nothing found, but the check is incomplete</h1>"));
}

TEST(HtmlReport, EqualForEqualReports) { EXPECT_EQ(html_report(full_report()), html_report(full_report())); }

}  // namespace
}  // namespace verifier
