#include "verifier/explain/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/catalogue/catalogue.h"
#include "verifier/explain/excerpts.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Excerpt, HasTheFunctionThatChanges) {
  Excerpt excerpt = excerpt_of(R"(// Frees a block with another tag
// than its own. FIXED uses
// the same.
#include <skeleton.h>

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
  int i;

#ifdef FIXED
  Free(Block, TAG);
#else
  Free(Block, OTHER);
#endif
}
)");
  EXPECT_EQ(excerpt.does, "Frees a block with another tag than its own.");
  EXPECT_EQ(excerpt.fixed, "uses the same.");
  EXPECT_EQ(excerpt.wrong, "static VOID Stop(VOID) {\n  int i;\n\n  Free(Block, OTHER);\n}\n");
  EXPECT_EQ(excerpt.right, "static VOID Stop(VOID) {\n  int i;\n\n  Free(Block, TAG);\n}\n");
}

TEST(Excerpt, FollowsAMacroToWhereItIsUsed) {
  Excerpt excerpt = excerpt_of(R"(/* Adds to what is shared.
 * FIXED adds elsewhere. */
#ifdef FIXED
#define KIND PRIVATE
#else
#define KIND SHARED
#endif

static void other(void) { KINDS(); }

static void play(void) { create(KIND); }
)");
  EXPECT_EQ(excerpt.does, "Adds to what is shared.");
  EXPECT_EQ(excerpt.fixed, "adds elsewhere.");
  EXPECT_EQ(excerpt.wrong, "#define KIND SHARED\n\nstatic void play(void) { create(KIND); }\n");
  EXPECT_EQ(excerpt.right, "#define KIND PRIVATE\n\nstatic void play(void) { create(KIND); }\n");
}

TEST(Excerpt, KeepsAFunctionThatOnlyOneFormHas) {
  Excerpt excerpt = excerpt_of(R"(// A. FIXED b.
#ifndef FIXED
static void wrong(void) {
  a();

  b();
}

static void also_wrong(void) {}
#endif

static void last(void) {}
)");
  EXPECT_EQ(excerpt.wrong, "static void wrong(void) {\n  a();\n\n  b();\n}\n\nstatic void also_wrong(void) {}\n");
  EXPECT_EQ(excerpt.right, "");
}

TEST(Excerpt, LooksIntoWhatIsSharedWhenTheProgramDoesNotChange) {
  constexpr const char* kShared = R"(#pragma once

static void unchanged(void) {}

static void flush(void) {
#ifndef FIXED
  submit();
#endif
}
)";
  Excerpt excerpt =
      excerpt_of("// A. FIXED b.\n#include \"shared.h\"\n\nstatic void play(void) { flush(); }\n", kShared);
  EXPECT_EQ(excerpt.wrong, "static void flush(void) {\n  submit();\n}\n\nstatic void play(void) { flush(); }\n");
  EXPECT_EQ(excerpt.right, "static void flush(void) {\n}\n\nstatic void play(void) { flush(); }\n");
  Excerpt own = excerpt_of("#ifdef FIXED\nint right;\n#else\nint wrong;\n#endif\n", kShared);
  EXPECT_EQ(own.wrong, "int wrong;\n");
}

TEST(Excerpt, LeavesOtherConditionalsAlone) {
  Excerpt excerpt =
      excerpt_of("static void f(void) {\n#if X\n  a();\n#else\n  b();\n#endif\n#ifdef FIXED\n  c();\n#endif\n}\n");
  EXPECT_EQ(excerpt.wrong, "static void f(void) {\n#if X\n  a();\n#else\n  b();\n#endif\n}\n");
  EXPECT_THAT(excerpt.right, HasSubstr("  c();\n"));
}

TEST(Excerpt, ShowsALongFunctionNearTheChange) {
  std::string source = "static void f(void) {\n";
  for (int i = 0; i < 40; ++i) source += "  before(" + std::to_string(i) + ");\n";
  source += "#ifndef FIXED\n  wrong();\n#endif\n";
  for (int i = 0; i < 40; ++i) source += "  after(" + std::to_string(i) + ");\n";
  std::string wrong = excerpt_of(source + "}\n").wrong;
  EXPECT_THAT(wrong, HasSubstr("static void f(void) {\n  …\n  before(32);\n"));
  EXPECT_THAT(wrong, HasSubstr("  wrong();\n  after(0);\n"));
  EXPECT_THAT(wrong, HasSubstr("  after(7);\n  …\n}\n"));
  EXPECT_THAT(wrong, Not(HasSubstr("before(31)")));
}

TEST(Excerpt, OfNothingIsNothing) {
  EXPECT_EQ(excerpt_of("").wrong, "");
  EXPECT_EQ(excerpt_of("/* never closed").does, "never closed");
}

// The programs themselves: `drydock explain` shows for each rule what is wrong and what is right.
TEST(Excerpts, EveryRuleHasAWrongAndARightSequence) {
  for (const Rule& rule : all_rules()) {
    if (area_of(rule) == Area::Inf) continue;  // packages are no programs
    SCOPED_TRACE(rule.example);
    const StoredExcerpt* excerpt = find_excerpt(rule.example);
    EXPECT_NE(excerpt, nullptr);
    if (!excerpt) continue;
    EXPECT_STRNE(excerpt->wrong, excerpt->right);
    EXPECT_STRNE(excerpt->wrong, "");
    EXPECT_STRNE(excerpt->right, "");
    EXPECT_THAT(excerpt->does, ::testing::EndsWith("."));
    EXPECT_THAT(excerpt->fixed, ::testing::EndsWith("."));
  }
  EXPECT_EQ(find_excerpt("kmd/none"), nullptr);
}

}  // namespace
}  // namespace verifier
