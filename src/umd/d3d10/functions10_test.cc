#include "umd/d3d10/functions10.h"

#include <gtest/gtest.h>

#include <cstring>

namespace umd {
namespace {

constexpr Caps10 kEverything{D3D11DDICAPS_FREETHREADED | D3D11DDICAPS_COMMANDLISTS | D3D11DDICAPS_COMMANDLISTS_BUILD_2,
                             0x7};
constexpr Caps10 kLittle{D3D11DDICAPS_FREETHREADED, 0x1};  // the pipeline of Direct3D 10.0 alone

Functions10 filled() {
  Functions10 functions;
  std::memset(&functions, 0x11, sizeof(functions));
  return functions;
}

TEST(Functions10, SpeaksWhatItHasTablesFor) {
  EXPECT_EQ(find_interface(D3D10_0_DDI_INTERFACE_VERSION)->ddi, Ddi10::D3D10_0);
  EXPECT_EQ(find_interface(D3D10_1_DDI_INTERFACE_VERSION)->ddi, Ddi10::D3D10_1);
  EXPECT_EQ(find_interface(D3D11_0_DDI_INTERFACE_VERSION)->ddi, Ddi10::D3D11_0);
  EXPECT_EQ(find_interface(D3D11_1_DDI_INTERFACE_VERSION), nullptr);
}

TEST(Functions10, FindsTheEmptySlotByName) {
  Functions10 functions = filled();
  EXPECT_EQ(find_hole(functions, Ddi10::D3D11_0, kEverything), "");
  functions.v11.pfnDestroyResource = nullptr;
  for (Ddi10 ddi : {Ddi10::D3D10_0, Ddi10::D3D10_1, Ddi10::D3D11_0}) {
    EXPECT_EQ(find_hole(functions, ddi, {}), "pfnDestroyResource");
  }
}

TEST(Functions10, ATableEndsWhereItsVersionDoes) {
  Functions10 functions = filled();
  functions.v11.pfnResourceConvert = nullptr;
  EXPECT_EQ(find_hole(functions, Ddi10::D3D10_0, {}), "");
  EXPECT_EQ(find_hole(functions, Ddi10::D3D10_1, {}), "pfnResourceConvert");
}

TEST(Functions10, WhatTheDriverCannotDoIsNotCalled) {
  Functions10 functions = filled();
  functions.v11.pfnCreateHullShader = nullptr;
  EXPECT_EQ(find_hole(functions, Ddi10::D3D11_0, kLittle), "");
  EXPECT_EQ(find_hole(functions, Ddi10::D3D11_0, kEverything), "pfnCreateHullShader");
  functions = filled();
  functions.v11.pfnCreateDeferredContext = nullptr;
  functions.v11.pfnRecycleCommandList = nullptr;
  EXPECT_EQ(find_hole(functions, Ddi10::D3D11_0, kLittle), "");
  EXPECT_EQ(find_hole(functions, Ddi10::D3D11_0, kEverything), "pfnCreateDeferredContext");
}

TEST(Functions10, TheTableOfDxgiGrowsWithTheInterface) {
  DXGI1_3_DDI_BASE_FUNCTIONS functions;
  std::memset(&functions, 0x11, sizeof(functions));
  functions.pfnResolveSharedResource = nullptr;
  EXPECT_EQ(find_hole(functions, D3D11_0_DDI_INTERFACE_VERSION), "");
  EXPECT_EQ(find_hole(functions, D3D11_0_7_DDI_INTERFACE_VERSION), "pfnResolveSharedResource");
  functions.pfnPresent = nullptr;
  EXPECT_EQ(find_hole(functions, D3D10_0_DDI_INTERFACE_VERSION), "pfnPresent");
}

TEST(FixedSlots, AreThoseThatCreateAndDestroy) {
  Functions10 functions = filled();
  FixedSlots fixed(functions);
  functions.v11.pfnDraw = nullptr;  // belongs to the immediate context
  functions.v11.pfnSetRenderTargets = nullptr;
  EXPECT_EQ(fixed.changed(functions), nullptr);
  functions.v11.pfnCreateResource = nullptr;
  functions.v11.pfnCheckCounter = nullptr;
  EXPECT_STREQ(fixed.changed(functions), "pfnCreateResource");
  EXPECT_STREQ(fixed.changed(functions), "pfnCheckCounter");
  EXPECT_EQ(fixed.changed(functions), nullptr) << "each was told once";
}

}  // namespace
}  // namespace umd
