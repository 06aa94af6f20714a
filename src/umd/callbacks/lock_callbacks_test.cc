#include <cstring>

#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class LockCallbackTest : public UmdTest {
 protected:
  LockCallbackTest() {
    driver.allocation_bytes = kBytes;
    driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) {
      info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = 1;  // the aperture
      info.PreferredSegment.SegmentId0 = 1;
      info.Flags.CpuVisible = 1;
    };
  }
  static constexpr size_t kBytes = 0x10000;

  HRESULT lock(D3DDDICB_LOCK& args) { return table().pfnLockCb(handle(), &args); }
  HRESULT unlock(D3DKMT_HANDLE allocation) {
    D3DDDICB_UNLOCK args{.NumAllocations = 1, .phAllocations = &allocation};
    return table().pfnUnlockCb(handle(), &args);
  }
  HRESULT lock2(D3DKMT_HANDLE allocation, void** data = nullptr) {
    D3DDDICB_LOCK2 args{};
    args.hAllocation = allocation;
    HRESULT result = table().pfnLock2Cb(handle(), &args);
    if (data) *data = args.pData;
    return result;
  }
  HRESULT unlock2(D3DKMT_HANDLE allocation) {
    D3DDDICB_UNLOCK2 args{.hAllocation = allocation};
    return table().pfnUnlock2Cb(handle(), &args);
  }
  HRESULT invalidate(D3DKMT_HANDLE allocation, SIZE_T length = kBytes) {
    D3DDDICB_INVALIDATECACHE args{.hAllocation = allocation, .Offset = 0, .Length = length};
    return table().pfnInvalidateCacheCb(handle(), &args);
  }
  static D3DDDICB_LOCK entire(D3DKMT_HANDLE allocation) {
    D3DDDICB_LOCK args{};
    args.hAllocation = allocation;
    args.Flags.LockEntire = 1;
    return args;
  }
};

TEST_F(LockCallbackTest, BothFormsShowTheSameBytes) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    D3DDDICB_LOCK args = entire(allocation);
    ASSERT_EQ(lock(args), S_OK);
    std::memset(args.pData, 0x5A, kBytes);
    EXPECT_EQ(unlock(allocation), S_OK);
    void* data = nullptr;
    ASSERT_EQ(lock2(allocation, &data), S_OK);
    EXPECT_EQ(static_cast<uint8_t*>(data)[kBytes - 1], 0x5A);
    EXPECT_EQ(invalidate(allocation), S_OK);
    EXPECT_EQ(unlock2(allocation), S_OK);
    expect_found({});
  });
}

TEST_F(LockCallbackTest, WhatIsSharedIsNotRenamed) {
  run_driver([&] {
    Resource* resource;
    {
      RuntimeGuard guard(device().runtime.lock);
      resource = &device().add_resource();
    }
    D3DDDICB_LOCK args = entire(allocate(resource->handle));
    args.Flags.Discard = 1;
    EXPECT_EQ(lock(args), S_OK);
    expect_found({});
    resource->shared = true;
    EXPECT_EQ(lock(args), S_OK);
    expect_found({"UmdSharedRenamed"});
    args.Flags.Discard = 0;
    EXPECT_EQ(lock(args), S_OK);
    expect_found({});
    for (int i = 0; i < 3; ++i) unlock(args.hAllocation);
  });
}

TEST_F(LockCallbackTest, PagesAreCountedFromTheBeginning) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    void* data = nullptr;
    ASSERT_EQ(lock2(allocation, &data), S_OK);
    UINT page = 3;
    D3DDDICB_LOCK args{};
    args.hAllocation = allocation;
    args.NumPages = 1;
    args.pPages = &page;
    ASSERT_EQ(lock(args), S_OK);
    EXPECT_EQ(args.pData, static_cast<uint8_t*>(data) + 3 * 4096);
    D3DKMT_HANDLE twice[] = {allocation, allocation};
    D3DDDICB_UNLOCK both{.NumAllocations = 2, .phAllocations = twice};
    EXPECT_EQ(table().pfnUnlockCb(handle(), &both), S_OK);
  });
}

TEST_F(LockCallbackTest, ALockThatDiscardsKeepsTheHandle) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    D3DDDICB_LOCK args = entire(allocation);
    args.Flags.Discard = 1;
    EXPECT_EQ(lock(args), S_OK);
    EXPECT_EQ(args.hAllocation, allocation);
    EXPECT_EQ(unlock(allocation), S_OK);
  });
}

TEST_F(LockCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    EXPECT_EQ(unlock2(allocation), E_INVALIDARG);
    expect_found({"UnlockUnlocked"});
    D3DDDICB_LOCK args = entire(allocation);
    args.Flags.Reserved = 1;
    EXPECT_EQ(lock(args), E_INVALIDARG);
    EXPECT_EQ(invalidate(allocation, kBytes + 1), E_INVALIDARG);
    expect_found({});
  });
}

TEST_F(LockCallbackTest, WrongAllocationsAreFoundOnceEach) {
  run_driver([&] {
    D3DKMT_HANDLE dead = allocate_and_deallocate();
    for (auto [allocation, finding] :
         {std::pair{kNoHandle, "UmdWrongHandle"}, std::pair{dead, "UmdUsedAfterDeallocation"}}) {
      D3DDDICB_LOCK args = entire(allocation);
      EXPECT_EQ(lock(args), E_INVALIDARG);
      EXPECT_EQ(args.pData, nullptr);
      expect_found({finding});
      EXPECT_EQ(unlock(allocation), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(lock2(allocation), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(unlock2(allocation), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(invalidate(allocation), E_INVALIDARG);
      expect_found({finding});
    }
  });
}

TEST_F(LockCallbackTest, OfALostDeviceNothingIsLocked) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    lose_device();
    D3DDDICB_LOCK args = entire(allocation);
    EXPECT_EQ(lock(args), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(lock2(allocation), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(invalidate(allocation), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
