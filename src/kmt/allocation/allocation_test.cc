// Creating and destroying allocations. A0 … A22 are what Wine's tests have seen on Windows; KC-nn and KD-nn are rules
// of the pages.
#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "dxgk/object/device.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AllocationTest : public KmtTest {
 protected:
  // The finding that every standard allocation earns which is not shared across adapters (KC-14).
  void expect_created(NTSTATUS status) {
    EXPECT_EQ(status, STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"CreateStandardPrivate"});
  }
  // A call that changes one thing of the usual one, and what that breaks.
  void expect_refused(Program& program, const std::function<void(CreateArgs&)>& change, NTSTATUS status,
                      const Findings& broken_rules) {
    CreateArgs create = CreateArgs::standard(program.device);
    change(create);
    D3DKMT_CREATEALLOCATION before;
    std::memcpy(&before, &create.args, sizeof(before));
    EXPECT_EQ(create.create(program), status);
    EXPECT_EQ(findings(), broken_rules);
    EXPECT_EQ(create.info.hAllocation, kNoHandle) << "H5";
    EXPECT_EQ(create.args.hResource, before.hResource);
    EXPECT_EQ(create.args.hGlobalShare, before.hGlobalShare);
  }
  D3DKMT_HANDLE make(Program& program, D3DKMT_HANDLE device = 0) {
    CreateArgs create = CreateArgs::driver(device ? device : program.device);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    return create.info.hAllocation;
  }
  struct Made {
    D3DKMT_HANDLE resource, allocation, global;
  };
  Made make_resource(Program& program, bool shared = false) {
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = 1;
    create.args.Flags.CreateShared = shared;
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    return {create.args.hResource, create.info.hAllocation, create.args.hGlobalShare};
  }
};

TEST_F(AllocationTest, A0_Zeroed) {
  run_program([&](Program& program) {
    D3DKMT_CREATEALLOCATION args{};
    EXPECT_EQ(CreateAllocation(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(CreateAllocation2(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(CreateAllocation(program.client, nullptr), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(AllocationTest, A1_AStandardAllocation) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    expect_created(create.create(program));
    EXPECT_EQ(create.args.hGlobalShare, 0u);
    EXPECT_EQ(create.args.hResource, 0u);
    EXPECT_EQ(create.args.hPrivateRuntimeResourceHandle, reinterpret_cast<HANDLE>(0xDEADBEEF));
    expect_next(create.info.hAllocation);
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, A2_EmptyDestroyIsANoOp) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    expect_created(create.create(program));
    D3DKMT_DESTROYALLOCATION args{};
    args.hDevice = program.device;
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"DestroyNothing"}) << "KD-11";
    args.AllocationCount = 1;
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyListUnreadable"}) << "KD-05";
    args.phAllocationList = &create.info.hAllocation;
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{});
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyDeadHandle"}) << "KD-10";
  });
}

TEST_F(AllocationTest, A3_TheSecondVersionIsTheSame) {
  run_program([&](Program& program) {
    for (bool second : {false, true}) {
      CreateArgs create = CreateArgs::standard(program.device);
      expect_created(create.create2(program));
      expect_next(create.info2.hAllocation);
      EXPECT_EQ(create.args.hGlobalShare, 0u);
      EXPECT_EQ(create.args.hResource, 0u);
      EXPECT_EQ(create.args.PrivateRuntimeDataSize, 0u);
      EXPECT_EQ(create.args.PrivateDriverDataSize, 0u);
      EXPECT_EQ(create.info2.PrivateDriverDataSize, 0u);
      D3DKMT_DESTROYALLOCATION args{.hDevice = program.device,
                                    .hResource = 0,
                                    .phAllocationList = &create.info2.hAllocation,
                                    .AllocationCount = 1};
      EXPECT_EQ(second ? destroy_list(program, {create.info2.hAllocation}) : DestroyAllocation(program.client, &args),
                STATUS_SUCCESS);
    }
  });
}

TEST_F(AllocationTest, A4_A5_PrivateDataOfBothKinds) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    uint8_t driver_data[6] = {1, 2, 3, 4, 5, 6}, runtime_data[4] = {9, 8, 7, 6};
    create.info.pPrivateDriverData = driver_data;
    create.info.PrivateDriverDataSize = sizeof(driver_data);
    create.args.pPrivateRuntimeData = runtime_data;
    create.args.PrivateRuntimeDataSize = sizeof(runtime_data);
    expect_created(create.create(program));
    expect_next(create.info.hAllocation);
  });
}

TEST_F(AllocationTest, A6ToA16_WhatIsRefused) {
  run_program([&](Program& program) {
    auto refused = [&](const std::function<void(CreateArgs&)>& change, const Findings& rules,
                       NTSTATUS status = STATUS_INVALID_PARAMETER) { expect_refused(program, change, status, rules); };
    refused([](CreateArgs& c) { c.args.PrivateDriverDataSize = 64; }, {});                                         // A6
    refused([](CreateArgs& c) { c.args.hDevice = 0; }, {});                                                        // A7
    refused([](CreateArgs& c) { c.args.hResource = kNoHandle; }, {"CreateResourceGiven"}, STATUS_INVALID_HANDLE);  // A8
    refused([](CreateArgs& c) { c.args.NumAllocations = 0; }, {});                                                 // A9
    refused([](CreateArgs& c) { std::memset(&c.description.Type, 0, sizeof(c.description.Type)); }, {});      // A10
    refused([](CreateArgs& c) { c.info.pSystemMem = nullptr; }, {});                                          // A11
    refused([](CreateArgs& c) { c.args.NumAllocations = 2; }, {"CreateStandardMany"});                        // A12
    refused([](CreateArgs& c) { c.description.ExistingHeapData.Size = 0x1100; }, {"CreateMemoryUnaligned"});  // A13
    refused([](CreateArgs& c) { c.args.Flags.ExistingSysMem = 0; }, {"CreateStandardMemory"});                // A14
    refused([](CreateArgs& c) { c.args.Flags.StandardAllocation = 0; }, {"CreateStandardMemory"});            // A15
    refused([](CreateArgs& c) { c.args.Flags.CreateShared = 1; }, {"CreateSharedAlone"});                     // A16
    EXPECT_EQ(driver.calls(dxgk::Ddi::CreateAllocation), 0u) << "none of this is the driver's business";
    CreateArgs create = CreateArgs::standard(program.device);
    expect_created(create.create(program));
    expect_next(create.info.hAllocation);  // H3
  });
}

TEST_F(AllocationTest, KC13_MemoryThatIsNotThere) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    auto* last = static_cast<uint8_t*>(create.heap) + CreateArgs::kBytes - base::kPageBytes;
    ASSERT_EQ(mprotect(last, base::kPageBytes, PROT_NONE), 0);
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER) << "the last page cannot be touched";
    EXPECT_EQ(driver.calls(dxgk::Ddi::CreateAllocation), 0u);
  });
}

TEST_F(AllocationTest, A17_AResourceAndItsAllocation) {
  run_program([&](Program& program) {
    expect_refused(program,
                   [](CreateArgs& c) {
                     c.args.Flags.CreateResource = 1;
                     c.args.hResource = kNoHandle;
                   },
                   STATUS_INVALID_HANDLE, {"CreateResourceGiven"});
    CreateArgs create = CreateArgs::standard(program.device);
    create.args.Flags.CreateResource = 1;
    expect_created(create.create(program));
    EXPECT_EQ(create.args.hGlobalShare, 0u);
    expect_next(create.args.hResource);
    expect_next(create.info.hAllocation);
    EXPECT_EQ(create.args.hPrivateRuntimeResourceHandle, reinterpret_cast<HANDLE>(0xDEADBEEF));
  });
}

TEST_F(AllocationTest, A18_KD12_TheResourceOutlivesItsAllocations) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    EXPECT_EQ(destroy_list(program, {made.allocation}), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(program, made.resource), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{});
    EXPECT_EQ(destroy_resource(program, made.resource), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyDeadHandle"});
  });
}

TEST_F(AllocationTest, A19_NothingIsAddedToAStandardAllocationsResource) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    create.args.Flags.CreateResource = 1;
    expect_created(create.create(program));
    D3DKMT_HANDLE resource = create.args.hResource;
    expect_refused(program, [&](CreateArgs& c) { c.args.hResource = resource; }, STATUS_INVALID_PARAMETER,
                   {"CreateStandardMany"});
  });
}

TEST_F(AllocationTest, A20_KD02_AResourceTakesItsAllocationsAlong) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    EXPECT_EQ(destroy_resource(program, made.resource), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {made.allocation}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program.live(ob::ObjectKind::Allocation), 0u);
  });
}

TEST_F(AllocationTest, A21_KC09_AnEmptyResource) {
  run_program([&](Program& program) {
    expect_refused(program,
                   [](CreateArgs& c) {
                     c.args.Flags.CreateResource = 1;
                     c.args.NumAllocations = 0;
                   },
                   STATUS_INVALID_PARAMETER, {});
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = 1;
    create.args.NumAllocations = 0;
    EXPECT_EQ(create.create(program), STATUS_SUCCESS) << "the page lets a private resource begin empty";
    expect_next(create.args.hResource);
    EXPECT_EQ(destroy_resource(program, create.args.hResource), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, KC05_KC06_KC08_AddingToAResource) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.hResource = made.resource;
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(create.args.hResource, made.resource);
    D3DKMT_HANDLE second = program.create_device(program.adapter);
    create.args.hDevice = second;
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"CreateOnWrongDevice"});
    Made shared = make_resource(program, true);
    create.args.hDevice = program.device;
    create.args.hResource = shared.resource;
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"CreateAddsToShared"});
    create.args.hResource = made.resource;
    create.args.Flags.CreateResource = 1;
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"CreateResourceGiven"});
  });
}

TEST_F(AllocationTest, KC18_ADriversRefusalLeavesNothing) {
  run_program([&](Program& program) {
    for (dxgk::Ddi ddi : {dxgk::Ddi::CreateAllocation, dxgk::Ddi::OpenAllocation}) {
      driver.fail(ddi, STATUS_NO_MEMORY);
      CreateArgs create = CreateArgs::driver(program.device);
      create.args.Flags.CreateResource = create.args.Flags.CreateShared = 1;
      EXPECT_EQ(create.create(program), STATUS_NO_MEMORY);
      EXPECT_EQ(create.info.hAllocation, kNoHandle);
      EXPECT_EQ(create.args.hGlobalShare, kNoHandle);
    }
    EXPECT_EQ(program.live(ob::ObjectKind::Allocation), 0u);
    EXPECT_EQ(kernel().global_handles().size(), 0u);
    expect_next(make(program));
  });
}

TEST_F(AllocationTest, H3_AFailedCallForManyConsumesNothing) {
  run_program([&](Program& program) {
    driver.fail(dxgk::Ddi::OpenAllocation, STATUS_NO_MEMORY);
    D3DDDI_ALLOCATIONINFO infos[3]{};
    D3DKMT_CREATEALLOCATION args{};
    args.hDevice = program.device;
    args.NumAllocations = 3;
    args.pAllocationInfo = infos;
    args.Flags.CreateResource = 1;
    EXPECT_EQ(CreateAllocation(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_EQ(CreateAllocation(program.client, &args), STATUS_SUCCESS);
    expect_next(args.hResource);
    for (const auto& info : infos) expect_next(info.hAllocation);
  });
}

TEST_F(AllocationTest, WhatCannotBeToldIsUndone) {
  run_program([&](Program& program) {
    EdgePages pages;
    auto* args = static_cast<D3DKMT_CREATEALLOCATION*>(pages.before(sizeof(D3DKMT_CREATEALLOCATION)));
    auto* info = reinterpret_cast<D3DDDI_ALLOCATIONINFO*>(args) - 1;
    args->hDevice = program.device;
    args->NumAllocations = 1;
    args->pAllocationInfo = info;
    args->Flags.CreateResource = 1;
    pages.protect(PROT_READ);
    driver.log.clear();
    EXPECT_EQ(CreateAllocation(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(1)", "OpenAllocation(1)", "CloseAllocation(1)",
                                        "DestroyAllocation(1, resource)"));
    EXPECT_EQ(args->hResource, 0u);
    EXPECT_EQ(info->hAllocation, 0u);
    expect_next(make(program));
  });
}

TEST_F(AllocationTest, TheDriversEditOfThePrivateDataComesBack) {
  driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) { static_cast<uint8_t*>(info.pPrivateDriverData)[8] = 0x77; };
  run_program([&](Program& program) {
    uint8_t data[16] = {0, 16};  // a size of 4096 in 64 bits
    CreateArgs create = CreateArgs::driver(program.device);
    create.info.pPrivateDriverData = data;
    create.info.PrivateDriverDataSize = sizeof(data);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(data[8], 0x77);
  });
}

TEST_F(AllocationTest, KC21_NoKmdAccessIsNotTheDriversBusiness) {
  run_program([&](Program& program) {
    driver.log.clear();
    CreateArgs create = CreateArgs::standard(program.device);
    create.args.Flags.NoKmdAccess = 1;
    expect_created(create.create(program));
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, IsEmpty());
  });
}

TEST_F(AllocationTest, KD01_TheWrongDevice) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    D3DKMT_HANDLE second = program.create_device(program.adapter);
    D3DKMT_HANDLE first = program.device;
    for (D3DKMT_HANDLE device : {second, D3DKMT_HANDLE{0}, kNoHandle, made.allocation}) {
      program.device = device;
      EXPECT_EQ(destroy_resource(program, made.resource), STATUS_INVALID_PARAMETER);
      EXPECT_EQ(findings(), Findings{"DestroyOnWrongDevice"});
    }
    program.device = first;
    EXPECT_EQ(destroy_resource(program, made.resource), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, KD03_KD04_AResourceAndAList) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    D3DKMT_DESTROYALLOCATION args{.hDevice = program.device,
                                  .hResource = made.resource,
                                  .phAllocationList = reinterpret_cast<const D3DKMT_HANDLE*>(8),
                                  .AllocationCount = UINT32_MAX};
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_SUCCESS) << "neither list nor count is looked at";
    EXPECT_EQ(findings(), Findings{"DestroyNamesBoth"});
  });
}

TEST_F(AllocationTest, KD06ToKD09_KD13_ListsThatAreRefusedWhole) {
  run_program([&](Program& program) {
    Made a = make_resource(program), b = make_resource(program);
    D3DKMT_HANDLE alone = make(program);
    D3DKMT_HANDLE elsewhere = make(program, program.create_device(program.adapter));
    EXPECT_EQ(destroy_list(program, {a.allocation, b.allocation}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyListManyResources"});
    EXPECT_EQ(destroy_list(program, {alone, b.allocation}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyListMixed"});
    EXPECT_EQ(destroy_list(program, {alone, elsewhere}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyListOtherDevice"});
    EXPECT_EQ(destroy_list(program, {alone, alone}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyListTwice"});
    EXPECT_EQ(destroy_list(program, {alone, kNoHandle}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyDeadHandle"});
    EXPECT_EQ(program.live(ob::ObjectKind::Allocation), 4u) << "none of it was destroyed";
    EXPECT_EQ(destroy_list(program, {alone}), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {a.allocation}), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, KD08_StandAloneAllocationsNeedNotBeRelated) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE a = make(program), b = make(program), c = make(program);
    EXPECT_EQ(destroy_list(program, {c, a, b}), STATUS_SUCCESS);
    EXPECT_EQ(program.live(ob::ObjectKind::Allocation), 0u);
  });
}

TEST_F(AllocationTest, SH12_AnAllocationOfASharedResourceGoesWithIt) {
  run_program([&](Program& program) {
    Made made = make_resource(program, true);
    EXPECT_EQ(destroy_list(program, {made.allocation}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroySharedChild"});
    EXPECT_EQ(destroy_resource(program, made.resource), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, KD23_KD24_FlagsThatAreNotTheClients) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    D3DDDICB_DESTROYALLOCATION2FLAGS flags{};
    flags.Reserved = 1;
    EXPECT_EQ(destroy_list(program, {allocation}, flags), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyFlagsReserved"});
    flags.Value = 0x80000000;
    EXPECT_EQ(destroy_list(program, {allocation}, flags), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"DestroyFlagsSystem"});
    flags.Value = 3;  // AssumeNotInUse, SynchronousDestroy
    EXPECT_EQ(destroy_list(program, {allocation}, flags), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, KD14_KD15_KD16_TheHandleIsDeadBeforeTheAllocation) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    auto device = program.client.find<dxgk::Device>(program.device).take();
    uint64_t work = device->work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS) << "nobody is made to wait";
    EXPECT_THAT(driver.log, IsEmpty()) << "work is queued that may use it";
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_INVALID_PARAMETER);
    findings();
    device->work().complete(work);
    adapter().destructions().drain(*device);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
  });
}

TEST_F(AllocationTest, KD18_KD25_AssumeNotInUseDoesNotWait) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    auto device = program.client.find<dxgk::Device>(program.device).take();
    uint64_t work = device->work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy_list(program, {allocation}, {{{1, 0, 0, 0}}}), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    device->work().complete(work);
  });
}

TEST_F(AllocationTest, KD21_SynchronousDestroyWaitsForTheMemory) {
  run_program([&](Program& program) {
    D3DKMT_HANDLE allocation = make(program);
    auto device = program.client.find<dxgk::Device>(program.device).take();
    uint64_t work = device->work().queue();
    driver.log.clear();
    machine().create_thread("gpu", [&] {
      EXPECT_THAT(driver.log, IsEmpty());
      device->work().complete(work);
    });
    EXPECT_EQ(destroy_list(program, {allocation}, {{{0, 1, 0, 0}}}), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
  });
}

TEST_F(AllocationTest, TwoProgramsHaveTheirOwnHandles) {
  run_adapter([&](dxgk::Adapter& its) {
    Program a(kernel(), "a"), b(kernel(), "b");
    a.start(its);
    b.start(its);
    D3DKMT_HANDLE of_a = make(a);
    make(a);
    D3DKMT_HANDLE of_b = make(b);
    EXPECT_EQ(of_a, of_b) << "each counts for itself";
    EXPECT_EQ(destroy_list(b, {of_b}), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(b, {of_b}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy_list(a, {of_a}), STATUS_SUCCESS);
  });
}

TEST_F(AllocationTest, AProcessThatDiesLeavesNothing) {
  run_adapter([&](dxgk::Adapter& its) {
    {
      Program program(kernel(), "dies");
      program.start(its);
      make_resource(program);
      make_resource(program, true);
      make(program);
    }
    EXPECT_EQ(kernel().global_handles().size(), 0u);
  });
}

TEST_F(AllocationTest, RefusalsAreInTheLedger) {
  run_program([&](Program& program) {
    destroy_list(program, {kNoHandle});
    destroy_list(program, {kNoHandle});
    auto refusals = program.client.process().ledger().refusals();
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_EQ(refusals[0].function, "D3DKMTDestroyAllocation2");
    EXPECT_EQ(refusals[0].times, 2u);
    EXPECT_EQ(refusals[0].status, STATUS_INVALID_PARAMETER);
  });
}

class WslAllocationTest : public AllocationTest {
 protected:
  WslAllocationTest() { policy.flavour = dxgk::Flavour::Wsl; }
};

TEST_F(WslAllocationTest, WhatWslRefuses) {
  run_program([&](Program& program) {
    D3DKMT_DESTROYALLOCATION args{};
    args.hDevice = program.device;
    EXPECT_EQ(DestroyAllocation(program.client, &args), STATUS_INVALID_PARAMETER) << "KD-11: nothing to destroy";
    CreateArgs create = CreateArgs::standard(program.device);
    uint8_t data[6] = {};
    create.info.pPrivateDriverData = data;
    create.info.PrivateDriverDataSize = sizeof(data);
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER);
    D3DDDI_ALLOCATIONINFO2 infos[2]{};
    infos[1].pSystemMem = create.heap;
    D3DKMT_CREATEALLOCATION two{};
    two.hDevice = program.device;
    two.NumAllocations = 2;
    two.pAllocationInfo2 = infos;
    EXPECT_EQ(CreateAllocation2(program.client, &two), STATUS_INVALID_PARAMETER);
    infos[0].pSystemMem = create.heap;
    EXPECT_EQ(CreateAllocation2(program.client, &two), STATUS_SUCCESS);
  });
}

// KD-11, and its ends: 1,024 at once are taken, one more is not; the limit of the kernel is its policy's.
TEST_F(WslAllocationTest, HowManyAreDestroyedAtOnce) {
  run_program([&](Program& program) {
    auto why = [&](UINT count) {
      std::vector<D3DKMT_HANDLE> none(count, kNoHandle);
      EXPECT_EQ(destroy_list(program, none), STATUS_INVALID_PARAMETER);
      return program.client.process().ledger().refusals().back().reason;
    };
    EXPECT_THAT(why(1), Not(HasSubstr("more allocations")));
    EXPECT_THAT(why(1024), Not(HasSubstr("more allocations")));
    EXPECT_THAT(why(1025), HasSubstr("more allocations in one call than WSL takes"));
  });
}

TEST_F(AllocationTest, HowManyAreDestroyedAtOnceIsALimitOfThePolicy) {
  policy.max_allocations_per_call = 4;
  run_program([&](Program& program) {
    std::vector<D3DKMT_HANDLE> made;
    for (int i = 0; i < 4; ++i) made.push_back(make(program));
    std::vector<D3DKMT_HANDLE> too_many = made;
    too_many.push_back(make(program));
    EXPECT_EQ(destroy_list(program, too_many), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy_list(program, made), STATUS_SUCCESS);
    EXPECT_EQ(destroy_list(program, {too_many.back()}), STATUS_SUCCESS);
  });
}

// Policy: no page asks for aligned structures, and x64 does not need them.
TEST_F(AllocationTest, ClientsStructuresNeedNotBeAligned) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::standard(program.device);
    alignas(8) uint8_t infos[sizeof(create.info) + 4];
    std::memcpy(infos + 4, &create.info, sizeof(create.info));
    create.args.pStandardAllocation = &create.description;
    create.args.pAllocationInfo = reinterpret_cast<D3DDDI_ALLOCATIONINFO*>(infos + 4);
    alignas(8) uint8_t args[sizeof(create.args) + 4];
    std::memcpy(args + 4, &create.args, sizeof(create.args));
    ASSERT_EQ(CreateAllocation(program.client, reinterpret_cast<D3DKMT_CREATEALLOCATION*>(args + 4)), STATUS_SUCCESS);
    std::memcpy(&create.info, infos + 4, sizeof(create.info));
    EXPECT_TRUE(is_local(create.info.hAllocation));
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
  });
}

class PriorityTest : public AllocationTest {};

TEST_F(PriorityTest, US24_AListOrAResource) {
  run_program([&](Program& program) {
    Made made = make_resource(program);
    D3DKMT_HANDLE alone = make(program);
    UINT priority = D3DDDI_ALLOCATIONPRIORITY_HIGH;
    D3DKMT_SETALLOCATIONPRIORITY set{.hDevice = program.device,
                                     .hResource = 0,
                                     .phAllocationList = &alone,
                                     .AllocationCount = 1,
                                     .pPriorities = &priority};
    UINT got = 0;
    D3DKMT_GETALLOCATIONPRIORITY get{.hDevice = program.device,
                                     .hResource = 0,
                                     .phAllocationList = &alone,
                                     .AllocationCount = 1,
                                     .pPriorities = &got};
    EXPECT_EQ(GetAllocationPriority(program.client, &get), STATUS_SUCCESS);
    EXPECT_EQ(got, UINT{D3DDDI_ALLOCATIONPRIORITY_NORMAL}) << "the driver's";
    EXPECT_EQ(SetAllocationPriority(program.client, &set), STATUS_SUCCESS);
    EXPECT_EQ(GetAllocationPriority(program.client, &get), STATUS_SUCCESS);
    EXPECT_EQ(got, priority);

    set.hResource = made.resource;
    EXPECT_EQ(SetAllocationPriority(program.client, &set), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"PriorityListWrong"});
    set.phAllocationList = nullptr;
    set.AllocationCount = 0;
    EXPECT_EQ(SetAllocationPriority(program.client, &set), STATUS_SUCCESS);
    get.phAllocationList = &made.allocation;
    EXPECT_EQ(GetAllocationPriority(program.client, &get), STATUS_SUCCESS);
    EXPECT_EQ(got, priority);
    priority = 0;
    EXPECT_EQ(SetAllocationPriority(program.client, &set), STATUS_INVALID_PARAMETER);
    set.hResource = 0;
    EXPECT_EQ(SetAllocationPriority(program.client, &set), STATUS_INVALID_PARAMETER);
  });
}

}  // namespace
}  // namespace kmt::testing
