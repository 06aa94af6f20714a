// Offers: US-21, US-22.
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

class OfferTest : public MemoryTest {
 protected:
  OfferTest() { place_in(kAperture); }

  static D3DKMT_OFFERALLOCATIONS offer_args(Program& program, const std::vector<D3DKMT_HANDLE>& handles) {
    D3DKMT_OFFERALLOCATIONS args{};
    args.hDevice = program.device;
    args.HandleList = handles.data();
    args.NumAllocations = static_cast<UINT>(handles.size());
    args.Priority = D3DKMT_OFFER_PRIORITY_NORMAL;
    return args;
  }
  static NTSTATUS offer(Program& program, const std::vector<D3DKMT_HANDLE>& handles) {
    auto args = offer_args(program, handles);
    return OfferAllocations(program.client, &args);
  }
  static NTSTATUS reclaim(Program& program, const std::vector<D3DKMT_HANDLE>& handles, BOOL* discarded = nullptr) {
    D3DKMT_RECLAIMALLOCATIONS args{program.device, nullptr, handles.data(), discarded,
                                   static_cast<UINT>(handles.size())};
    return ReclaimAllocations(program.client, &args);
  }
  static NTSTATUS lock(Program& program, D3DKMT_HANDLE allocation) {
    D3DKMT_LOCK2 args{program.device, allocation, {}, nullptr};
    return Lock2(program.client, &args);
  }
  static NTSTATUS unlock(Program& program, D3DKMT_HANDLE allocation) {
    D3DKMT_UNLOCK2 args{program.device, allocation};
    return Unlock2(program.client, &args);
  }
};

TEST_F(OfferTest, US21_ReclaimedBeforeItIsLocked) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    EXPECT_EQ(lock(program, a), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockOffered"});
    BOOL discarded = 7;
    EXPECT_EQ(reclaim(program, {a}, &discarded), STATUS_SUCCESS);
    EXPECT_EQ(discarded, FALSE);
    EXPECT_EQ(lock(program, a), STATUS_SUCCESS);
    EXPECT_EQ(offer(program, {a}), STATUS_INVALID_PARAMETER) << "locked";
    EXPECT_EQ(unlock(program, a), STATUS_SUCCESS);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    EXPECT_EQ(offer(program, {a}), STATUS_INVALID_PARAMETER) << "offered already";
    EXPECT_EQ(reclaim(program, {a, a}), STATUS_SUCCESS) << "who does not ask does not care";
  });
}

TEST_F(OfferTest, US22_ResourcesOrAllocations) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    std::vector<D3DKMT_HANDLE> list = {made.allocations[0]};
    auto args = offer_args(program, list);
    args.pResources = &made.resource;
    EXPECT_EQ(OfferAllocations(program.client, &args), STATUS_INVALID_PARAMETER) << "both";
    EXPECT_EQ(findings(), Findings{"OfferListWrong"});
    args.HandleList = args.pResources = nullptr;
    EXPECT_EQ(OfferAllocations(program.client, &args), STATUS_INVALID_PARAMETER) << "neither";
    args.pResources = &made.resource;
    EXPECT_EQ(OfferAllocations(program.client, &args), STATUS_SUCCESS);
    for (D3DKMT_HANDLE child : made.allocations) EXPECT_EQ(lock(program, child), STATUS_INVALID_PARAMETER);
    BOOL discarded = 7;
    D3DKMT_RECLAIMALLOCATIONS back{program.device, &made.resource, nullptr, &discarded, 1};
    EXPECT_EQ(ReclaimAllocations(program.client, &back), STATUS_SUCCESS);
    EXPECT_EQ(discarded, FALSE);
    for (D3DKMT_HANDLE child : made.allocations) EXPECT_EQ(lock(program, child), STATUS_SUCCESS);
    back.HandleList = &list[0];
    EXPECT_EQ(ReclaimAllocations(program.client, &back), STATUS_INVALID_PARAMETER) << "both";
  });
}

TEST_F(OfferTest, PrioritiesFlagsAndCounts) {
  run_program([&](Program& program) {
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    for (UINT priority : {0u, 5u, UINT32_MAX}) {
      auto args = offer_args(program, list);
      std::memcpy(&args.Priority, &priority, sizeof(priority));
      EXPECT_EQ(OfferAllocations(program.client, &args), STATUS_INVALID_PARAMETER) << priority;
    }
    auto args = offer_args(program, list);
    args.Flags.Value = 4;
    EXPECT_EQ(OfferAllocations(program.client, &args), STATUS_INVALID_PARAMETER);
    for (UINT count : {0u, 1u << 20, UINT32_MAX}) {
      args = offer_args(program, list);
      args.NumAllocations = count;
      EXPECT_LT(OfferAllocations(program.client, &args), 0) << count;
      D3DKMT_RECLAIMALLOCATIONS back{program.device, nullptr, list.data(), nullptr, count};
      EXPECT_LT(ReclaimAllocations(program.client, &back), 0) << count;
    }
    EXPECT_EQ(offer(program, {list[0], kNoHandle}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(lock(program, list[0]), STATUS_SUCCESS) << "nothing was offered";
  });
}

TEST_F(OfferTest, WhatWasDiscardedIsTold) {
  place_in(kLocal);
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program), b = make(program);
    ASSERT_EQ(make_resident(program, queue, {a, b}), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, {a, b}, 1), STATUS_SUCCESS);
    vidmm::Knobs knobs;
    knobs.always_discard_offer = true;
    adapter().memory().set_knobs(knobs);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    adapter().memory().set_knobs({});
    BOOL discarded[2] = {7, 7};
    EXPECT_EQ(reclaim(program, {a, b}, discarded), STATUS_SUCCESS);
    EXPECT_EQ(discarded[0], TRUE);
    EXPECT_EQ(discarded[1], FALSE) << "it was not offered";
    EXPECT_EQ(reclaim(program, {a}, discarded), STATUS_SUCCESS);
    EXPECT_EQ(discarded[0], FALSE) << "it has been told";
  });
}

TEST_F(OfferTest, Reclaim2_PagesInWhatIsListed) {
  place_in(kLocal);
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    vidmm::Knobs knobs;
    knobs.always_discard_offer = true;
    adapter().memory().set_knobs(knobs);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    adapter().memory().set_knobs({});
    EXPECT_EQ(residency(program, a), D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT);
    D3DKMT_RECLAIMALLOCATIONS2 args{};
    BOOL discarded = 7;
    args.hPagingQueue = queue.hPagingQueue;
    args.NumAllocations = 1;
    args.HandleList = &a;
    args.pDiscarded = &discarded;
    EXPECT_EQ(ReclaimAllocations2(program.client, &args), STATUS_PENDING);
    EXPECT_EQ(discarded, TRUE);
    EXPECT_EQ(wait(program, queue, args.PagingFenceValue), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, a), D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY);
    EXPECT_EQ(ReclaimAllocations2(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.PagingFenceValue, 0u);
    EXPECT_EQ(discarded, FALSE);
  });
}

TEST_F(OfferTest, ResultsThatCannotBeToldChangeNothing) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    EdgePages pages;
    EXPECT_EQ(reclaim(program, {a}, static_cast<BOOL*>(pages.before(2))), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(lock(program, a), STATUS_INVALID_PARAMETER) << "it is still offered";
    EXPECT_EQ(reclaim(program, {a}), STATUS_SUCCESS);
  });
}

TEST_F(OfferTest, WslKnowsOnlyTheSecondReclaim) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program);
    EXPECT_EQ(offer(program, {a}), STATUS_SUCCESS);
    EXPECT_EQ(reclaim(program, {a}), STATUS_NOT_SUPPORTED);
    auto queue = make_queue(program);
    D3DKMT_RECLAIMALLOCATIONS2 args{};
    args.hPagingQueue = queue.hPagingQueue;
    args.NumAllocations = 1;
    args.HandleList = &a;
    EXPECT_EQ(ReclaimAllocations2(program.client, &args), STATUS_SUCCESS);
  });
}

TEST_F(OfferTest, ALostDeviceOffersNothing) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program);
    D3DKMT_MARKDEVICEASERROR lose{.hDevice = program.device, .Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC};
    ASSERT_EQ(MarkDeviceAsError(program.client, &lose), STATUS_SUCCESS);
    EXPECT_EQ(offer(program, {a}), STATUS_DEVICE_REMOVED);
    EXPECT_EQ(reclaim(program, {a}), STATUS_DEVICE_REMOVED);
  });
}

}  // namespace
}  // namespace kmt::testing
