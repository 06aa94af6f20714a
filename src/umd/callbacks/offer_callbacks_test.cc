#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

class OfferCallbackTest : public UmdTest {
 protected:
  HRESULT offer(const std::vector<D3DKMT_HANDLE>& list) {
    D3DDDICB_OFFERALLOCATIONS args{};
    args.HandleList = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.Priority = D3DDDI_OFFER_PRIORITY_LOW;
    return table().pfnOfferAllocationsCb(handle(), &args);
  }
  HRESULT offer2(const std::vector<D3DKMT_HANDLE>& list, UINT flags = 1) {
    D3DDDICB_OFFERALLOCATIONS2 args{};
    args.HandleList = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.Priority = D3DDDI_OFFER_PRIORITY_NORMAL;
    args.Flags.Value = flags;
    return table().pfnOfferAllocations2Cb(handle(), &args);
  }
  HRESULT offer_resources(const std::vector<HANDLE>& list) {
    D3DDDICB_OFFERALLOCATIONS args{};
    args.pResources = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.Priority = D3DDDI_OFFER_PRIORITY_HIGH;
    return table().pfnOfferAllocationsCb(handle(), &args);
  }
  HRESULT reclaim(const std::vector<D3DKMT_HANDLE>& list, BOOL* discarded = nullptr) {
    D3DDDICB_RECLAIMALLOCATIONS args{};
    args.HandleList = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.pDiscarded = discarded;
    return table().pfnReclaimAllocationsCb(handle(), &args);
  }
  HRESULT reclaim2(D3DKMT_HANDLE queue, const std::vector<D3DKMT_HANDLE>& list, BOOL* discarded = nullptr) {
    D3DDDICB_RECLAIMALLOCATIONS2 args{};
    args.PagingQueue = queue;
    args.HandleList = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.pDiscarded = discarded;
    return table().pfnReclaimAllocations2Cb(handle(), &args);
  }
  HRESULT reclaim3(D3DKMT_HANDLE queue, const std::vector<HANDLE>& list, D3DDDI_RECLAIM_RESULT* results) {
    D3DDDICB_RECLAIMALLOCATIONS3 args{};
    args.PagingQueue = queue;
    args.pResources = list.data();
    args.NumAllocations = static_cast<UINT>(list.size());
    args.pResults = results;
    return table().pfnReclaimAllocations3Cb(handle(), &args);
  }
};

TEST_F(OfferCallbackTest, AnOfferComesAfterTheSubmission) {
  run_driver([&] {
    Resource* resource;
    {
      RuntimeGuard guard(device().runtime.lock);
      resource = &device().add_resource();
    }
    D3DKMT_HANDLE allocation = allocate(resource->handle);
    auto draw = [&] { device().use(*device().frame(), {resource}); };
    draw();
    EXPECT_EQ(offer({allocation}), S_OK);
    expect_found({"UmdOfferedUnsubmitted"});
    EXPECT_EQ(reclaim({allocation}), S_OK);
    draw();
    EXPECT_EQ(offer_resources({resource->handle}), S_OK);
    expect_found({"UmdOfferedUnsubmitted"});
    EXPECT_EQ(reclaim({allocation}), S_OK);
    draw();
    {
      RuntimeGuard guard(device().runtime.lock);
      device().submitted();
    }
    EXPECT_EQ(offer({allocation}), S_OK);
    expect_found({});
    EXPECT_EQ(reclaim({allocation}), S_OK);
  });
}

TEST_F(OfferCallbackTest, WhatIsOfferedIsReclaimed) {
  run_driver([&] {
    D3DKMT_HANDLE queue = make_queue().hPagingQueue;
    D3DKMT_HANDLE allocation = allocate();
    BOOL discarded = 7;
    EXPECT_EQ(offer({allocation}), S_OK);
    EXPECT_EQ(reclaim({allocation}, &discarded), S_OK);
    EXPECT_EQ(discarded, FALSE);
    EXPECT_EQ(offer2({allocation}), S_OK);
    discarded = 7;
    EXPECT_EQ(reclaim2(queue, {allocation}, &discarded), S_OK);
    EXPECT_EQ(discarded, FALSE);
    expect_found({});
  });
}

TEST_F(OfferCallbackTest, ResourcesAreNamedByTheRuntimesHandles) {
  run_driver([&] {
    D3DKMT_HANDLE queue = make_queue().hPagingQueue;
    HANDLE one = make_resource(2), other = make_resource(1);
    EXPECT_EQ(offer_resources({one, other}), S_OK);
    D3DDDI_RECLAIM_RESULT results[2] = {D3DDDI_RECLAIM_RESULT_DISCARDED, D3DDDI_RECLAIM_RESULT_DISCARDED};
    EXPECT_EQ(reclaim3(queue, {one, other}, results), S_OK);
    EXPECT_EQ(results[0], D3DDDI_RECLAIM_RESULT_OK);
    EXPECT_EQ(results[1], D3DDDI_RECLAIM_RESULT_OK);
    expect_found({});
  });
}

TEST_F(OfferCallbackTest, WrongNamesAreFoundOnceEach) {
  run_driver([&] {
    D3DKMT_HANDLE queue = make_queue().hPagingQueue;
    D3DKMT_HANDLE dead = allocate_and_deallocate();
    for (auto [allocation, finding] :
         {std::pair{kNoHandle, "UmdWrongHandle"}, std::pair{dead, "UmdUsedAfterDeallocation"}}) {
      EXPECT_EQ(offer({allocation}), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(offer2({allocation}), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(reclaim({allocation}), E_INVALIDARG);
      expect_found({finding});
      EXPECT_EQ(reclaim2(queue, {allocation}), E_INVALIDARG);
      expect_found({finding});
    }
    HANDLE resource = make_resource();
    EXPECT_EQ(offer_resources({resource, handle()}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    D3DDDI_RECLAIM_RESULT results[2];
    EXPECT_EQ(reclaim3(queue, {resource, nullptr}, results), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(OfferCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    D3DKMT_HANDLE allocation = allocate();
    EXPECT_EQ(offer2({allocation}, 2), E_INVALIDARG) << "a reserved flag";
    EXPECT_EQ(reclaim2(kNoHandle, {allocation}), E_INVALIDARG) << "no paging queue";
    expect_found({});
    D3DDDICB_OFFERALLOCATIONS args{};
    args.HandleList = &allocation;
    args.NumAllocations = 1;
    args.Priority = static_cast<D3DDDI_OFFER_PRIORITY>(99);
    EXPECT_EQ(table().pfnOfferAllocationsCb(handle(), &args), E_INVALIDARG);
    expect_found({"OfferListWrong"});
  });
}

TEST_F(OfferCallbackTest, OfALostDevice) {
  run_driver([&] {
    D3DKMT_HANDLE queue = make_queue().hPagingQueue;
    D3DKMT_HANDLE allocation = allocate();
    HANDLE resource = make_resource();
    lose_device();
    D3DDDI_RECLAIM_RESULT result{};
    EXPECT_EQ(offer({allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(offer2({allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(reclaim({allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(reclaim2(queue, {allocation}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(reclaim3(queue, {resource}, &result), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
