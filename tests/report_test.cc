// What `drydock check` writes, read by those it is written for: a browser, an XML parser, a reader of SARIF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <png.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// One check of a driver that leaks and of one with a GPU, written in every form.
class Report : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (base::kSanitizer != base::Sanitizer::None) return;  // without the driver that leaks
    folder_ = new TemporaryFolder;
    outcome_ =
        drydock({"check", driver("bad/nt/leak"), driver("softgpu/softgpu"), "--seeds", "1", "--json", file("r.json"),
                 "--junit", file("r.xml"), "--sarif", file("r.sarif"), "--report", file("r.html")});
    ASSERT_EQ(outcome_.exit_code, 1) << outcome_.out;
  }
  void SetUp() override {
    if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "the driver that leaks is built for the plain host";
  }
  static void TearDownTestSuite() { delete std::exchange(folder_, nullptr); }

  static std::string file(const std::string& name) { return folder_->path() + "/" + name; }
  static Json json(const std::string& name) {
    Json value = Json::parse(read_text(file(name)), nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << name;
    return value;
  }

  // What is said of the leak, among findings that name their rule so.
  static Json the_leak(const Json& findings, const char* rule) {
    for (const Json& finding : findings) {
      if (finding[rule] == "NT-LEAK-01") return finding;
    }
    ADD_FAILURE() << "no leak in " << findings;
    return {};
  }

  static TemporaryFolder* folder_;
  static Outcome outcome_;
};

TemporaryFolder* Report::folder_ = nullptr;
Outcome Report::outcome_;

// --- JSON ---

TEST_F(Report, JsonHoldsBothDrivers) {
  Json report = json("r.json");
  EXPECT_EQ(report["schema"], "drydock-report/1");
  ASSERT_EQ(report["drivers"].size(), 2u);
  EXPECT_EQ(report["counts"]["errors"], report["findings"].size());
  EXPECT_EQ(the_leak(report["findings"], "rule")["driver"], 0);
  EXPECT_EQ(report["drivers"][0]["counts"]["errors"], report["findings"].size());
  EXPECT_EQ(report["drivers"][1]["counts"]["errors"], 0);
  EXPECT_GT(report["drivers"][1]["scenarios"].size(), 20u);
  EXPECT_EQ(report["charts"].size(), 1u) << "only one of them has a GPU";
}

TEST_F(Report, ChartsTellOfMemoryAndWork) {
  Json charts = json("r.json")["charts"][0];
  ASSERT_GE(charts["memory"].size(), 2u);
  for (const Json& segment : charts["memory"]) {
    uint64_t most = 0;
    for (const Json& point : segment["points"]) most = std::max(most, point[1].get<uint64_t>());
    EXPECT_GT(most, segment["size_bytes"].get<uint64_t>() / 2) << segment["name"] << ": the run fills the memory";
    EXPECT_LE(most, segment["size_bytes"]);
    EXPECT_EQ(segment["points"].back()[1], 0) << segment["name"] << ": everything was given back";
  }
  ASSERT_GE(charts["work"].size(), 2u);
  for (const Json& node : charts["work"]) {
    uint64_t now = 0;
    for (const Json& interval : node["intervals"]) {
      EXPECT_GE(interval[0], now) << "a node has one oldest packet";
      EXPECT_GT(interval[1], interval[0]);
      now = interval[1];
    }
    EXPECT_GT(now, 0u);
    EXPECT_LE(now, charts["end_ns"]);
  }
}

void expect_documented(const Json& value, const std::string& document) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      EXPECT_THAT(document, HasSubstr("`" + name + "`")) << "docs/reports.md does not know this member";
    }
  }
  if (value.is_structured()) {
    for (const Json& member : value) expect_documented(member, document);
  }
}

TEST_F(Report, EveryMemberOfTheJsonIsDocumented) {
  expect_documented(json("r.json"), read_text(DRYDOCK_SOURCE_DIR "/docs/reports.md"));
}

TEST_F(Report, ItsReplayCommandFindsItAgain) {
  std::string replay = the_leak(json("r.json")["findings"], "rule")["replay"];
  ASSERT_TRUE(replay.starts_with("drydock ")) << replay;
  Outcome again = run({"/bin/sh", "-c", DRYDOCK_PROGRAM + replay.substr(std::string("drydock").size())});
  EXPECT_EQ(again.exit_code, 1) << again.out;
  EXPECT_THAT(rules_found(again), ::testing::ElementsAre("NT-LEAK-01")) << again.out;
}

// --- JUnit ---

class Xml {
 public:
  explicit Xml(const std::string& text)
      : document_(xmlReadMemory(text.data(), static_cast<int>(text.size()), "r.xml", nullptr, XML_PARSE_NONET),
                  &xmlFreeDoc) {}
  bool well_formed() const { return document_ != nullptr; }
  // What an XPath expression comes to.
  double number(const char* path) const { return xmlXPathCastToNumber(evaluate(path).get()); }
  std::string text(const char* path) const {
    xmlChar* value = xmlXPathCastToString(evaluate(path).get());
    std::string out = reinterpret_cast<const char*>(value);
    xmlFree(value);
    return out;
  }

 private:
  using Value = std::unique_ptr<xmlXPathObject, decltype(&xmlXPathFreeObject)>;
  Value evaluate(const char* path) const {
    std::unique_ptr<xmlXPathContext, decltype(&xmlXPathFreeContext)> context(xmlXPathNewContext(document_.get()),
                                                                             &xmlXPathFreeContext);
    Value value(xmlXPathEvalExpression(reinterpret_cast<const xmlChar*>(path), context.get()), &xmlXPathFreeObject);
    EXPECT_NE(value, nullptr) << path;
    return value;
  }
  std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> document_;
};

TEST_F(Report, JunitIsWellFormedAndCountsRight) {
  Xml xml(read_text(file("r.xml")));
  ASSERT_TRUE(xml.well_formed());
  EXPECT_EQ(xml.number("count(/testsuites/testsuite)"), 2);
  EXPECT_EQ(xml.number("/testsuites/@tests"), xml.number("count(//testcase)"));
  EXPECT_EQ(xml.number("sum(//testsuite/@tests)"), xml.number("count(//testcase)"));
  EXPECT_EQ(xml.number("/testsuites/@failures"), xml.number("count(//testcase[failure])"));
  EXPECT_GE(xml.number("count(//testcase[failure])"), 1);
  EXPECT_EQ(xml.number("count(//testsuite[2]/testcase/failure)"), 0) << "the second driver is a good one";
  EXPECT_THAT(xml.text("string(//failure[@type='NT-LEAK-01'])"),
              AllOf(HasSubstr("error NT-LEAK-01: "), HasSubstr("replay: drydock check")));
}

// --- SARIF ---

// What the published schema of 2.1.0 requires of the objects that are used here: the members that must be there, and
// those that are objects of a kind, or lists of them.
struct Shape {
  const char* name;
  std::vector<const char*> required;
  std::vector<std::pair<const char*, const char*>> members;  // name -> shape
};
const std::vector<Shape>& sarif_shapes() {
  static const std::vector<Shape> kShapes = {
      {"sarifLog", {"version", "runs"}, {{"runs", "run"}}},
      {"run", {"tool"}, {{"tool", "tool"}, {"results", "result"}, {"invocations", "invocation"}}},
      {"tool", {"driver"}, {{"driver", "toolComponent"}}},
      {"toolComponent", {"name"}, {{"rules", "reportingDescriptor"}}},
      {"reportingDescriptor",
       {"id"},
       {{"shortDescription", "multiformatMessageString"},
        {"fullDescription", "multiformatMessageString"},
        {"help", "multiformatMessageString"}}},
      {"multiformatMessageString", {"text"}, {}},
      {"result", {"message"}, {{"message", "message"}, {"locations", "location"}, {"stacks", "stack"}}},
      {"message", {"text"}, {}},  // or an id, which is not used
      {"location", {}, {{"physicalLocation", "physicalLocation"}}},
      {"physicalLocation", {"artifactLocation"}, {{"region", "region"}}},  // or an address, which is not used
      {"region", {"startLine"}, {}},                                       // or an offset, which is not used
      {"stack", {"frames"}, {{"message", "message"}, {"frames", "stackFrame"}}},
      {"stackFrame", {}, {{"location", "location"}}},
      {"invocation", {"executionSuccessful"}, {{"toolExecutionNotifications", "notification"}}},
      {"notification", {"message"}, {{"message", "message"}}},
  };
  return kShapes;
}

void expect_shape(const Json& value, const std::string& name, const std::string& where) {
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) expect_shape(value[i], name, where + "/" + std::to_string(i));
    return;
  }
  ASSERT_TRUE(value.is_object()) << where;
  auto shape = std::ranges::find(sarif_shapes(), name, &Shape::name);
  ASSERT_NE(shape, sarif_shapes().end()) << name;
  for (const char* member : shape->required) EXPECT_TRUE(value.contains(member)) << where << " lacks " << member;
  for (const auto& [member, kind] : shape->members) {
    if (value.contains(member)) expect_shape(value[member], kind, where + "/" + member);
  }
}

TEST_F(Report, SarifHasTheRequiredStructure) {
  Json log = json("r.sarif");
  expect_shape(log, "sarifLog", "");
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_THAT(log["$schema"].get<std::string>(), HasSubstr("sarif-schema-2.1.0.json"));
}

TEST_F(Report, SarifResultsNameTheirRuleAndPlace) {
  Json run = json("r.sarif")["runs"][0];
  const Json& rules = run["tool"]["driver"]["rules"];
  Json result = the_leak(run["results"], "ruleId");
  ASSERT_LT(result["ruleIndex"].get<size_t>(), rules.size());
  EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["level"], "error");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_THAT(place["artifactLocation"]["uri"].get<std::string>(), ::testing::EndsWith("drivers/bad/nt/leak.c"));
  EXPECT_GT(place["region"]["startLine"], 0);
  EXPECT_FALSE(result["partialFingerprints"].empty());
}

// --- Outcomes ---

using Outcomes = std::map<std::string, std::string>;  // driver's number and scenario -> outcome

TEST_F(Report, OutcomesAreTheSameInEveryForm) {
  Outcomes in_json, in_junit, in_sarif, in_text, in_html;
  std::vector<std::string> paths;
  Xml xml(read_text(file("r.xml")));
  const Json report = json("r.json"), sarif = json("r.sarif");
  for (const Json& driver : report["drivers"]) {
    paths.push_back(driver["path"]);
    for (const Json& scenario : driver["scenarios"]) {
      const std::string name = scenario["name"], key = driver["path"].get<std::string>() + " " + name;
      in_json[key] = scenario["outcome"];
      std::string at = "//testsuite[" + std::to_string(paths.size()) + "]/testcase[@name='" + name + "']";
      in_junit[key] = xml.number(("count(" + at + "/skipped)").c_str()) != 0   ? "skipped"
                      : xml.number(("count(" + at + "/error)").c_str()) != 0   ? xml.text((at + "/error/@type").c_str())
                      : xml.number(("count(" + at + "/failure)").c_str()) != 0 ? "found"
                                                                               : "passed";
    }
  }
  for (const Json& scenario : sarif["runs"][0]["invocations"][0]["properties"]["scenarios"]) {
    in_sarif[scenario["driver"].get<std::string>() + " " + scenario["scenario"].get<std::string>()] =
        scenario["outcome"];
  }
  // On the screen and on the page a driver's name stands above its scenarios.
  auto read = [&](const std::string& text, const std::string& heading, const char* pattern, Outcomes& outcomes) {
    std::istringstream lines(text);
    std::string driver;
    std::smatch found;
    for (std::string line; std::getline(lines, line);) {
      for (const std::string& path : paths) {
        if (line.starts_with(heading + path)) driver = path;
      }
      if (std::regex_search(line, found, std::regex(pattern))) outcomes[driver + " " + found[1].str()] = found[2];
    }
  };
  read(outcome_.out, "", "^  ([a-z0-9-]+/[a-z0-9-]+) +[0-9]+ seeds .*  (passed|found|skipped|incomplete|our fault)",
       in_text);
  read(read_text(file("r.html")), "<h3>", "^<tr><td>([^<]+)</td>.*<td><span class=\"[a-z]+\">([a-z ]+)</span>",
       in_html);
  EXPECT_GT(in_json.size(), 20u);
  EXPECT_EQ(in_junit, in_json);
  EXPECT_EQ(in_sarif, in_json);
  EXPECT_EQ(in_text, in_json);
  EXPECT_EQ(in_html, in_json);
}

// --- HTML ---

// A browser with a profile of its own. Without a sandbox: as root there is none.
Outcome browse(const std::string& profile, const std::vector<std::string>& options, const std::string& page) {
  std::vector<std::string> command = {"chromium",
                                      "--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-dev-shm-usage",
                                      "--no-first-run",
                                      "--hide-scrollbars",
                                      "--user-data-dir=" + profile};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back("file://" + page);
  Outcome outcome = run(command);
  EXPECT_NE(outcome.exit_code, 127) << "chromium is missing; scripts/bootstrap installs it";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  return outcome;
}

using Rgb = std::array<uint8_t, 3>;

// The pixels of a PNG file, top left first; none when it is none.
std::vector<Rgb> pixels_of(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return {};
  image.format = PNG_FORMAT_RGB;
  std::vector<Rgb> pixels(size_t{image.width} * image.height);
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) return {};
  return pixels;
}

std::vector<Rgb> screenshot(const std::string& folder, const std::string& page, const std::string& scheme) {
  std::string png = folder + "/" + scheme + ".png";
  browse(folder + "/profile",
         {"--blink-settings=preferredColorScheme=" + scheme, "--window-size=1000,6000", "--screenshot=" + png}, page);
  return pixels_of(png);
}

TEST_F(Report, ABrowserReadsThePage) {
  Outcome dom = browse(file("profile"), {"--dump-dom"}, file("r.html"));
  EXPECT_THAT(dom.out, ::testing::ContainsRegex("<h1>[0-9]+ errors?</h1>"));
  EXPECT_THAT(dom.out, HasSubstr("<span class=\"rule\">NT-LEAK-01</span>"));
  EXPECT_THAT(dom.out, HasSubstr("</details>"));
  EXPECT_THAT(dom.out, HasSubstr("</svg>"));
}

TEST_F(Report, ABrowserDrawsTheCharts) {
  constexpr Rgb kGround = {0xff, 0xff, 0xff}, kFirstSeries = {0x2f, 0x6f, 0xde}, kSecondSeries = {0xd9, 0x73, 0x0d};
  std::vector<Rgb> pixels = screenshot(folder_->path(), file("r.html"), "1");
  ASSERT_EQ(pixels.size(), 1000u * 6000u);
  EXPECT_EQ(pixels[0], kGround);
  // Twice the legends' squares: there is more of each than those.
  constexpr auto kLegend = 2 * 2 * 12 * 12;
  EXPECT_GT(std::ranges::count(pixels, kFirstSeries), kLegend);
  EXPECT_GT(std::ranges::count(pixels, kSecondSeries), kLegend);
}

TEST_F(Report, ABrowserThatPrefersDarkGetsDark) {
  constexpr Rgb kGround = {0x14, 0x17, 0x1b}, kFirstSeries = {0x6e, 0xa0, 0xff};
  std::vector<Rgb> pixels = screenshot(folder_->path(), file("r.html"), "0");
  ASSERT_FALSE(pixels.empty());
  EXPECT_EQ(pixels[0], kGround);
  EXPECT_GT(std::ranges::count(pixels, kFirstSeries), 0);
}

// But for the real time it took, and the name of the file in the command.
TEST_F(Report, IsTheSameForTheSameCheck) {
  auto report_of_a_check = [&](const std::string& name) {
    EXPECT_EQ(drydock({"check", driver("bad/nt/leak"), "--seeds", "2", "--json", file(name)}).exit_code, 1);
    Json report = json(name);
    report["command_line"] = "";
    for (Json& scenario : report["drivers"][0]["scenarios"]) scenario["milliseconds"] = 0;
    return report;
  };
  EXPECT_EQ(report_of_a_check("once.json"), report_of_a_check("again.json"));
}

}  // namespace
}  // namespace tests
