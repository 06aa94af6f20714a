#include "verifier/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// No line is too long, addresses and code aside.
void expect_fits(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    bool as_it_is = line.find("https://") != std::string::npos || line.starts_with("    ");
    EXPECT_TRUE(as_it_is || line.size() <= 104) << line;  // "…" has three bytes
    at = end + 1;
  }
}

TEST(ExplainFully, ARuleHasAWrongAndARightSequence) {
  std::string text = explain_subject("nt-pool-06");
  EXPECT_THAT(text, StartsWith("NT-POOL-06: pool freed with another tag\n"));
  EXPECT_THAT(text, HasSubstr("Whose duty\n  kernel-mode drivers of every kind\n"));
  EXPECT_THAT(text, HasSubstr(R"(
Functions it is about
  ExFreePoolWithTag
    IRQL: DISPATCH_LEVEL or below; oldest Windows: Windows 2000
)"));
  EXPECT_THAT(text, EndsWith(R"(
Wrong
  Frees a block with another tag than it was allocated with.

    static VOID Stop(VOID) {
      ExFreePoolWithTag(Block, 'rehO');
    }

Right
  Uses the same one.

    static VOID Stop(VOID) {
      ExFreePoolWithTag(Block, BAD_TAG);
    }
)"));
}

// Its page is that of a structure.
TEST(ExplainFully, ARulesTextNamesFunctionsToo) {
  EXPECT_THAT(explain_subject("CA-13"), HasSubstr(R"(
Functions it is about
  DxgkDdiCreateAllocation
    IRQL: PASSIVE_LEVEL; oldest Windows: Windows Vista
)"));
}

TEST(ExplainFully, ARequirementOfTheHostNamesItsTest) {
  EXPECT_EQ(explain_subject("KD-14"), R"(KD-14: handles end with the call

What is required
  The handles of what is destroyed mean nothing once the call has returned, although the destruction
  itself may still wait.

Who says so
  policy: the documentation is silent, Drydock asks for it
  https://learn.microsoft.com/windows-hardware/drivers/display/allocation-usage-tracking

Whose duty
  host, since Windows Vista

What Drydock makes of it
  guaranteed by the host: test kmt.AllocationTest.KD14_KD15_KD16_TheHandleIsDeadBeforeTheAllocation
)");
}

TEST(ExplainFully, WhatIsNotCheckableSaysWhy) {
  EXPECT_THAT(explain_subject("KD-31"), HasSubstr("not built yet: Drydock has no user-mode work submission"));
}

TEST(ExplainFully, AFunctionNamesItsRules) {
  std::string text = explain_subject("DxgkDdiDestroyAllocation");
  EXPECT_THAT(text, StartsWith(R"(DxgkDdiDestroyAllocation
  header          d3dkmddi.h
  IRQL            PASSIVE_LEVEL
  oldest Windows  Windows Vista
  page            https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmddi/nc-d3dkmddi-dxgkddi_destroyallocation

Rules about it
)"));
  EXPECT_THAT(text, HasSubstr("  DA-11        nothing in flight names what is destroyed\n"));
}

// The head of KeSetEvent's page only points to the remarks.
TEST(ExplainFully, FunctionsOfTheMachineHaveTheLimitsThatAreChecked) {
  EXPECT_THAT(explain_subject("KeSetEvent"), HasSubstr("IRQL            DISPATCH_LEVEL or below\n"));
  EXPECT_THAT(explain_subject("KeGetCurrentIrql"), HasSubstr("IRQL            any\n"));
}

TEST(ExplainFully, OneNameMayMeanSeveralCallbacks) {
  std::string text = explain_subject("pfnDestroyResource");
  EXPECT_THAT(text, HasSubstr("d3dumddi.h"));
  EXPECT_THAT(text, HasSubstr("d3d10umddi.h"));
}

TEST(ExplainFully, WhatIsSilentIsCalledSo) {
  EXPECT_THAT(explain_subject("pfnDeallocateCb"), HasSubstr("IRQL            not documented"));
}

TEST(ExplainFully, UnknownNamesHaveNeighbours) {
  EXPECT_EQ(explain_subject("KeSetEvnt"), "");
  EXPECT_EQ(explain_subject(""), "");
  EXPECT_THAT(nearest_subjects("KeSetEvnt", 1), ElementsAre("KeSetEvent"));
  EXPECT_THAT(nearest_subjects("dxgkddidestroyalocation", 1), ElementsAre("DxgkDdiDestroyAllocation"));
  EXPECT_EQ(nearest_subjects("NT-POOL-0", 3).size(), 3u);
}

TEST(ExplainFully, EverythingFitsATerminal) {
  for (const Rule& rule : all_rules()) expect_fits(explain_rule(rule));
  for (const Requirement& row : all_requirements()) expect_fits(explain_requirement(row));
  for (const RealFailure& row : all_failures()) expect_fits(explain_failure(row));
}

}  // namespace
}  // namespace verifier
