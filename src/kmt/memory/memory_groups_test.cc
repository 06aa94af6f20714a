#include "kmt/memory/memory_groups.h"

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

}  // namespace
}  // namespace kmt
