// Paging queues: RS-08, RS-19.
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

class PagingQueueTest : public MemoryTest {
 protected:
  using MemoryTest::MemoryTest;
};

TEST_F(PagingQueueTest, HasAFenceOfItsOwn) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    EXPECT_TRUE(is_local(queue.hPagingQueue));
    EXPECT_TRUE(is_local(queue.hSyncObject));
    EXPECT_NE(queue.hPagingQueue, queue.hSyncObject);
    ASSERT_NE(queue.FenceValueCPUVirtualAddress, nullptr);
    EXPECT_EQ(value_of(queue), 0u);
    EXPECT_EQ(wait(program, queue, 0), STATUS_SUCCESS);
    EXPECT_EQ(program.live(ob::ObjectKind::PagingQueue), 1u);
    EXPECT_EQ(destroy_queue(program, queue.hPagingQueue), STATUS_SUCCESS);
    EXPECT_EQ(program.live(ob::ObjectKind::PagingQueue), 0u);
    EXPECT_EQ(program.live(ob::ObjectKind::SyncObject), 0u);
    EXPECT_EQ(destroy_queue(program, queue.hPagingQueue), STATUS_INVALID_PARAMETER) << "twice";
    EXPECT_EQ(wait(program, queue, 0), STATUS_INVALID_PARAMETER) << "the fence has gone with it";
  });
}

TEST_F(PagingQueueTest, RS08_ValuesRise) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    uint64_t last = 0;
    for (int i = 0; i < 4; ++i) {
      std::vector<D3DKMT_HANDLE> list = {make(program)};
      D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
      ASSERT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
      EXPECT_GT(args.PagingFenceValue, last);
      last = args.PagingFenceValue;
    }
    EXPECT_EQ(wait(program, queue, last), STATUS_SUCCESS);
    EXPECT_EQ(value_of(queue), last);
  });
}

TEST_F(PagingQueueTest, RS19_ItsEndWaitsForWhatWasAsked) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    ASSERT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
    size_t before = driver.calls(dxgk::Ddi::BuildPagingBuffer);
    EXPECT_EQ(destroy_queue(program, queue.hPagingQueue), STATUS_SUCCESS);
    EXPECT_GT(driver.calls(dxgk::Ddi::BuildPagingBuffer), before);
    EXPECT_EQ(residency(program, list[0]), D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY);
  });
}

TEST_F(PagingQueueTest, OnlyTheKernelSignalsIt) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    UINT64 value = 7;
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = program.device;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &queue.hSyncObject;
    args.FenceValueArray = &value;
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(program.client, &args), STATUS_ACCESS_DENIED);
    EXPECT_EQ(value_of(queue), 0u);
  });
}

TEST_F(PagingQueueTest, WhatThereIsNot) {
  run_program([&](Program& program) {
    for (int32_t priority : {-2, 2, INT32_MIN}) {
      auto args = queue_args(program);
      std::memcpy(&args.Priority, &priority, sizeof(priority));
      EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_INVALID_PARAMETER) << priority;
    }
    for (auto priority : {D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL, D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL}) {
      auto args = queue_args(program);
      args.Priority = priority;
      EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_SUCCESS);
    }
    auto args = queue_args(program);
    args.PhysicalAdapterIndex = 1;
    EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_INVALID_PARAMETER);
    args = queue_args(program);
    args.hDevice = program.adapter;
    EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy_queue(program, program.device), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(PagingQueueTest, ALostDeviceHasNone) {
  run_program([&](Program& program) {
    D3DKMT_MARKDEVICEASERROR lose{.hDevice = program.device, .Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC};
    ASSERT_EQ(MarkDeviceAsError(program.client, &lose), STATUS_SUCCESS);
    auto args = queue_args(program);
    EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_DEVICE_REMOVED);
  });
}

TEST_F(PagingQueueTest, GoesWithItsDevice) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    ASSERT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
    D3DKMT_DESTROYDEVICE destroy{.hDevice = program.device};
    EXPECT_EQ(DestroyDevice(program.client, &destroy), STATUS_SUCCESS);
    EXPECT_EQ(destroy_queue(program, queue.hPagingQueue), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program.live(ob::ObjectKind::PagingQueue), 0u);
    EXPECT_EQ(program.live(ob::ObjectKind::SyncObject), 0u) << "its fence goes with it";
  });
}

TEST_F(PagingQueueTest, AClientThatCannotBeToldHasNone) {
  run_program([&](Program& program) {
    EdgePages pages;
    auto* args = static_cast<D3DKMT_CREATEPAGINGQUEUE*>(pages.before(sizeof(D3DKMT_CREATEPAGINGQUEUE)));
    *args = queue_args(program);
    pages.protect(PROT_READ);
    EXPECT_EQ(CreatePagingQueue(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program.live(ob::ObjectKind::PagingQueue), 0u);
    EXPECT_EQ(program.live(ob::ObjectKind::SyncObject), 0u);
  });
}

class OldPagingQueueTest : public PagingQueueTest {
 protected:
  OldPagingQueueTest() : PagingQueueTest(dxgk::testing::Model::Wddm13) {}
};

TEST_F(OldPagingQueueTest, NoneBeforeWddm2) {
  run_program([&](Program& program) {
    auto args = queue_args(program);
    EXPECT_EQ(CreatePagingQueue(program.client, &args), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(evict(program, {make(program)}), STATUS_NOT_SUPPORTED);
  });
}

}  // namespace
}  // namespace kmt::testing
