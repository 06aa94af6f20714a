// Resources shared by global handles. R1 … R10 and A22 are what Wine's tests have seen on Windows.
#include "dxgk/object/resource.h"

#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

using ::testing::ElementsAre;

class ResourceTest : public KmtTest {
 protected:
  struct Shared {
    D3DKMT_HANDLE resource, allocation, global;
  };
  Shared share(Program& program, D3DKMT_CREATEALLOCATIONFLAGS flags = {}) {
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags = flags;
    create.args.Flags.CreateResource = create.args.Flags.CreateShared = 1;
    create.args.pPrivateRuntimeData = runtime_data;
    create.args.PrivateRuntimeDataSize = sizeof(runtime_data);
    create.info.pPrivateDriverData = driver_data;
    create.info.PrivateDriverDataSize = sizeof(driver_data);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    return {create.args.hResource, create.info.hAllocation, create.args.hGlobalShare};
  }
  NTSTATUS query(Program& program, D3DKMT_HANDLE global) {
    queried = {};
    queried.hDevice = program.device;
    queried.hGlobalShare = global;
    return QueryResourceInfo(program.client, &queried);
  }

  // One that fits what share() made. A test changes what it is about.
  struct OpenArgs {
    explicit OpenArgs(Program& program, D3DKMT_HANDLE global) {
      std::memset(runtime, 0xCD, sizeof(runtime));
      std::memset(total, 0xCD, sizeof(total));
      std::memset(own, 0xCD, sizeof(own));
      args.hDevice = program.device;
      args.hGlobalShare = global;
      args.NumAllocations = 1;
      args.pPrivateRuntimeData = runtime;
      args.PrivateRuntimeDataSize = 4;
      args.pTotalPrivateDriverDataBuffer = total;
      args.TotalPrivateDriverDataBufferSize = sizeof(total);
      args.hResource = kNoHandle;
      info.hAllocation = info2.hAllocation = kNoHandle;
      info.pPrivateDriverData = own;
      info.PrivateDriverDataSize = sizeof(own);
    }
    NTSTATUS open(Program& program) {
      args.pOpenAllocationInfo = &info;
      return OpenResource(program.client, &args);
    }
    NTSTATUS open2(Program& program) {
      args.pOpenAllocationInfo2 = &info2;
      return OpenResource2(program.client, &args);
    }
    D3DKMT_OPENRESOURCE args{};
    D3DDDI_OPENALLOCATIONINFO info{};
    D3DDDI_OPENALLOCATIONINFO2 info2{};
    uint8_t runtime[16], total[0x1000], own[16];
  };

  uint8_t runtime_data[4] = {9, 8, 7, 6};
  uint8_t driver_data[10] = {0, 16, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD};
  D3DKMT_QUERYRESOURCEINFO queried{};
};

TEST_F(ResourceTest, R1_ASharedResourceHasAGlobalHandle) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    EXPECT_TRUE(is_global(shared.global)) << std::hex << shared.global;
    expect_next(shared.resource);
    expect_next(shared.allocation);
  });
}

TEST_F(ResourceTest, R2_TheQueryTellsSizes) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    uint8_t buffer[0x100];
    std::memset(buffer, 0xCD, sizeof(buffer));
    queried = {.hDevice = program.device,
               .hGlobalShare = shared.global,
               .pPrivateRuntimeData = buffer,
               .PrivateRuntimeDataSize = sizeof(buffer),
               .TotalPrivateDriverDataSize = 0,
               .ResourcePrivateDriverDataSize = 99,
               .NumAllocations = 0};
    EXPECT_EQ(QueryResourceInfo(program.client, &queried), STATUS_SUCCESS);
    EXPECT_EQ(queried.PrivateRuntimeDataSize, 4u);
    EXPECT_EQ(queried.TotalPrivateDriverDataSize, 10u);
    EXPECT_EQ(queried.ResourcePrivateDriverDataSize, 0u);
    EXPECT_EQ(queried.NumAllocations, 1u);
    EXPECT_EQ(buffer[0], 0xCD) << "the data comes with the opening";
  });
}

TEST_F(ResourceTest, R3_R4_SH09_TheOpenerGetsTheCreatorsData) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    expect_next(shared.resource);
    expect_next(shared.allocation);
    OpenArgs open(program, shared.global);
    driver.log.clear();
    EXPECT_EQ(open.open(program), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("OpenAllocation(1)"));
    EXPECT_EQ(open.args.hGlobalShare, shared.global);
    expect_next(open.args.hResource);
    expect_next(open.info.hAllocation);
    EXPECT_EQ(open.args.PrivateRuntimeDataSize, 4u);
    EXPECT_EQ(std::memcmp(open.runtime, runtime_data, 4), 0);
    EXPECT_EQ(open.runtime[4], 0xCD);
    EXPECT_EQ(open.args.TotalPrivateDriverDataBufferSize, 10u);
    EXPECT_EQ(open.args.ResourcePrivateDriverDataSize, 0u);
    EXPECT_EQ(open.info.PrivateDriverDataSize, 10u);
    EXPECT_EQ(open.info.pPrivateDriverData, open.total) << "turned into the room for all of them";
    EXPECT_EQ(std::memcmp(open.total, driver_data, 10), 0);
    EXPECT_EQ(open.total[10], 0xCD);
    EXPECT_EQ(open.own[0], 0xCD);
    EXPECT_EQ(destroy_resource(program, open.args.hResource), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{});
  });
}

TEST_F(ResourceTest, R5ToR7_SH02_EverythingAsItWasTold) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    auto expect = [&](const std::function<void(OpenArgs&)>& change, NTSTATUS status) {
      OpenArgs open(program, shared.global);
      change(open);
      driver.log.clear();
      EXPECT_EQ(open.open(program), status);
      EXPECT_EQ(findings(), Findings{"OpenSizesDiffer"});
      EXPECT_EQ(open.args.hResource, kNoHandle);
      EXPECT_EQ(open.info.hAllocation, kNoHandle);
      EXPECT_TRUE(driver.log.empty());
    };
    expect([](OpenArgs& o) { o.args.NumAllocations = 0; }, STATUS_INVALID_PARAMETER);
    expect([](OpenArgs& o) { o.args.NumAllocations = UINT32_MAX; }, STATUS_INVALID_PARAMETER);
    expect([](OpenArgs& o) { o.args.PrivateRuntimeDataSize = 5; }, STATUS_INVALID_PARAMETER);
    expect([](OpenArgs& o) { o.args.ResourcePrivateDriverDataSize = 1; }, STATUS_INVALID_PARAMETER);
    expect([](OpenArgs& o) { o.args.TotalPrivateDriverDataBufferSize = 9; }, STATUS_NO_MEMORY);
  });
}

TEST_F(ResourceTest, R8_R9_TheSecondVersionAndSeveralOpenings) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    last_ = shared.allocation;
    OpenArgs first(program, shared.global), second(program, shared.global);
    EXPECT_EQ(first.open2(program), STATUS_SUCCESS);
    expect_next(first.args.hResource);
    expect_next(first.info2.hAllocation);
    EXPECT_EQ(second.open(program), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(program, first.args.hResource), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(program, shared.resource), STATUS_SUCCESS) << "SH-18: the others live on";
    EXPECT_EQ(query(program, shared.global), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(program, second.args.hResource), STATUS_SUCCESS);
    EXPECT_EQ(query(program, shared.global), STATUS_INVALID_PARAMETER) << "H7: gone with the last";
  });
}

TEST_F(ResourceTest, R10_AnNtSharedResourceHasNoGlobalHandle) {
  run_program([&](Program& program) {
    D3DKMT_CREATEALLOCATIONFLAGS flags{};
    flags.NtSecuritySharing = 1;
    Shared shared = share(program, flags);
    EXPECT_EQ(shared.global, 0u);
    expect_next(shared.resource);
    expect_next(shared.allocation);
    EXPECT_EQ(destroy_resource(program, shared.resource), STATUS_SUCCESS);
  });
}

TEST_F(ResourceTest, A22_SH01_ALocalHandleIsNotGlobal) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    for (D3DKMT_HANDLE handle : {shared.resource, shared.allocation, program.device, D3DKMT_HANDLE{0}, kNoHandle}) {
      EXPECT_EQ(query(program, handle), STATUS_INVALID_PARAMETER);
      EXPECT_EQ(findings(), Findings{"OpenLocalHandle"});
      OpenArgs open(program, handle);
      EXPECT_EQ(open.open(program), STATUS_INVALID_PARAMETER);
      EXPECT_EQ(findings(), Findings{"OpenLocalHandle"});
    }
    EXPECT_EQ(destroy_resource(program, shared.global), STATUS_INVALID_PARAMETER) << "H7";
  });
}

TEST_F(ResourceTest, SH18_TheDriverDestroysAfterTheLastProcess) {
  run_adapter([&](dxgk::Adapter& its) {
    Program a(kernel(), "a"), b(kernel(), "b");
    a.start(its);
    b.start(its);
    Shared shared = share(a);
    OpenArgs open(b, shared.global);
    EXPECT_EQ(open.open(b), STATUS_SUCCESS);
    driver.log.clear();
    EXPECT_EQ(destroy_resource(a, shared.resource), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)"));
    driver.log.clear();
    EXPECT_EQ(destroy_resource(b, open.args.hResource), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1, resource)"));
  });
}

TEST_F(ResourceTest, AnOpeningThatCannotBeToldIsClosedAgain) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    last_ = shared.allocation;
    EdgePages pages(PROT_READ);
    OpenArgs open(program, shared.global);
    open.args.pTotalPrivateDriverDataBuffer = pages.before(4);
    driver.log.clear();
    EXPECT_EQ(open.open(program), STATUS_INVALID_PARAMETER);
    EXPECT_THAT(driver.log, ElementsAre("OpenAllocation(1)", "CloseAllocation(1)"));
    EXPECT_EQ(open.runtime[0], 0xCD) << "nothing is told by halves";
    EXPECT_EQ(open.args.hResource, kNoHandle);
    OpenArgs again(program, shared.global);
    EXPECT_EQ(again.open(program), STATUS_SUCCESS);
    expect_next(again.args.hResource);
  });
}

TEST_F(ResourceTest, ADriversRefusalLeavesTheResourceAlone) {
  run_program([&](Program& program) {
    Shared shared = share(program);
    driver.fail(dxgk::Ddi::OpenAllocation, STATUS_NO_MEMORY);
    OpenArgs open(program, shared.global);
    EXPECT_EQ(open.open(program), STATUS_NO_MEMORY);
    EXPECT_EQ(query(program, shared.global), STATUS_SUCCESS);
  });
}

// SH-17
TEST_F(ResourceTest, OnlyItsCreatorLocksASharedAllocation) {
  driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) { info.Flags.CpuVisible = 1; };
  run_adapter([&](dxgk::Adapter& its) {
    Program maker(kernel(), "maker"), opener(kernel(), "opener");
    maker.start(its);
    opener.start(its);
    Shared shared = share(maker);
    OpenArgs open(opener, shared.global);
    ASSERT_EQ(open.open(opener), STATUS_SUCCESS);
    D3DKMT_LOCK2 args{};
    args.hDevice = opener.device;
    args.hAllocation = open.info.hAllocation;
    EXPECT_EQ(Lock2(opener.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"LockByOpener"});
    args.hDevice = maker.device;
    args.hAllocation = shared.allocation;
    EXPECT_EQ(Lock2(maker.client, &args), STATUS_SUCCESS);
    D3DKMT_UNLOCK2 unlock{maker.device, shared.allocation};
    EXPECT_EQ(Unlock2(maker.client, &unlock), STATUS_SUCCESS);
  });
  EXPECT_EQ(findings(), Findings{});
}

}  // namespace
}  // namespace kmt::testing
