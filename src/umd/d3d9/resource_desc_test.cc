#include "umd/d3d9/resource_desc.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

// UR-20
TEST(ResourceDesc, HasASurfaceForEachLevel) {
  for (UINT levels = 1; levels <= 5; ++levels) {
    ResourceDesc desc = ResourceDesc::texture(16, 8, D3DDDIFMT_A8R8G8B8, levels);
    EXPECT_EQ(desc.levels, levels);
    ASSERT_EQ(desc.surfaces.size(), levels);
    for (UINT i = 1; i < levels; ++i) {
      EXPECT_EQ(desc.surfaces[i].Width, 16u >> i);
      EXPECT_EQ(desc.surfaces[i].Height, i < 4 ? 8u >> i : 1u) << "never less than one";
    }
  }
  EXPECT_GE(ResourceDesc::group(6, 8, 8, D3DDDIFMT_A8R8G8B8).surfaces.size(), 6u);
  EXPECT_EQ(ResourceDesc::group(6, 8, 8, D3DDDIFMT_A8R8G8B8).levels, 1u);
}

}  // namespace
}  // namespace umd
