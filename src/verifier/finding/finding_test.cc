#include "verifier/finding/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/finding/finding_set.h"
#include "verifier/testing/testing.h"

namespace verifier {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

nt::ViolationReport violation_here() {
  nt::ViolationReport violation;
  violation.what = nt::Violation::WaitAtDispatch;
  violation.sentence = "KeWaitForSingleObject at DISPATCH_LEVEL may block";
  violation.thread = "main";
  violation.thread_ordinal = 1;
  violation.irql = 2;
  violation.in_call = "DpcRoutine";
  base::Stack stack;
  stack.count = 2;
  stack.pc[0] = reinterpret_cast<uintptr_t>(&violation_here) + 1;
  stack.pc[1] = 8;  // in no module
  violation.stacks.push_back({"here", stack});
  return violation;
}

TEST(Finding, IsMadeFromAViolation) {
  base::ModuleMap modules;
  std::string own_file = modules.find(reinterpret_cast<uintptr_t>(&violation_here))->module->file;
  std::vector<std::string> drivers{own_file};
  Finding finding = make_finding(violation_here(), modules, drivers);
  EXPECT_EQ(finding.rule, "NT-IRQL-03");
  EXPECT_EQ(finding.sentence, "KeWaitForSingleObject at DISPATCH_LEVEL may block");
  EXPECT_EQ(finding.thread, "main");
  EXPECT_EQ(finding.thread_ordinal, 1u);
  EXPECT_EQ(finding.irql, 2);
  EXPECT_EQ(finding.in_call, "DpcRoutine");
  ASSERT_THAT(finding.stacks, SizeIs(1));
  EXPECT_EQ(finding.stacks[0].role, "here");
  ASSERT_THAT(finding.stacks[0].frames, SizeIs(2));
  EXPECT_EQ(finding.stacks[0].frames[0].module, own_file);
  EXPECT_TRUE(finding.stacks[0].frames[0].driver);
  EXPECT_EQ(finding.stacks[0].frames[1], Frame{});
}

TEST(Finding, OnlyTheGivenModulesAreTheDriver) {
  base::ModuleMap modules;
  Finding finding = make_finding(violation_here(), modules, {});
  EXPECT_FALSE(finding.stacks[0].frames[0].driver);
}

// A routine that returned at the wrong IRQL is on no stack any more: its beginning is the place.
TEST(Finding, WhatHasNoDriversCodeShowsTheRoutine) {
  base::ModuleMap modules;
  auto routine = reinterpret_cast<uintptr_t>(&violation_here);
  std::vector<std::string> drivers{modules.find(routine)->module->file};
  nt::ViolationReport violation = violation_here();
  violation.routine = routine;
  EXPECT_THAT(make_finding(violation, modules, drivers).stacks, SizeIs(1));
  violation.stacks[0].stack.count = 0;
  Finding finding = make_finding(violation, modules, drivers);
  ASSERT_THAT(finding.stacks, SizeIs(2));
  EXPECT_EQ(finding.stacks[0].role, "the routine");
  ASSERT_THAT(finding.stacks[0].frames, SizeIs(1));
  EXPECT_TRUE(finding.stacks[0].frames[0].driver);
  EXPECT_EQ(finding.stacks[0].frames[0].offset, modules.find(routine + 1)->offset);
  EXPECT_THAT(make_finding(violation, modules, {}).stacks, SizeIs(1));  // it is no driver's
}

TEST(Finding, NumbersAreSqueezed) {
  EXPECT_EQ(squeeze_numbers("block 17 of 40 bytes at 0x1F4a"), "block # of # bytes at #");
  EXPECT_EQ(squeeze_numbers("IRQL5"), "IRQL#");
  EXPECT_EQ(squeeze_numbers("0x"), "#");
  EXPECT_EQ(squeeze_numbers(""), "");
}

TEST(Finding, TheKeyIsRulePlaceAndWords) {
  Finding one = sample_finding();
  Finding other = one;
  other.sentence = "KeWaitForSingleObject at IRQL 3 may block";
  one.sentence = "KeWaitForSingleObject at IRQL 2 may block";
  other.thread = "worker";
  other.run.seed = 99;
  EXPECT_EQ(key_of(one), key_of(other));

  Finding elsewhere = one;
  elsewhere.stacks[0].frames[1].offset += 4;  // the first frame of the driver
  EXPECT_NE(key_of(one), key_of(elsewhere));
  Finding inside = one;
  inside.stacks[0].frames[0].offset += 4;  // of the host
  EXPECT_EQ(key_of(one), key_of(inside));
  Finding another = one;
  another.rule = "NT-IRQL-01";
  EXPECT_NE(key_of(one), key_of(another));
}

TEST(Finding, TheHashIsOfWhatWasSeenAndNotOfPlacesInTheHost) {
  Finding one;
  one.rule = "NT-IRQL-03";
  one.sentence = "waited";
  Frame hosts, drivers;
  hosts.module = "host";
  hosts.offset = 16;
  drivers.module = "mill.so";
  drivers.offset = 32;
  drivers.driver = true;
  one.stacks = {{"here", {hosts, drivers}}};
  const uint64_t hash = hash_of({{one}});
  EXPECT_NE(hash, hash_of({}));
  Finding other = one;
  other.stacks[0].frames[0].offset = 48;
  EXPECT_EQ(hash_of({{other}}), hash) << "the host's code has moved";
  other.stacks[0].frames[1].offset = 48;
  EXPECT_NE(hash_of({{other}}), hash);
  other = one;
  other.sentence = "waited longer";
  EXPECT_NE(hash_of({{other}}), hash);
  other = one;
  other.irql = 2;
  EXPECT_NE(hash_of({{other}}), hash);
  EXPECT_NE(hash_of({{one, one}}), hash);
}

TEST(Finding, SymbolizingExpandsInlinedCalls) {
  Finding finding = sample_finding();
  FakeNames names;
  symbolize(finding, names);
  const std::vector<Frame>& frames = finding.stacks[0].frames;
  ASSERT_THAT(frames, SizeIs(5));  // one of four had a call inlined
  EXPECT_EQ(frames[0].function, "KeWaitForSingleObject");
  EXPECT_EQ(frames[1].function, "wait_for_it");
  EXPECT_TRUE(frames[1].inlined);
  EXPECT_EQ(frames[2].function, "on_dpc");
  EXPECT_EQ(frames[2].offset, frames[1].offset);
  EXPECT_EQ(frames[3].function, "");  // nothing known
}

TEST(FindingSet, CountsRepetitions) {
  FindingSet set;
  set.add(sample_finding());
  set.add(sample_finding());
  ASSERT_THAT(set.findings(), SizeIs(1));
  EXPECT_EQ(set.findings()[0].times, 2u);
  EXPECT_EQ(set.findings()[0].runs, 1u);
}

TEST(FindingSet, TheSmallestSeedStandsForAllInAnyOrder) {
  for (bool backwards : {false, true}) {
    FindingSet set;
    for (uint64_t i = 0; i < 3; ++i) {
      Finding finding = sample_finding();
      finding.run.seed = backwards ? 9 - i : 7 + i;
      finding.times = 2;
      set.add(finding);
    }
    ASSERT_THAT(set.findings(), SizeIs(1));
    EXPECT_EQ(set.findings()[0].run.seed, 7u);
    EXPECT_EQ(set.findings()[0].times, 6u);
    EXPECT_EQ(set.findings()[0].runs, 3u);
  }
}

TEST(FindingSet, DifferentFindingsStayApart) {
  FindingSet set;
  set.add(sample_finding());
  Finding other = sample_finding();
  other.rule = "NT-IRQL-01";
  set.add(other);
  EXPECT_THAT(set.findings(), SizeIs(2));
  set.clear();
  EXPECT_THAT(set.findings(), IsEmpty());
  set.add(sample_finding());
  EXPECT_EQ(set.findings()[0].times, 1u);
}

}  // namespace
}  // namespace verifier
