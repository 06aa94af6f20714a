#include "umd/common/allocations.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

constexpr D3DKMT_HANDLE kFirst = 0x40000040, kSecond = 0x40000080, kThird = 0x400000C0;

TEST(Allocations, FindsTheLivingAndKnowsTheDead) {
  Allocations allocations;
  EXPECT_FALSE(allocations.dead(kFirst));
  allocations.add(kFirst, nullptr);
  EXPECT_NE(allocations.find(kFirst), nullptr);
  allocations.remove(*allocations.find(kFirst));
  EXPECT_EQ(allocations.find(kFirst), nullptr);
  EXPECT_TRUE(allocations.dead(kFirst));
  EXPECT_FALSE(allocations.dead(kSecond));
  EXPECT_EQ(allocations.live(), 0u);
}

// The place is used again with other bits in front of it.
TEST(Allocations, ANewHandleInAnOldPlaceIsAnother) {
  Allocations allocations;
  allocations.add(kFirst, nullptr);
  allocations.remove(*allocations.find(kFirst));
  D3DKMT_HANDLE again = kFirst ^ 0xC0000000;
  allocations.add(again, nullptr);
  EXPECT_EQ(allocations.find(kFirst), nullptr);
  EXPECT_FALSE(allocations.dead(kFirst));
  EXPECT_NE(allocations.find(again), nullptr);
}

TEST(Allocations, AResourceCountsItsOwn) {
  Allocations allocations;
  Resource resource;
  allocations.add(kFirst, &resource);
  allocations.add(kSecond, nullptr);
  allocations.add(kThird, &resource);
  EXPECT_EQ(resource.allocations, 2u);
  allocations.remove(*allocations.find(kFirst));
  EXPECT_EQ(resource.allocations, 1u);
  EXPECT_EQ(allocations.find(kThird)->resource, &resource);
  allocations.remove_all(resource);
  EXPECT_EQ(resource.allocations, 0u);
  EXPECT_EQ(resource.first_allocation, 0u);
  EXPECT_EQ(allocations.live(), 1u);
  EXPECT_NE(allocations.find(kSecond), nullptr);
}

}  // namespace
}  // namespace umd
