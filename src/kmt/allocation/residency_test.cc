// Residency lists: RS-01 … RS-05.
#include <sys/resource.h>

#include <vector>

#include "dxgk/object/device.h"
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

using Status = D3DKMT_ALLOCATIONRESIDENCYSTATUS;
constexpr Status kInGpuMemory = D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY,
                 kInSharedMemory = D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY,
                 kNowhere = D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;

class ResidencyTest : public MemoryTest {
 protected:
  static constexpr uint64_t kLocalBytes = 0x0400'0000;  // the fake driver's segment

  // One that leaves no room for a second of its kind.
  D3DKMT_HANDLE make_huge(Program& program, uint64_t bytes = kLocalBytes * 3 / 4) {
    driver.allocation_bytes = bytes;
    D3DKMT_HANDLE made = make(program);
    driver.allocation_bytes = kBigPage;
    return made;
  }
};

// Each of them has system memory, which takes neither a file descriptor nor a mapping of its own.
TEST_F(ResidencyTest, MoreAreResidentThanTheProcessMayOpenFiles) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  driver.allocation_bytes = kPage;
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> many;
    for (int i = 0; i < 300; ++i) many.push_back(make(program));
    EXPECT_EQ(make_resident(program, queue, many), STATUS_SUCCESS);
  });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(ResidencyTest, PendingThenThere) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list = {make(program), make(program)};
    EXPECT_EQ(residency(program, list[0]), kNowhere);
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    UINT priority = 1;
    args.PriorityList = &priority;  // real clients give one value, whatever the length of the list
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
    EXPECT_NE(args.PagingFenceValue, 0u);
    EXPECT_EQ(args.NumBytesToTrim, 0u);
    EXPECT_EQ(args.NumAllocations, 2u);
    EXPECT_EQ(wait(program, queue, args.PagingFenceValue), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, list[1]), kInGpuMemory);
    args.PagingFenceValue = 99;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_SUCCESS) << "nothing is to be done";
    EXPECT_EQ(args.PagingFenceValue, 0u);
  });
}

TEST_F(ResidencyTest, RS01_EachMakeNeedsAnEvict) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program), b = make(program);
    ASSERT_EQ(make_resident(program, queue, {a, a}), STATUS_SUCCESS) << "twice in one list";
    ASSERT_EQ(make_resident(program, queue, {a, b}), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, {a, a}), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, {b, a, a}), STATUS_INVALID_PARAMETER) << "all or none";
    EXPECT_EQ(findings(), Findings{"EvictUnlisted"});
    EXPECT_EQ(residency(program, b), kInGpuMemory);
    EXPECT_EQ(evict(program, {a, b}), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, a), kNowhere);
    EXPECT_EQ(evict(program, {a}), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(ResidencyTest, EvictedOnlyIfNecessaryIsStillThere) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, {a}, 1), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, a), kInGpuMemory);
    ASSERT_EQ(make_resident(program, queue, {make_huge(program, kLocalBytes - 8 * kBigPage)}), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, {a}), STATUS_INVALID_PARAMETER) << "it is on no list";
    EXPECT_EQ(evict(program, {a}, 4), STATUS_INVALID_PARAMETER) << "a flag that there is not";
  });
}

TEST_F(ResidencyTest, RS02_AllOrNone) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE first = make_huge(program), small = make(program), second = make_huge(program);
    ASSERT_EQ(make_resident(program, queue, {first}), STATUS_SUCCESS);
    std::vector<D3DKMT_HANDLE> list = {small, second};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    args.PagingFenceValue = 99;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_GT(args.NumBytesToTrim, 0u);
    EXPECT_EQ(args.NumAllocations, 2u);
    EXPECT_EQ(args.PagingFenceValue, 0u);
    EXPECT_EQ(evict(program, {small}), STATUS_INVALID_PARAMETER) << "its count has not changed";
    EXPECT_EQ(evict(program, {first}), STATUS_SUCCESS);
    EXPECT_EQ(make_resident(program, queue, list), STATUS_SUCCESS) << "there is room now";
  });
}

TEST_F(ResidencyTest, RS04_OneDeviceOnly) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE own = make(program), device = program.device;
    program.device = program.create_device(program.adapter);
    D3DKMT_HANDLE others = make(program);
    std::vector<D3DKMT_HANDLE> list = {own, others};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"ResidentOtherDevice"});
    EXPECT_EQ(evict(program, {own}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"ResidentOtherDevice"});
    program.device = device;
    EXPECT_EQ(evict(program, {own}), STATUS_INVALID_PARAMETER) << "it was not made resident";
  });
}

TEST_F(ResidencyTest, RS05_MustSucceedComesLast) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    args.Flags.MustSucceed = 1;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"ResidentMustAlone"});
    args.Flags.CantTrimFurther = 1;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
    args.Flags.Value = 4;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_INVALID_PARAMETER);
    ASSERT_EQ(make_resident(program, queue, {make_huge(program)}), STATUS_SUCCESS);
    list = {make_huge(program)};
    args = resident_args(queue.hPagingQueue, list);
    args.Flags.CantTrimFurther = args.Flags.MustSucceed = 1;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_DEVICE_REMOVED) << "the device is in error";
  });
}

TEST_F(ResidencyTest, ListsAndHandlesThatAreNone) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE own = make(program), dead = make(program);
    ASSERT_EQ(destroy_list(program, {dead}), STATUS_SUCCESS);
    for (D3DKMT_HANDLE wrong : {dead, kNoHandle, program.device, queue.hSyncObject, D3DKMT_HANDLE{0}}) {
      std::vector<D3DKMT_HANDLE> list = {own, wrong};
      D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
      EXPECT_EQ(MakeResident(program.client, &args), STATUS_INVALID_PARAMETER) << std::hex << wrong;
      args.hPagingQueue = wrong;
      args.NumAllocations = 1;
      EXPECT_EQ(MakeResident(program.client, &args), STATUS_INVALID_PARAMETER) << std::hex << wrong;
    }
    EdgePages pages;
    for (UINT count : {0u, 2u, 1u << 20, 1u << 28, UINT32_MAX}) {
      D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, {});
      args.NumAllocations = count;
      args.AllocationList = static_cast<D3DKMT_HANDLE*>(pages.before(sizeof(own)));
      std::memcpy(pages.before(sizeof(own)), &own, sizeof(own));
      EXPECT_LT(MakeResident(program.client, &args), 0) << count;
      args.AllocationList = nullptr;
      EXPECT_LT(MakeResident(program.client, &args), 0) << count;
    }
    EXPECT_EQ(evict(program, {own}), STATUS_INVALID_PARAMETER) << "no call has listed it";
  });
}

TEST_F(ResidencyTest, AClientThatCannotBeToldHasListedNothing) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    EdgePages pages;
    auto* args = static_cast<D3DDDI_MAKERESIDENT*>(pages.before(sizeof(D3DDDI_MAKERESIDENT)));
    *args = resident_args(queue.hPagingQueue, list);
    pages.protect(PROT_READ);
    EXPECT_EQ(MakeResident(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(evict(program, list), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(ResidencyTest, AResourceIsWhereItsWorstPlacedAllocationIs) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    Made made = make_resource(program);
    auto ask = [&] {
      Status status{};
      D3DKMT_QUERYALLOCATIONRESIDENCY args{program.device, made.resource, nullptr, 0, &status};
      EXPECT_EQ(QueryAllocationResidency(program.client, &args), STATUS_SUCCESS);
      return status;
    };
    ASSERT_EQ(make_resident(program, queue, {made.allocations[0]}), STATUS_SUCCESS);
    EXPECT_EQ(ask(), kNowhere);
    ASSERT_EQ(make_resident(program, queue, {made.allocations[1]}), STATUS_SUCCESS);
    EXPECT_EQ(ask(), kInGpuMemory);
    place_in(kAperture);
    D3DKMT_HANDLE shown = make(program);
    ASSERT_EQ(make_resident(program, queue, {shown}), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, shown), kInSharedMemory);
    Status status{};
    D3DKMT_QUERYALLOCATIONRESIDENCY both{program.device, made.resource, &shown, 1, &status};
    EXPECT_EQ(QueryAllocationResidency(program.client, &both), STATUS_INVALID_PARAMETER);
    D3DKMT_QUERYALLOCATIONRESIDENCY neither{program.device, 0, nullptr, 0, &status};
    EXPECT_EQ(QueryAllocationResidency(program.client, &neither), STATUS_INVALID_PARAMETER);
    D3DKMT_QUERYALLOCATIONRESIDENCY untold{program.device, 0, &shown, 1, nullptr};
    EXPECT_EQ(QueryAllocationResidency(program.client, &untold), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(ResidencyTest, WslTakesTenThousandAtMost) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    std::vector<D3DKMT_HANDLE> list(10240, make(program));
    EXPECT_EQ(make_resident(program, queue, list), STATUS_SUCCESS);
    EXPECT_EQ(evict(program, list), STATUS_SUCCESS);
    list.push_back(list.front());
    EXPECT_EQ(make_resident(program, queue, list), STATUS_INVALID_PARAMETER);
  });
}

// What the CPU wrote before the GPU had ever seen the allocation goes with it.
TEST_F(ResidencyTest, BytesWrittenUnderALockAreNotFilledOver) {
  driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) {
    info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = 3;
    info.PreferredSegment.SegmentId0 = kLocal;
  };
  std::vector<UINT> operations;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    operations.push_back(args.Operation);
    return STATUS_SUCCESS;
  };
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    D3DKMT_LOCK2 lock{program.device, a, {}, nullptr};
    ASSERT_EQ(Lock2(program.client, &lock), STATUS_SUCCESS);
    static_cast<uint8_t*>(lock.pData)[0] = 0x42;
    D3DKMT_UNLOCK2 unlock{program.device, a};
    ASSERT_EQ(Unlock2(program.client, &unlock), STATUS_SUCCESS);
    operations.clear();
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    EXPECT_EQ(residency(program, a), kInGpuMemory);
    EXPECT_THAT(operations, ::testing::Not(::testing::Contains(DXGK_OPERATION_VIRTUAL_FILL)));
    EXPECT_THAT(operations, ::testing::Contains(DXGK_OPERATION_VIRTUAL_TRANSFER));
  });
}

TEST_F(ResidencyTest, DestroyedWhileItIsListed) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a, a}), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {a}), STATUS_SUCCESS);
    EXPECT_EQ(make_resident(program, queue, {make_huge(program, kLocalBytes - 8 * kBigPage)}), STATUS_SUCCESS)
        << "its room is free";
  });
}

}  // namespace
}  // namespace kmt::testing
