#include "verifier/rules/rule_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace verifier {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(RuleList, SelectsByName) {
  EXPECT_THAT(selection_names(), ::testing::IsSupersetOf({"nt", "client", "umd", "kmd", "ks", "failures"}));
  for (const std::string& name : selection_names()) EXPECT_TRUE(select(name)) << name;
  EXPECT_EQ(select("kmd")->area, Area::Kmd);
  EXPECT_TRUE(select("failures")->failures);
  EXPECT_FALSE(select("vidpn"));
  EXPECT_FALSE(select(""));
}

TEST(RuleList, HasRulesAndRequirementsOfItsArea) {
  auto client = listed_requirements({Area::Client, false});
  EXPECT_THAT(client, Each(Field(&ListedRequirement::area, Area::Client)));
  std::string text = rule_list({Area::Client, false});
  EXPECT_THAT(text, HasSubstr("\nKD-03        must     checked       "));
  EXPECT_THAT(text, HasSubstr("\nKD-02        must     guaranteed    a resource takes its allocations along\n"));
  EXPECT_THAT(text, HasSubstr("\nKD-31        must     not built yet a doorbell keeps its ring buffer\n"));
  EXPECT_THAT(text, Not(HasSubstr("NT-POOL-01")));
}

TEST(RuleList, EverythingIsInExactlyOneArea) {
  size_t sum = 0;
  for (const std::string& name : selection_names()) sum += listed_requirements(*select(name)).size();
  EXPECT_EQ(sum, all_rules().size() + all_requirements().size());
  EXPECT_EQ(listed_requirements({}).size(), sum);
}

TEST(RuleList, OnlyFailures) {
  EXPECT_TRUE(listed_requirements({std::nullopt, true}).empty());
  std::string text = rule_list({std::nullopt, true});
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), all_failures().size());
}

TEST(RuleList, SummaryCountsStates) {
  AreaCounts nt = count(listed_requirements({Area::Nt, false}));
  EXPECT_GT(nt.unbuilt, 0u) << "what no check covers is counted, of every area";
  EXPECT_GT(count(listed_requirements({Area::Inf, false})).unbuilt, 0u);
  AreaCounts all = count(listed_requirements({}));
  std::string text = rule_summary({});
  EXPECT_THAT(text, StartsWith("area        checked  guaranteed  not checkable  not built yet    all\nnt "));
  EXPECT_THAT(text, HasSubstr(std::to_string(all.total()) + "\n\nreal failures: "));
  EXPECT_THAT(rule_summary({Area::Ks, false}), Not(HasSubstr("nt ")));
  EXPECT_THAT(rule_summary({Area::Ks, false}), Not(HasSubstr("failures")));
  EXPECT_THAT(rule_summary({std::nullopt, true}), StartsWith("real failures: "));
}

TEST(RuleList, JsonNamesItsSchemaAndEveryRow) {
  auto json = nlohmann::json::parse(rule_list_json({}), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "drydock-rules/1");
  EXPECT_EQ(json["requirements"].size(), listed_requirements({}).size());
  EXPECT_EQ(json["failures"].size(), all_failures().size());
  AreaCounts all = count(listed_requirements({}));
  EXPECT_EQ(json["counts"]["requirements"]["checked"], all.checked);
  EXPECT_EQ(json["counts"]["requirements"]["guaranteed"], all.guaranteed);
  EXPECT_EQ(json["counts"]["requirements"]["not built yet"], all.unbuilt);
  EXPECT_EQ(all.total(), json["requirements"].size()) << "each is counted in one state";
  for (const auto& row : json["requirements"]) {
    for (const char* key : {"id", "area", "class", "state", "title", "requirement"}) EXPECT_TRUE(row[key].is_string());
    EXPECT_FALSE(row["pages"].empty());
    const char* proof = row["state"] == "checked" ? "example" : row["state"] == "guaranteed" ? "test" : "reason";
    EXPECT_TRUE(row.contains(proof)) << row["id"];
  }
}

TEST(RuleList, JsonOfAnAreaHasNothingElse) {
  auto json = nlohmann::json::parse(rule_list_json({Area::Kmd, false}), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  for (const auto& row : json["requirements"]) EXPECT_EQ(row["area"], "kmd");
  EXPECT_TRUE(json["failures"].empty());
  EXPECT_FALSE(json["counts"].contains("failures"));
}

TEST(RuleList, MarkdownHasARowForEach) {
  std::string text = rule_list_markdown();
  for (const ListedRequirement& row : listed_requirements({})) {
    EXPECT_THAT(text, HasSubstr("\n| " + std::string(row.id) + " | ")) << row.id;
  }
  for (const RealFailure& row : all_failures()) EXPECT_THAT(text, HasSubstr("\n| " + std::string(row.id) + " | "));
}

}  // namespace
}  // namespace verifier
