#include "umd/d3d10/resource_desc10.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

void expect_mip(const D3D10DDI_MIPINFO& info, UINT texels, UINT physical) {
  EXPECT_EQ(info.TexelWidth, texels);
  EXPECT_EQ(info.TexelHeight, texels);
  EXPECT_EQ(info.TexelDepth, 1u);
  EXPECT_EQ(info.PhysicalWidth, physical);
  EXPECT_EQ(info.PhysicalHeight, physical);
  EXPECT_EQ(info.PhysicalDepth, 1u);
}

// The example on the page of D3D11DDIARG_CREATERESOURCE.
TEST(ResourceDesc10, BlockCompressedLevelsAreWholeBlocks) {
  auto mips = ResourceDesc10::texture(8, 8, DXGI_FORMAT_BC1_UNORM, 4).mip_infos();
  ASSERT_EQ(mips.size(), 4u);
  expect_mip(mips[0], 8, 8);
  expect_mip(mips[1], 4, 4);
  expect_mip(mips[2], 2, 4);
  expect_mip(mips[3], 1, 4);
}

TEST(ResourceDesc10, OtherLevelsAreAsLargeAsTheirTexels) {
  auto mips = ResourceDesc10::texture(4, 4, DXGI_FORMAT_R8G8B8A8_UNORM, 3).mip_infos();
  ASSERT_EQ(mips.size(), 3u);
  expect_mip(mips[0], 4, 4);
  expect_mip(mips[1], 2, 2);
  expect_mip(mips[2], 1, 1);
}

TEST(ResourceDesc10, ABackBufferIsAPrimaryThatIsPresented) {
  ResourceDesc10 desc = ResourceDesc10::back_buffer(640, 480, DXGI_FORMAT_B8G8R8A8_UNORM, 1);
  EXPECT_TRUE(desc.bind & D3D10_DDI_BIND_PRESENT);
  ASSERT_TRUE(desc.primary.has_value());
  EXPECT_EQ(desc.primary->VidPnSourceId, 1u);
  EXPECT_EQ(desc.primary->ModeDesc.Width, 640u);
}

}  // namespace
}  // namespace umd
