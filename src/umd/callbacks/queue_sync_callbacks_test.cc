#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class QueueSyncCallbackTest : public UmdTest {
 protected:
  HRESULT wait(HANDLE context, D3DKMT_HANDLE object) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = object;
    return table().pfnWaitForSynchronizationObjectCb(handle(), &args);
  }
  HRESULT wait2(HANDLE context, D3DKMT_HANDLE object, uint64_t value) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT2 args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = object;
    args.FenceValue = value;
    return table().pfnWaitForSynchronizationObject2Cb(handle(), &args);
  }
  HRESULT signal(HANDLE context, D3DKMT_HANDLE object) {
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = object;
    return table().pfnSignalSynchronizationObjectCb(handle(), &args);
  }
  HRESULT signal2(const std::vector<HANDLE>& contexts, D3DKMT_HANDLE object, uint64_t value) {
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2 args{};
    args.hContext = contexts[0];
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = object;
    args.BroadcastContextCount = static_cast<ULONG>(contexts.size() - 1);
    std::copy(contexts.begin() + 1, contexts.end(), args.BroadcastContext);
    args.FenceValue = value;
    return table().pfnSignalSynchronizationObject2Cb(handle(), &args);
  }
  HRESULT wait_from_gpu(HANDLE context, D3DKMT_HANDLE object, UINT64 value) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.MonitoredFenceValueArray = &value;
    return table().pfnWaitForSynchronizationObjectFromGpuCb(handle(), &args);
  }
  HRESULT signal_from_gpu(HANDLE context, D3DKMT_HANDLE object, UINT64 value) {
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.MonitoredFenceValueArray = &value;
    return table().pfnSignalSynchronizationObjectFromGpuCb(handle(), &args);
  }
  HRESULT signal_from_gpu2(const std::vector<HANDLE>& contexts, D3DKMT_HANDLE object, UINT64 value) {
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.BroadcastContextCount = static_cast<ULONG>(contexts.size());
    args.BroadcastContextArray = contexts.data();
    args.MonitoredFenceValueArray = &value;
    return table().pfnSignalSynchronizationObjectFromGpu2Cb(handle(), &args);
  }
  // Until the queues have brought the fence there.
  HRESULT reach(D3DKMT_HANDLE fence, UINT64 value) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = &fence;
    args.FenceValueArray = &value;
    return table().pfnWaitForSynchronizationObjectFromCpuCb(handle(), &args);
  }
};

TEST_F(QueueSyncCallbackTest, OneQueueWaitsForAnother) {
  run_driver([&] {
    HANDLE first = make_virtual_context(), second = make_virtual_context();
    D3DKMT_HANDLE ready = make_fence(), done = make_fence();
    EXPECT_EQ(wait_from_gpu(second, ready, 7), S_OK);
    EXPECT_EQ(signal_from_gpu(second, done, 1), S_OK);
    EXPECT_EQ(signal_from_gpu2({first}, ready, 7), S_OK);
    EXPECT_EQ(reach(done, 1), S_OK);
    expect_found({});
  });
}

TEST_F(QueueSyncCallbackTest, TheOlderFormsKnowTheOlderObjects) {
  run_driver([&] {
    HANDLE first = make_virtual_context(), second = make_virtual_context();
    D3DKMT_HANDLE mutex = make_fence(D3DDDI_SYNCHRONIZATION_MUTEX), fence = make_fence(D3DDDI_FENCE),
                  done = make_fence();
    EXPECT_EQ(wait(first, mutex), S_OK);
    EXPECT_EQ(signal(first, mutex), S_OK);
    EXPECT_EQ(wait2(second, fence, 9), S_OK);
    EXPECT_EQ(signal_from_gpu(second, done, 1), S_OK);
    EXPECT_EQ(signal2({first}, fence, 9), S_OK);
    EXPECT_EQ(reach(done, 1), S_OK);
    expect_found({});
  });
}

TEST_F(QueueSyncCallbackTest, ABroadcastNamesContextsOfTheRuntime) {
  run_driver([&] {
    HANDLE first = make_virtual_context(), second = make_virtual_context();
    D3DKMT_HANDLE fence = make_fence(D3DDDI_FENCE), monitored = make_fence();
    EXPECT_EQ(signal2({first, second}, fence, 2), S_OK);
    EXPECT_EQ(signal_from_gpu2({first, second}, monitored, 2), S_OK);
    EXPECT_EQ(reach(monitored, 2), S_OK);
    expect_found({});
    EXPECT_EQ(signal2({first, handle()}, fence, 3), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    EXPECT_EQ(signal_from_gpu2({first, nullptr}, monitored, 3), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(QueueSyncCallbackTest, WrongContextsAreFoundOnceEach) {
  run_driver([&] {
    D3DKMT_HANDLE fence = make_fence(D3DDDI_FENCE), monitored = make_fence();
    for (HANDLE wrong : {HANDLE{nullptr}, make_virtual_context(&other_device())}) {
      EXPECT_EQ(wait(wrong, fence), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(wait2(wrong, fence, 1), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(signal(wrong, fence), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(signal2({wrong}, fence, 1), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(wait_from_gpu(wrong, monitored, 1), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(signal_from_gpu(wrong, monitored, 1), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
      EXPECT_EQ(signal_from_gpu2({wrong}, monitored, 1), E_INVALIDARG);
      expect_found({"UmdWrongHandle"});
    }
  });
}

TEST_F(QueueSyncCallbackTest, ImpossibleCountsAndListsAreRefused) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT objects{};
    objects.hContext = context;
    objects.ObjectCount = D3DDDI_MAX_OBJECT_WAITED_ON + 1;
    EXPECT_EQ(table().pfnWaitForSynchronizationObjectCb(handle(), &objects), E_INVALIDARG);
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT2 contexts{};
    contexts.hContext = context;
    contexts.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    EXPECT_EQ(table().pfnSignalSynchronizationObject2Cb(handle(), &contexts), E_INVALIDARG);
    D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 list{};
    list.BroadcastContextCount = 1;
    EXPECT_EQ(table().pfnSignalSynchronizationObjectFromGpu2Cb(handle(), &list), E_INVALIDARG);
    list.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    EXPECT_EQ(table().pfnSignalSynchronizationObjectFromGpu2Cb(handle(), &list), E_INVALIDARG);
    EXPECT_EQ(wait(context, kNoHandle), E_INVALIDARG);
    expect_found({});
  });
}

TEST_F(QueueSyncCallbackTest, OfALostDevice) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    D3DKMT_HANDLE mutex = make_fence(D3DDDI_SYNCHRONIZATION_MUTEX), fence = make_fence(D3DDDI_FENCE);
    D3DKMT_HANDLE monitored = make_fence();
    lose_device();
    EXPECT_EQ(wait(context, mutex), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(wait2(context, fence, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(signal(context, mutex), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(signal2({context}, fence, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(wait_from_gpu(context, monitored, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(signal_from_gpu(context, monitored, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(signal_from_gpu2({context}, monitored, 1), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
