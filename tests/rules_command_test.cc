// `drydock rules` and `drydock explain` as a user meets them, and docs/rules.md, which the first writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "verifier/rules/rule_list.h"

namespace tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(RulesCommand, ListsEverything) {
  Outcome outcome = drydock({"rules"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, verifier::rule_list({}));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\nNT-POOL-06   must     checked "), HasSubstr("\nKD-02        must     guaranteed ")));
}

TEST(RulesCommand, ListsAnArea) {
  Outcome outcome = drydock({"rules", "--area", "ks"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("A-06 "), Not(HasSubstr("NT-POOL-06"))));
}

TEST(RulesCommand, CountsPerAreaAndState) {
  Outcome outcome = drydock({"rules", "--summary"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("area        checked  guaranteed  not checkable  not built yet    all\n"));
  for (const char* name : {"\nnt ", "\nclient ", "\numd ", "\nkmd ", "\nks ", "\nall ", "\nreal failures: "}) {
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
}

TEST(RulesCommand, SpeaksJson) {
  Outcome outcome = drydock({"rules", "--json", "--area", "kmd"});
  EXPECT_EQ(outcome.exit_code, 0);
  auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "drydock-rules/1");
  EXPECT_FALSE(json["requirements"].empty());
}

TEST(RulesCommand, RefusesAnAreaThatThereIsNot) {
  Outcome outcome = drydock({"rules", "--area", "vidpn"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out,
            "drydock: there is no area called 'vidpn'; there are nt, client, umd, kmd, ks, inf, failures\n");
}

TEST(RulesCommand, RefusesTwoFormsAtOnce) {
  EXPECT_EQ(drydock({"rules", "--summary", "--json"}).exit_code, 2);
  EXPECT_EQ(drydock({"rules", "--markdown", "--area", "ks"}).exit_code, 2);
}

TEST(ExplainCommand, TellsRulesRequirementsAndFunctions) {
  EXPECT_THAT(drydock({"explain", "nt-pool-06"}).out, AllOf(HasSubstr("\nWrong\n"), HasSubstr("\nRight\n")));
  EXPECT_THAT(drydock({"explain", "KD-02"}).out, HasSubstr("guaranteed by the host: test kmt."));
  EXPECT_THAT(
      drydock({"explain", "dxgkddidestroyallocation"}).out,
      AllOf(HasSubstr("d3dkmddi.h"), HasSubstr("PASSIVE_LEVEL"), HasSubstr("Windows Vista"), HasSubstr("DA-11")));
  EXPECT_THAT(drydock({"explain", "D3DKMTDestroyAllocation2"}).out, HasSubstr("d3dkmthk.h"));
  EXPECT_THAT(drydock({"explain", "pfnDeallocateCb"}).out, HasSubstr("d3dumddi.h"));
  EXPECT_THAT(drydock({"explain", "KsPinAttemptProcessing"}).out, HasSubstr("ks.h"));
}

TEST(ExplainCommand, NamesTheNeighboursOfWhatItDoesNotKnow) {
  Outcome outcome = drydock({"explain", "KeSetEvnt"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(
      outcome.out,
      StartsWith("drydock: there is no rule and no function called 'KeSetEvnt'; the nearest names are KeSetEvent, "));
}

TEST(RulesDocument, IsCurrent) {
  EXPECT_EQ(read_text(DRYDOCK_SOURCE_DIR "/docs/rules.md"), drydock({"rules", "--markdown"}).out)
      << "renew it: drydock rules --markdown > docs/rules.md";
}

}  // namespace
}  // namespace tests
