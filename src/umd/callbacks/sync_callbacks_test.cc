#include "kmt/testing/sync_fixture.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class SyncCallbackTest : public UmdTest {
 protected:
  HRESULT destroy(D3DKMT_HANDLE object) {
    D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT args{.hSyncObject = object};
    return table().pfnDestroySynchronizationObjectCb(handle(), &args);
  }
  HRESULT wait(D3DKMT_HANDLE object, UINT64 value, HANDLE event = nullptr) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.FenceValueArray = &value;
    args.hAsyncEvent = event;
    return table().pfnWaitForSynchronizationObjectFromCpuCb(handle(), &args);
  }
  HRESULT signal(D3DKMT_HANDLE object, UINT64 value) {
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.FenceValueArray = &value;
    return table().pfnSignalSynchronizationObjectFromCpuCb(handle(), &args);
  }
};

TEST_F(SyncCallbackTest, ObjectsAreTheKernels) {
  run_driver([&] {
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT mutex{};
    mutex.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
    EXPECT_EQ(table().pfnCreateSynchronizationObjectCb(handle(), &mutex), S_OK);
    EXPECT_NE(mutex.hSyncObject, 0u);
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 fence{};
    fence.Info.Type = D3DDDI_MONITORED_FENCE;
    fence.Info.MonitoredFence.InitialFenceValue = 5;
    ASSERT_EQ(table().pfnCreateSynchronizationObject2Cb(handle(), &fence), S_OK);
    EXPECT_EQ(*static_cast<const volatile uint64_t*>(fence.Info.MonitoredFence.FenceValueCPUVirtualAddress), 5u);
    EXPECT_EQ(destroy(mutex.hSyncObject), S_OK);
    EXPECT_EQ(destroy(fence.hSyncObject), S_OK);
    EXPECT_EQ(destroy(fence.hSyncObject), E_INVALIDARG);
    expect_found({});
  });
}

TEST_F(SyncCallbackTest, NoObjectOfATypeThatThereIsNot) {
  run_driver([&] {
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 args{};
    EXPECT_EQ(table().pfnCreateSynchronizationObject2Cb(handle(), &args), E_INVALIDARG);
    EXPECT_EQ(args.hSyncObject, 0u);
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT first{};
    EXPECT_EQ(table().pfnCreateSynchronizationObjectCb(handle(), &first), E_INVALIDARG);
  });
}

TEST_F(SyncCallbackTest, TheCpuSignalsAndWaits) {
  run_driver([&] {
    D3DKMT_HANDLE fence = make_fence();
    EXPECT_EQ(signal(fence, 3), S_OK);
    EXPECT_EQ(wait(fence, 3), S_OK);
    auto made = kmt::testing::CountingEvent::create(kernel().ordinals());
    base::Ref<kmt::testing::CountingEvent> object = made.ref();
    HANDLE event = program().handles.publish(std::move(made)).take();
    EXPECT_EQ(wait(fence, 4, event), S_OK);
    EXPECT_FALSE(object->take());
    EXPECT_EQ(signal(fence, 4), S_OK);
    EXPECT_TRUE(object->take());
    expect_found({});
  });
}

TEST_F(SyncCallbackTest, AWaitInAFlushIsRememberedUnlessAnEventIsToldLater) {
  run_driver([&] {
    D3DKMT_HANDLE fence = make_fence();
    auto made = kmt::testing::CountingEvent::create(kernel().ordinals());
    HANDLE event = program().handles.publish(std::move(made)).take();
    EXPECT_FALSE(in_function("Flush", Role::Flush, [&] { wait(fence, 1, event); }).waited);
    EXPECT_EQ(signal(fence, 1), S_OK);
    EXPECT_TRUE(in_function("Flush", Role::Flush, [&] { wait(fence, 1); }).waited);
  });
}

TEST_F(SyncCallbackTest, WrongObjectsAreRefused) {
  run_driver([&] {
    EXPECT_EQ(destroy(kNoHandle), E_INVALIDARG);
    EXPECT_EQ(wait(kNoHandle, 1), E_INVALIDARG);
    EXPECT_EQ(signal(kNoHandle, 1), E_INVALIDARG);
    EXPECT_EQ(signal(allocate(), 1), E_INVALIDARG);
    EXPECT_EQ(wait(make_fence(D3DDDI_FENCE), 1), E_INVALIDARG) << "the CPU waits for monitored fences";
    expect_found({});
  });
}

TEST_F(SyncCallbackTest, OfALostDevice) {
  run_driver([&] {
    D3DKMT_HANDLE fence = make_fence();
    lose_device();
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.Info.Type = D3DDDI_MONITORED_FENCE;
    EXPECT_EQ(table().pfnCreateSynchronizationObject2Cb(handle(), &args), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(wait(fence, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(signal(fence, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(destroy(fence), S_OK);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
