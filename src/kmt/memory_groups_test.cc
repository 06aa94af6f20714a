#include "kmt/memory_groups.h"

#include <gtest/gtest.h>

namespace kmt {
namespace {

dxgk::Segment segment(uint64_t size, bool aperture, uint64_t commit_limit = 0) {
  dxgk::Segment made{};
  made.size = size;
  made.aperture = aperture;
  made.commit_limit = commit_limit;
  return made;
}

TEST(MemoryGroups, AperturesShowTheSystemsMemory) {
  dxgk::AdapterCaps caps;
  caps.segments = {segment(100, false), segment(1000, true, 600), segment(50, false), segment(30, true, 900)};
  MemoryGroups groups = memory_groups(caps);
  EXPECT_EQ(groups.local, 150u);
  EXPECT_EQ(groups.non_local, 630u) << "never more than is committed, nor than is shown";
}

TEST(MemoryBudget, UseCountsWhereTheMemoryIs) {
  MemoryGroups groups{.local = 100, .non_local = 1000};
  MemoryBudget local = memory_budget(groups, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL, 60);
  EXPECT_EQ(local.budget, 100u);
  EXPECT_EQ(local.usage, 60u);
  EXPECT_LE(local.available_for_reservation, local.budget);
  EXPECT_EQ(memory_budget(groups, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL, 60).usage, 0u);
  groups.local = 0;
  EXPECT_EQ(memory_budget(groups, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL, 60).usage, 0u);
  EXPECT_EQ(memory_budget(groups, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL, 60).usage, 60u);
}

TEST(MemoryBudget, NoMoreIsUsedThanThereIs) {
  EXPECT_EQ(memory_budget({.local = 100, .non_local = 0}, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL, 500).usage, 100u);
}

}  // namespace
}  // namespace kmt
