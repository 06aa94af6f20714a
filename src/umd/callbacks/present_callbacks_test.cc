#include "umd/common/presenting.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

using dxgk::Ddi;

class PresentCallbackTest : public UmdTest {
 protected:
  PresentCallbackTest() : UmdTest(Model::Wddm13) {
    driver.present = [this](DXGKARG_PRESENT& args) {
      shown.push_back(args);
      return STATUS_SUCCESS;
    };
  }
  static constexpr RECT kFrom{0, 0, 16, 16}, kTo{4, 4, 20, 20};

  HRESULT present(const D3DDDICB_PRESENT& args) { return table().pfnPresentCb(handle(), &args); }
  D3DDDICB_PRESENT copy(HANDLE context) {
    D3DDDICB_PRESENT args{};
    args.hContext = context;
    args.hSrcAllocation = allocate();
    args.hDstAllocation = allocate();
    return args;
  }

  std::vector<DXGKARG_PRESENT> shown;
};

TEST_F(PresentCallbackTest, TheProgramSaysWhereAndTheDriverWhat) {
  run_driver([&] {
    auto args = copy(make_context().hContext);
    Presenting presenting(device(), kFrom, kTo);
    EXPECT_EQ(present(args), S_OK);
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_TRUE(shown[0].Flags.Blt);
    EXPECT_EQ(shown[0].SrcRect.right, 16);
    EXPECT_EQ(shown[0].DstRect.left, 4);
    EXPECT_EQ(submissions(), 1u);
    expect_found({});
  });
}

TEST_F(PresentCallbackTest, WithoutASourceTheDestinationIsFilled) {
  run_driver([&] {
    auto args = copy(make_context().hContext);
    args.hSrcAllocation = 0;
    Presenting presenting(device(), kFrom, kTo, 0xFF00FF);
    EXPECT_EQ(present(args), S_OK);
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_TRUE(shown[0].Flags.ColorFill);
    EXPECT_EQ(shown[0].Color, 0xFF00FFu);
    EXPECT_EQ(shown[0].DstRect.right, 20);
  });
}

TEST_F(PresentCallbackTest, OnlyWhileTheProgramPresents) {
  run_driver([&] {
    auto args = copy(make_context().hContext);
    { Presenting presenting(device(), kFrom, kTo); }
    EXPECT_EQ(present(args), E_INVALIDARG);
    EXPECT_EQ(submissions(), 0u);
  });
}

TEST_F(PresentCallbackTest, WrongHandlesAreFoundOnceEach) {
  run_driver([&] {
    auto context = make_context().hContext;
    Presenting presenting(device(), kFrom, kTo);
    auto args = copy(nullptr);
    EXPECT_EQ(present(args), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    args = copy(context);
    args.hSrcAllocation = allocate_and_deallocate();
    EXPECT_EQ(present(args), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
    args = copy(context);
    args.hDstAllocation = kNoHandle;
    EXPECT_EQ(present(args), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    EXPECT_EQ(driver.calls(Ddi::Present), 0u);
  });
}

TEST_F(PresentCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    auto args = copy(make_context().hContext);
    Presenting presenting(device(), kFrom, kTo);
    args.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    EXPECT_EQ(present(args), E_INVALIDARG);
    args.BroadcastContextCount = 0;
    args.hDstAllocation = 0;
    EXPECT_EQ(present(args), D3DERR_NOTAVAILABLE) << "there are no windows";
    args = copy(args.hContext);
    lose_device();
    EXPECT_EQ(present(args), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(submissions(), 0u);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
