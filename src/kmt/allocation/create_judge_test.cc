#include "kmt/allocation/create_judge.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kmt {
namespace {

using nt::Violation;

class CreateJudgeTest : public ::testing::Test {
 protected:
  CreateJudgeTest() { args.NumAllocations = 1; }
  Judgement judged() { return judge_create(args, policy); }
  void expect_rule(Violation rule) {
    Judgement judgement = judged();
    ASSERT_TRUE(judgement);
    ASSERT_TRUE(judgement->rule) << judgement->why;
    EXPECT_EQ(*judgement->rule, rule) << judgement->why;
    EXPECT_EQ(judgement->status, STATUS_INVALID_PARAMETER);
  }
  void make_standard() { args.Flags.StandardAllocation = args.Flags.ExistingSysMem = 1; }

  D3DKMT_CREATEALLOCATION args{};
  dxgk::Policy policy;
};

TEST_F(CreateJudgeTest, APlainAllocationWillDo) { EXPECT_FALSE(judged()); }

TEST_F(CreateJudgeTest, KC01_SharedNeedsAResource) {
  args.Flags.CreateShared = 1;
  expect_rule(Violation::CreateSharedAlone);
  args.Flags.CreateResource = 1;
  EXPECT_FALSE(judged());
}

TEST_F(CreateJudgeTest, KC02_NtSharingNeedsShared) {
  args.Flags.CreateResource = args.Flags.NtSecuritySharing = 1;
  expect_rule(Violation::CreateNtSharingAlone);
  args.Flags.CreateShared = 1;
  EXPECT_FALSE(judged());
}

TEST_F(CreateJudgeTest, KC11_StandardAndExistingGoTogether) {
  args.Flags.StandardAllocation = 1;
  expect_rule(Violation::CreateStandardMemory);
  args.Flags.ExistingSysMem = 1;
  EXPECT_FALSE(judged());
  args.Flags.ExistingSection = 1;
  expect_rule(Violation::CreateStandardMemory);
  args.Flags.StandardAllocation = args.Flags.ExistingSection = 0;
  expect_rule(Violation::CreateStandardMemory);
}

TEST_F(CreateJudgeTest, KC12_AStandardAllocationComesAlone) {
  make_standard();
  args.NumAllocations = 2;
  expect_rule(Violation::CreateStandardMany);
  args.NumAllocations = 1;
  args.hResource = 0x40000040;
  expect_rule(Violation::CreateStandardMany);
}

TEST_F(CreateJudgeTest, KC16_TheSystemsFlags) {
  for (UINT bit : {3u, 8u, 9u, 12u, 23u, 31u}) {
    args = {};
    args.NumAllocations = 1;
    UINT value = 1u << bit;
    std::memcpy(&args.Flags, &value, sizeof(value));
    expect_rule(Violation::CreateFlagsReserved);
  }
}

TEST_F(CreateJudgeTest, A6_NoDriverDataBesideADescription) {
  make_standard();
  args.PrivateDriverDataSize = 64;
  ASSERT_TRUE(judged());
  EXPECT_EQ(judged()->status, STATUS_INVALID_PARAMETER);
}

TEST_F(CreateJudgeTest, KC09_OnlyAPrivateResourceMayBeginEmpty) {
  args.NumAllocations = 0;
  EXPECT_TRUE(judged());
  args.Flags.CreateResource = 1;
  EXPECT_FALSE(judged());
  args.Flags.CreateShared = 1;
  EXPECT_TRUE(judged());
  args.Flags.CreateShared = 0;
  make_standard();
  EXPECT_TRUE(judged());
}

TEST_F(CreateJudgeTest, KC20_WslTakesAThousand) {
  args.NumAllocations = 1025;
  EXPECT_FALSE(judged());
  policy.flavour = dxgk::Flavour::Wsl;
  EXPECT_TRUE(judged());
  args.NumAllocations = 1024;
  EXPECT_FALSE(judged());
}

TEST_F(CreateJudgeTest, FourBillionAllocationsAreRefused) {
  args.NumAllocations = UINT32_MAX;
  ASSERT_TRUE(judged());
  EXPECT_EQ(judged()->status, STATUS_NO_MEMORY);
}

TEST_F(CreateJudgeTest, WslSharesThroughNtHandlesAndNeverBeginsEmpty) {
  policy.flavour = dxgk::Flavour::Wsl;
  args.Flags.CreateResource = args.Flags.CreateShared = 1;
  EXPECT_TRUE(judged());
  args.Flags.NtSecuritySharing = 1;
  EXPECT_FALSE(judged());
  args.Flags.CreateShared = args.Flags.NtSecuritySharing = 0;
  args.NumAllocations = 0;
  EXPECT_TRUE(judged());
}

TEST_F(CreateJudgeTest, NoKmdAccessIsForStandardAllocations) {
  args.Flags.NoKmdAccess = 1;
  EXPECT_TRUE(judged());
  make_standard();
  EXPECT_FALSE(judged());
}

class StandardJudgeTest : public ::testing::Test {
 protected:
  StandardJudgeTest() {
    standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
    standard.ExistingHeapData.Size = 0x10000;
  }
  bool refused(uintptr_t memory = 0x10000) {
    return judge_standard(standard, reinterpret_cast<void*>(memory)).has_value();
  }
  D3DKMT_CREATESTANDARDALLOCATION standard{};
};

TEST_F(StandardJudgeTest, WholePagesAreTaken) { EXPECT_FALSE(refused()); }

TEST_F(StandardJudgeTest, A10_TypesThatAreNotKnown) {
  for (uint32_t type : {0u, 2u, 3u, 0x80000000u}) {
    std::memcpy(&standard.Type, &type, sizeof(type));
    EXPECT_TRUE(refused()) << type;
  }
}

TEST_F(StandardJudgeTest, A11_NoMemory) { EXPECT_TRUE(refused(0)); }

TEST_F(StandardJudgeTest, A13_KC13_MemoryIsMadeOfPages) {
  EXPECT_TRUE(refused(0x10008));
  for (uint64_t bytes : {uint64_t{0}, uint64_t{0x1100}, uint64_t{1}, ~uint64_t{0} & ~uint64_t{0xFFF}}) {
    standard.ExistingHeapData.Size = bytes;
    EXPECT_TRUE(refused()) << std::hex << bytes;
  }
}

}  // namespace
}  // namespace kmt
