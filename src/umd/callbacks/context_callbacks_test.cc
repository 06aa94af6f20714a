#include "umd/common/context_use.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class ContextCallbackTest : public UmdTest {
 protected:
  using UmdTest::UmdTest;
  HRESULT destroy(HANDLE context) {
    D3DDDICB_DESTROYCONTEXT args{.hContext = context};
    return table().pfnDestroyContextCb(handle(), &args);
  }
};

class PatchedContextTest : public ContextCallbackTest {
 protected:
  PatchedContextTest() : ContextCallbackTest(Model::Wddm13) {}
};

TEST_F(PatchedContextTest, HasTheBuffersThatTheKernelLends) {
  run_driver([&] {
    auto context = make_context();
    EXPECT_EQ(context.CommandBufferSize, 4096u);
    EXPECT_EQ(context.AllocationListSize, 16u);
    EXPECT_EQ(context.PatchLocationListSize, 32u);
    ASSERT_NE(context.pCommandBuffer, nullptr);
    static_cast<uint8_t*>(context.pCommandBuffer)[4095] = 1;
    EXPECT_NE(context.hContext, make_context().hContext);
    EXPECT_EQ(destroy(context.hContext), S_OK);
    expect_found({});
  });
}

TEST_F(PatchedContextTest, NoVirtualAddressesWhereTheGpuHasNone) {
  run_driver([&] {
    D3DDDICB_CREATECONTEXTVIRTUAL args{};
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), D3DERR_NOTAVAILABLE);
    EXPECT_EQ(args.hContext, nullptr);
  });
}

TEST_F(ContextCallbackTest, AHandleIsNoAddressAndDiesWithItsContext) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    EXPECT_EQ(destroy(context), S_OK);
    expect_found({});
    EXPECT_EQ(destroy(context), E_INVALIDARG);
    ASSERT_EQ(observer.violations.size(), 1u);
    EXPECT_THAT(observer.violations[0].sentence,
                ::testing::HasSubstr("pfnDestroyContextCb was called with the handle of a "
                                     "context that has been destroyed"));
    expect_found({"UmdWrongHandle"});
    EXPECT_NE(make_virtual_context(), context);
  });
}

TEST_F(ContextCallbackTest, WrongHandlesAreFound) {
  run_driver([&] {
    for (HANDLE wrong : {HANDLE{nullptr}, handle(), make_resource(), make_virtual_context(&other_device())}) {
      EXPECT_EQ(destroy(wrong), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
    }
  });
}

TEST_F(ContextCallbackTest, PrivateDataGoToTheMiniportDriver) {
  uint8_t seen = 0;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    seen = *static_cast<const uint8_t*>(args.pPrivateDriverData);
    return STATUS_SUCCESS;
  };
  run_driver([&] {
    uint8_t data = 42;
    D3DDDICB_CREATECONTEXTVIRTUAL args{};
    args.pPrivateDriverData = &data;
    args.PrivateDriverDataSize = 1;
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), S_OK);
    EXPECT_EQ(seen, 42);
  });
}

TEST_F(ContextCallbackTest, WhatTheKernelRefusesIsTranslatedAndLeavesNothing) {
  run_driver([&] {
    D3DDDICB_CREATECONTEXTVIRTUAL args{};
    args.NodeOrdinal = 99;
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), E_INVALIDARG);
    args = {};
    args.Flags.Reserved = 1;
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), E_INVALIDARG);
    args = {};
    args.PrivateDriverDataSize = 8;
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), E_INVALIDARG) << "data that are not there";
    args = {};
    lose_device();
    EXPECT_EQ(table().pfnCreateContextVirtualCb(handle(), &args), D3DDDIERR_DEVICEREMOVED);
    D3DDDICB_CREATECONTEXT patched{};
    EXPECT_EQ(table().pfnCreateContextCb(handle(), &patched), D3DDDIERR_DEVICEREMOVED);
    RuntimeGuard guard(device().runtime.lock);
    EXPECT_TRUE(device().contexts().empty());
  });
}

TEST_F(ContextCallbackTest, OfALostDeviceItCanStillBeDestroyed) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    lose_device();
    EXPECT_EQ(destroy(context), S_OK);
    expect_found({});
  });
}

TEST_F(ContextCallbackTest, DestroyingAContextWaits) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    EXPECT_TRUE(in_function("Flush", Role::Flush, [&] { destroy(context); }).waited);
  });
}

TEST_F(ContextCallbackTest, OneThreadAtATimeUsesAContext) {
  run_driver([&] {
    device().threaded = true;
    HANDLE context = make_virtual_context();
    {
      ContextUse use(device(), Callback::SubmitCommand);
      ASSERT_EQ(use.add(context), S_OK);
      ASSERT_EQ(use.add(context), S_OK) << "named twice by the same call";
      on_other_thread([&] { EXPECT_EQ(destroy(context), E_INVALIDARG); });
      expect_found({"UmdContextShared"});
    }
    on_other_thread([&] { EXPECT_EQ(destroy(context), S_OK); });
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
