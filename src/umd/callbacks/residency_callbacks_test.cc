#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class ResidencyCallbackTest : public UmdTest {
 protected:
  static constexpr uint64_t kBytes = 0x10000;

  ResidencyCallbackTest() {
    driver.allocation_bytes = kBytes;
    driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) {
      info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = 2;  // the local segment
      info.PreferredSegment.SegmentId0 = 2;
    };
  }

  HRESULT make_resident(const D3DDDICB_CREATEPAGINGQUEUE& queue, const std::vector<D3DKMT_HANDLE>& list,
                        uint64_t* fence = nullptr) {
    D3DDDI_MAKERESIDENT args{};
    args.hPagingQueue = queue.hPagingQueue;
    args.NumAllocations = static_cast<UINT>(list.size());
    args.AllocationList = list.data();
    HRESULT result = table().pfnMakeResidentCb(handle(), &args);
    if (fence) *fence = args.PagingFenceValue;
    return result;
  }
  HRESULT evict(const std::vector<D3DKMT_HANDLE>& list) {
    D3DDDICB_EVICT args{};
    args.NumAllocations = static_cast<UINT>(list.size());
    args.AllocationList = list.data();
    return table().pfnEvictCb(handle(), &args);
  }
  HRESULT wait(const D3DDDICB_CREATEPAGINGQUEUE& queue, UINT64 value) {
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = &queue.hSyncObject;
    args.FenceValueArray = &value;
    return table().pfnWaitForSynchronizationObjectFromCpuCb(handle(), &args);
  }
  HRESULT set_priority(HANDLE resource, const std::vector<D3DKMT_HANDLE>& list, UINT priority) {
    std::vector<UINT> priorities(list.size() + 1, priority);
    D3DDDICB_SETPRIORITY args{};
    args.hResource = resource;
    args.NumAllocations = static_cast<UINT>(list.size());
    args.HandleList = list.empty() ? nullptr : list.data();
    args.pPriorities = priorities.data();
    return table().pfnSetPriorityCb(handle(), &args);
  }
  HRESULT query(HANDLE resource, const std::vector<D3DKMT_HANDLE>& list, D3DDDI_RESIDENCYSTATUS* status) {
    D3DDDICB_QUERYRESIDENCY args{};
    args.hResource = resource;
    args.NumAllocations = static_cast<UINT>(list.size());
    args.HandleList = list.empty() ? nullptr : list.data();
    args.pResidencyStatus = status;
    return table().pfnQueryResidencyCb(handle(), &args);
  }
  uint32_t priority_in_kernel(D3DKMT_HANDLE allocation) {
    UINT priority = 0;
    D3DKMT_GETALLOCATIONPRIORITY args{device().kernel(), 0, &allocation, 1, &priority};
    CHECK(kmt::GetAllocationPriority(program().client, &args) == STATUS_SUCCESS);
    return priority;
  }
};

TEST_F(ResidencyCallbackTest, MakeResidentTellsWhatToWaitFor) {
  run_driver([&] {
    auto queue = make_queue();
    EXPECT_NE(queue.FenceValueCPUVirtualAddress, nullptr);
    D3DKMT_HANDLE allocation = allocate();
    D3DDDI_RESIDENCYSTATUS status{};
    ASSERT_EQ(query(nullptr, {allocation}, &status), S_OK);
    EXPECT_EQ(status, D3DDDI_RESIDENCYSTATUS_NOTRESIDENT);
    uint64_t fence = 0;
    ASSERT_EQ(make_resident(queue, {allocation}, &fence), E_PENDING);
    EXPECT_EQ(wait(queue, fence), S_OK);
    ASSERT_EQ(query(nullptr, {allocation}, &status), S_OK);
    EXPECT_EQ(status, D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY);
    EXPECT_EQ(make_resident(queue, {allocation}), S_OK) << "it is there";
    EXPECT_EQ(evict({allocation, allocation}), S_OK);
    expect_found({});
    EXPECT_EQ(evict({allocation}), E_INVALIDARG);
    expect_found({"EvictUnlisted"});
  });
}

TEST_F(ResidencyCallbackTest, WhatDoesNotFitSaysHowMuchToTrim) {
  driver.segments[1].Size = 4 * kBytes;
  driver.segments[1].CommitLimit = 4 * kBytes;
  run_driver([&] {
    auto queue = make_queue();
    std::vector<D3DKMT_HANDLE> list;
    for (int i = 0; i < 8; ++i) list.push_back(allocate());
    D3DDDI_MAKERESIDENT args{};
    args.hPagingQueue = queue.hPagingQueue;
    args.NumAllocations = 8;
    args.AllocationList = list.data();
    args.Flags.CantTrimFurther = 1;
    EXPECT_EQ(table().pfnMakeResidentCb(handle(), &args), E_OUTOFMEMORY);
    EXPECT_NE(args.NumBytesToTrim, 0u);
    expect_found({});
  });
}

TEST_F(ResidencyCallbackTest, PrioritiesOfAListAndOfAResource) {
  run_driver([&] {
    D3DKMT_HANDLE one = allocate(), other = allocate();
    HANDLE resource = make_resource(2);
    EXPECT_EQ(set_priority(nullptr, {one, other}, D3DDDI_ALLOCATIONPRIORITY_HIGH), S_OK);
    EXPECT_EQ(priority_in_kernel(one), D3DDDI_ALLOCATIONPRIORITY_HIGH);
    EXPECT_EQ(priority_in_kernel(other), D3DDDI_ALLOCATIONPRIORITY_HIGH);
    EXPECT_EQ(set_priority(resource, {}, D3DDDI_ALLOCATIONPRIORITY_LOW), S_OK);
    expect_found({});
    EXPECT_EQ(set_priority(resource, {one}, D3DDDI_ALLOCATIONPRIORITY_LOW), E_INVALIDARG);
    expect_found({"PriorityListWrong"});
  });
}

TEST_F(ResidencyCallbackTest, AResourceIsWhereItsWorstAllocationIs) {
  run_driver([&] {
    HANDLE resource = make_resource(2);
    D3DDDI_RESIDENCYSTATUS status{};
    EXPECT_EQ(query(resource, {}, &status), S_OK);
    EXPECT_EQ(status, D3DDDI_RESIDENCYSTATUS_NOTRESIDENT);
  });
}

TEST_F(ResidencyCallbackTest, WrongAllocationsAreFoundOnceEach) {
  run_driver([&] {
    auto queue = make_queue();
    D3DKMT_HANDLE dead = allocate_and_deallocate();
    D3DDDI_RESIDENCYSTATUS status{};
    for (auto [allocation, finding] :
         {std::pair{kNoHandle, "UmdWrongHandle"}, std::pair{dead, "UmdUsedAfterDeallocation"}}) {
      EXPECT_EQ(make_resident(queue, {allocation}), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(evict({allocation}), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(set_priority(nullptr, {allocation}, 1), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(query(nullptr, {allocation}, &status), E_INVALIDARG);
      expect_found({finding});
    }
  });
}

TEST_F(ResidencyCallbackTest, WrongResourcesAreFoundOnceEach) {
  run_driver([&] {
    HANDLE dead = make_resource();
    deallocate_resource(dead);
    D3DDDI_RESIDENCYSTATUS status{};
    for (auto [resource, finding] :
         {std::pair{handle(), "UmdWrongHandle"}, std::pair{dead, "UmdUsedAfterDeallocation"}}) {
      EXPECT_EQ(set_priority(resource, {}, 1), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(query(resource, {}, &status), E_INVALIDARG);
      expect_found({finding});
    }
  });
}

TEST_F(ResidencyCallbackTest, OfALostDevice) {
  run_driver([&] {
    auto queue = make_queue();
    D3DKMT_HANDLE allocation = allocate();
    lose_device();
    D3DDDI_RESIDENCYSTATUS status{};
    EXPECT_EQ(make_resident(queue, {allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(evict({allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(set_priority(nullptr, {allocation}, 1), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(query(nullptr, {allocation}, &status), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

// --- Paging queues ---

TEST_F(ResidencyCallbackTest, APagingQueueGoesOnce) {
  run_driver([&] {
    auto queue = make_queue();
    D3DDDI_DESTROYPAGINGQUEUE args{.hPagingQueue = queue.hPagingQueue};
    EXPECT_EQ(table().pfnDestroyPagingQueueCb(handle(), &args), S_OK);
    EXPECT_EQ(table().pfnDestroyPagingQueueCb(handle(), &args), E_INVALIDARG);
    EXPECT_EQ(make_resident(queue, {allocate()}), E_INVALIDARG);
  });
}

TEST_F(ResidencyCallbackTest, DestroyingAPagingQueueWaits) {
  run_driver([&] {
    D3DDDI_DESTROYPAGINGQUEUE args{.hPagingQueue = make_queue().hPagingQueue};
    Frame flush = in_function("Flush", Role::Flush, [&] { table().pfnDestroyPagingQueueCb(handle(), &args); });
    EXPECT_TRUE(flush.waited);
  });
}

TEST_F(ResidencyCallbackTest, NoPagingQueueOfAPriorityThatThereIsNot) {
  run_driver([&] {
    D3DDDICB_CREATEPAGINGQUEUE args{};
    args.Priority = static_cast<D3DDDI_PAGINGQUEUE_PRIORITY>(7);
    EXPECT_EQ(table().pfnCreatePagingQueueCb(handle(), &args), E_INVALIDARG);
    EXPECT_EQ(args.hPagingQueue, 0u);
    args = {};
    lose_device();
    EXPECT_EQ(table().pfnCreatePagingQueueCb(handle(), &args), D3DDDIERR_DEVICEREMOVED);
  });
}

}  // namespace
}  // namespace umd::testing
