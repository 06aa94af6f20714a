// Locks: US-11 … US-20, KD-28. How they get along with the GPU: lock_sync_test.cc.
#include "kmt/testing/lock_fixture.h"

namespace kmt::testing {
namespace {

TEST_F(LockTest, Lock2_ShowsZeroedBytesThatStay) {
  driver.allocation_bytes = 8192;
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    auto* bytes = static_cast<uint8_t*>(data);
    EXPECT_EQ(bytes[0] | bytes[8191], 0);
    bytes[8191] = 0x42;
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(data, bytes);
    EXPECT_EQ(bytes[8191], 0x42);
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
  });
}

TEST_F(LockTest, Lock2_ShowsTheClientsOwnMemory) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(lock2(program, create.info.hAllocation), STATUS_SUCCESS);
    EXPECT_EQ(data, create.heap);
    EXPECT_EQ(unlock2(program, create.info.hAllocation), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
  });
}

TEST_F(LockTest, US12_US13_LocksAreCounted) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EXPECT_EQ(unlock2(program, allocation), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"UnlockUnlocked"});
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(unlock2(program, allocation), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program.client.locked_views(), 0u);
  });
}

TEST_F(LockTest, US11_OnlyWhatTheCpuSees) {
  driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) { info.Flags.CpuVisible = 0; };
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EXPECT_EQ(lock2(program, allocation), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockInvisible"});
    EXPECT_EQ(data, nullptr);
  });
}

TEST_F(LockTest, US20_Lock2HasNoFlags) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EXPECT_EQ(lock2(program, allocation, 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockFlagsReserved"});
  });
}

TEST_F(LockTest, US16_EntireOrPages) {
  driver.allocation_bytes = 4 * 4096;
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    D3DKMT_LOCK args = entire(program, allocation);
    EXPECT_EQ(Lock(program.client, &args), STATUS_SUCCESS);
    auto* all = static_cast<uint8_t*>(args.pData);
    UINT pages[2] = {2, 3};
    args.NumPages = 2;
    args.pPages = pages;
    EXPECT_EQ(Lock(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockPagesWrong"});
    args.Flags.LockEntire = 0;
    EXPECT_EQ(Lock(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.pData, all + 2 * 4096) << "the first page of the list";
    pages[1] = 4;
    EXPECT_EQ(Lock(program.client, &args), STATUS_INVALID_PARAMETER) << "beyond the end";
    args.NumPages = 0;
    args.pPages = nullptr;
    EXPECT_EQ(Lock(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockPagesWrong"});
    EXPECT_EQ(unlock(program, {allocation, allocation}), STATUS_SUCCESS) << "one call takes several back";
    EXPECT_EQ(program.client.locked_views(), 0u);
  });
}

TEST_F(LockTest, FlagsThatExcludeEachOther) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    for (UINT flags : {0x3u, 0x48u, 0x200u, 0x800u}) {  // ReadOnly and WriteOnly, IgnoreSync and AcquireAperture, …
      D3DKMT_LOCK args = entire(program, allocation);
      args.Flags.Value |= flags;
      EXPECT_EQ(Lock(program.client, &args), STATUS_INVALID_PARAMETER) << std::hex << flags;
    }
  });
}

TEST_F(LockTest, AnUnlockOfManyIsAllOrNothing) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program), b = make(program);
    EXPECT_EQ(lock2(program, a), STATUS_SUCCESS);
    EXPECT_EQ(unlock(program, {a, b}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unlock(program, {a, a}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unlock(program, {a, kNoHandle}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unlock(program, {}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unlock(program, {a}), STATUS_SUCCESS) << "it had stayed locked";
  });
}

TEST_F(LockTest, KD28_DestroyedWhileLocked) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"DestroyLocked"});
    EXPECT_EQ(program.client.locked_views(), 0u);
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = 1;
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(lock2(program, create.info.hAllocation), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(program, create.args.hResource), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"DestroyLocked"});
  });
}

TEST_F(LockTest, US12_ADeviceDestroyedWithLocks) {
  run_program([&](Program& program) {
    EXPECT_EQ(lock2(program, make(program)), STATUS_SUCCESS);
    D3DKMT_DESTROYDEVICE args{.hDevice = program.device};
    EXPECT_EQ(DestroyDevice(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"LockLeft"});
  });
}

TEST_F(LockTest, ALockThatCannotBeToldIsTakenBack) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    EdgePages pages;
    auto* args = static_cast<D3DKMT_LOCK2*>(pages.before(sizeof(D3DKMT_LOCK2)));
    args->hDevice = program.device;
    args->hAllocation = allocation;
    pages.protect(PROT_READ);
    EXPECT_EQ(Lock2(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unlock2(program, allocation), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(LockTest, AnotherDevicesAllocationIsRefused) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    program.device = program.create_device(program.adapter);
    EXPECT_EQ(lock2(program, allocation), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(LockTest, CachesAreInvalidatedInsideOfTheAllocation) {
  driver.allocation_bytes = 8192;
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    auto invalidate = [&](D3DKMT_HANDLE handle, uint64_t offset, uint64_t length) {
      D3DKMT_INVALIDATECACHE args{program.device, handle, offset, length};
      return InvalidateCache(program.client, &args);
    };
    EXPECT_EQ(invalidate(allocation, 0, 8192), STATUS_SUCCESS);
    EXPECT_EQ(invalidate(allocation, 8192, 0), STATUS_SUCCESS);
    EXPECT_EQ(invalidate(allocation, 4096, 4097), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(invalidate(allocation, UINT64_MAX, 2), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(invalidate(allocation, 1, UINT64_MAX), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(invalidate(kNoHandle, 0, 1), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(LockTest, WslKnowsOnlyTheSecondVersion) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    D3DKMT_LOCK args = entire(program, allocation);
    EXPECT_EQ(Lock(program.client, &args), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(unlock(program, {allocation}), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
  });
}

// No command list names it: a caller that discards has waited already.
TEST_F(LockTest, DiscardWithGpuAddressesKeepsTheBytes) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    D3DKMT_LOCK args = entire(program, allocation);
    args.Flags.Discard = 1;
    EXPECT_EQ(Lock(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.hAllocation, allocation);
    EXPECT_EQ(unlock(program, {allocation}), STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace kmt::testing
