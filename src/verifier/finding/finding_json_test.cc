#include "verifier/finding/finding_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "verifier/testing/testing.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Finding full_finding() {
  Finding finding = sample_finding();
  finding.level = Level::Warning;
  finding.run.processors = 4;
  finding.run.schedule = "mill.schedule";
  finding.run.seed = ~uint64_t{0};
  finding.times = 5;
  finding.runs = 2;
  FakeNames names;
  symbolize(finding, names);
  finding.stacks.push_back({"allocated", {Frame{}}});
  finding.stacks.push_back({"freed", {}});
  return finding;
}

std::string error_of(const Json& value) {
  auto read = from_json_text(dump_json(value, -1));
  EXPECT_FALSE(read.ok());
  return read.ok() ? "" : read.error();
}

Json valid() { return Json::parse(to_json_text(full_finding())); }

TEST(FindingJson, ComesBackEqual) {
  auto back = from_json_text(to_json_text(full_finding()));
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(back.value(), full_finding());
}

// A fuzzer's find: the offset was kept, and lost when the finding was written again.
TEST(FindingJson, AnOffsetWithoutAModuleSaysNothing) {
  Json value = valid();
  Json frame = Json::object();
  frame["offset"] = 32;
  value["stacks"][0]["frames"] = Json::array({frame});
  auto finding = from_json_text(dump_json(value, -1));
  ASSERT_TRUE(finding.ok()) << finding.error();
  EXPECT_EQ(finding.value().stacks[0].frames[0].offset, 0u);
  EXPECT_EQ(from_json_text(to_json_text(finding.value())).take(), finding.value());
}

TEST(FindingJson, IsOneLine) { EXPECT_EQ(to_json_text(full_finding()).find('\n'), std::string::npos); }

TEST(FindingJson, HoldsNoAddress) {
  // A frame has an offset into its module; a frame outside of every module is empty.
  EXPECT_EQ(valid()["stacks"][1]["frames"][0], Json::object());
}

TEST(FindingJson, StrangeBytesDoNotBreakIt) {
  Finding finding = sample_finding();
  finding.thread = "a\xff\n\"b";
  auto back = from_json_text(to_json_text(finding));
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(back.value().thread, "a\xef\xbf\xbd\n\"b");
}

TEST(FindingJson, ErrorsNameTheWrongMember) {
  EXPECT_EQ(from_json_text("{\"schema_version\": 1,").error(), "finding is not JSON");
  EXPECT_EQ(error_of(Json::array()), "finding is not an object");
  EXPECT_EQ(error_of(Json::object()), "finding.schema_version is missing");

  Json value = valid();
  value["schema_version"] = 2;
  EXPECT_EQ(error_of(value), "finding.schema_version is 2; this is 1");
  value = valid();
  value["rule"] = "NT-IRQL-99";
  EXPECT_EQ(error_of(value), "finding.rule names no rule");
  value = valid();
  value["level"] = "dire";
  EXPECT_EQ(error_of(value), "finding.level is neither 'error' nor 'warning'");
  value = valid();
  value["irql"] = 256;
  EXPECT_EQ(error_of(value), "finding.irql is too large");
  value = valid();
  value["times"] = -1;
  EXPECT_EQ(error_of(value), "finding.times is not a whole number from 0 up");
  value = valid();
  value["run"] = 5;
  EXPECT_EQ(error_of(value), "finding.run is not an object");
  value = valid();
  value["run"].erase("seed");
  EXPECT_EQ(error_of(value), "finding.run.seed is missing");
  value = valid();
  value["stacks"] = "none";
  EXPECT_EQ(error_of(value), "finding.stacks is not a list");
  value = valid();
  value["stacks"][0]["frames"][2]["offset"] = "0x10";
  EXPECT_EQ(error_of(value), "finding.stacks[0].frames[2].offset is not a whole number from 0 up");
  value = valid();
  value["stacks"][0]["frames"][1].erase("offset");
  EXPECT_EQ(error_of(value), "finding.stacks[0].frames[1].offset is missing");
  value = valid();
  value["stacks"][0]["frames"][0]["driver"] = 1;
  EXPECT_EQ(error_of(value), "finding.stacks[0].frames[0].driver is not true or false");
  value = valid();
  value["stacks"][1] = nullptr;
  EXPECT_EQ(error_of(value), "finding.stacks[1] is not an object");
}

// Each member in turn is taken away or given another type: refused with a sentence that names it, except for what may
// be left out of a frame.
TEST(FindingJson, EveryMemberIsChecked) {
  const Json whole = valid();
  for (const auto& [name, unused] : whole.items()) {
    Json without = whole;
    without.erase(name);
    EXPECT_THAT(error_of(without), HasSubstr(name + " is missing"));
    Json changed = whole;
    changed[name] = true;
    EXPECT_THAT(error_of(changed), HasSubstr("finding." + name + " is n"));
  }
}

TEST(FindingJson, CutAndScratchedTextNeverCrashes) {
  uint64_t seed = base::seed_for_test(1);
  SCOPED_TRACE(seed);
  base::Rng rng(seed);
  const std::string whole = to_json_text(full_finding());
  for (int step = 0; step < 5000; ++step) {
    std::string text = whole.substr(0, rng.below(8) == 0 ? rng.below(whole.size()) : whole.size());
    for (uint64_t n = rng.below(4); n > 0 && !text.empty(); --n) {
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    }
    auto back = from_json_text(text);
    ASSERT_TRUE(back.ok() || !back.error().empty()) << text;
  }
}

}  // namespace
}  // namespace verifier
