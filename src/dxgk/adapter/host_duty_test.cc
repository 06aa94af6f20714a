// What the documents promise a driver of the kernel around it: the rows of the catalogue
// (verifier/catalogue/catalogue.def) that no test of a single part has in mind.
#include <functional>
#include <utility>
#include <vector>

#include "dxgk/testing/gpu_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Made;

// What the driver was told. Its functions are plain ones, so there is one of these for the test that runs.
struct Told {
  struct Creation {
    bool resource;
    HANDLE had_before;  // hResource when it was called
    HANDLE group;       // hResource when it returned
    std::vector<HANDLE> allocations;
  };
  struct Destruction {
    HANDLE adapter;
    UINT flags;
    HANDLE group;
    std::vector<HANDLE> allocations;
  };
  struct Opening {
    bool create;
    uint8_t first_byte;
  };
  std::vector<Creation> created;
  std::vector<Destruction> destroyed;
  std::vector<Opening> opened;
};
Told told;
DRIVER_INITIALIZATION_DATA fakes;

NTSTATUS watched_create(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEALLOCATION args) {
  HANDLE before = args->hResource;
  NTSTATUS status = fakes.DxgkDdiCreateAllocation(adapter, args);
  Told::Creation call{args->Flags.Resource != 0, before, args->hResource, {}};
  for (UINT i = 0; i < args->NumAllocations; ++i) call.allocations.push_back(args->pAllocationInfo[i].hAllocation);
  told.created.push_back(call);
  return status;
}

NTSTATUS watched_destroy(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
  told.destroyed.push_back({adapter,
                            args->Flags.Value,
                            args->hResource,
                            {args->pAllocationList, args->pAllocationList + args->NumAllocations}});
  return fakes.DxgkDdiDestroyAllocation(adapter, args);
}

NTSTATUS watched_open(IN_CONST_HANDLE device, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  const auto* data = static_cast<const uint8_t*>(args->pOpenAllocation[0].pPrivateDriverData);
  told.opened.push_back({args->Flags.Create != 0, data ? *data : uint8_t{0}});
  return fakes.DxgkDdiOpenAllocation(device, args);
}

std::vector<HANDLE> told_processes;

NTSTATUS watched_process(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEPROCESS args) {
  told_processes.push_back(args->hDxgkProcess);
  return fakes.DxgkDdiCreateProcess(adapter, args);
}

class HostDuty : public testing::GpuTest {
 protected:
  HostDuty() {
    told = {};
    fakes = driver.table;
    driver.table.DxgkDdiCreateAllocation = watched_create;
    driver.table.DxgkDdiDestroyAllocation = watched_destroy;
    driver.table.DxgkDdiOpenAllocation = watched_open;
  }
  void TearDown() override {
    EXPECT_THAT(driver.complaints, IsEmpty());
    EXPECT_TRUE(driver.empty());
  }
  using ClientTest::destroy;
  using GpuTest::destroy;
  void play(const std::function<void(Adapter&)>& body) {
    EXPECT_TRUE(run_started(body) == nt::Machine::Ended::Returned);
  }
  void open_shared(const Client& opener, const Made& made) {
    ParkingLock lock(opener.device->mutex());
    auto shared = kernel().global_handles().open<Resource>(made.global_share);
    ASSERT_TRUE(shared.ok());
    auto opening = Opening::begin(*opener.device, shared.take(), false);
    ASSERT_TRUE(opening.ok());
    opening.take().commit();
  }
};

// What a driver keeps by hDxgkProcess it keeps for one process.
TEST_F(HostDuty, EveryProcessHasANameOfItsOwn) {
  told_processes.clear();
  driver.table.DxgkDdiCreateProcess = watched_process;
  play([&](Adapter& adapter) {
    Client first = open(adapter, "first"), second = open(adapter, "second");
    first.process->end();
    second.process->end();
  });
  ASSERT_EQ(told_processes.size(), 3u) << "the system's, and two";
  EXPECT_NE(told_processes[0], told_processes[1]);
  EXPECT_NE(told_processes[0], told_processes[2]);
  EXPECT_NE(told_processes[1], told_processes[2]);
}

// CA-03
TEST_F(HostDuty, AllocationsBelongToAResourceOrToTheDevice) {
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    create(client, flags(false), 1);
    create(client, flags(true), 1);
    client.process->end();
  });
  ASSERT_EQ(told.created.size(), 2u);
  EXPECT_FALSE(told.created[0].resource);
  EXPECT_EQ(told.created[0].had_before, nullptr);
  EXPECT_TRUE(told.created[1].resource);
}

// KC-19. The value of winerror.h, and that of another public list, which passes NT_SUCCESS.
TEST_F(HostDuty, AMismatchIsNoSuccess) {
  observer.then = nt::Then::GoOn;
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    for (NTSTATUS mismatch : {STATUS_GRAPHICS_DRIVER_MISMATCH, NTSTATUS{0x401E0117}}) {
      driver.fail(Ddi::CreateAllocation, mismatch);
      uint32_t before = client.process->handles().open_count();
      EXPECT_LT(create(client, flags(true), 1).status, 0);
      EXPECT_EQ(client.process->handles().open_count(), before);
    }
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("IllegalStatus")) << "the second";
}

// OC-02
TEST_F(HostDuty, OnlyTheFirstOpeningSaysCreate) {
  play([&](Adapter& adapter) {
    Client creator = open(adapter, "creator"), opener = open(adapter, "opener");
    Made made = create(creator, flags(true, true), 1);
    open_shared(opener, made);
    open_shared(creator, made);
    creator.process->end();
    opener.process->end();
  });
  ASSERT_EQ(told.opened.size(), 3u);
  EXPECT_TRUE(told.opened[0].create);
  EXPECT_FALSE(told.opened[1].create);
  EXPECT_FALSE(told.opened[2].create);
}

// OC-05
TEST_F(HostDuty, OpenersSeeWhatTheDriverChanged) {
  driver.scribble_on_open = true;
  play([&](Adapter& adapter) {
    Client creator = open(adapter, "creator"), opener = open(adapter, "opener");
    uint64_t bytes = 4096;
    Made made = create_shared(creator, bytes);
    ASSERT_EQ(made.status, STATUS_SUCCESS);
    EXPECT_EQ(bytes, 4097u) << "the creator's copy";
    driver.scribble_on_open = false;
    open_shared(opener, made);
    creator.process->end();
    opener.process->end();
  });
  ASSERT_EQ(told.opened.size(), 2u);
  EXPECT_EQ(told.opened[0].first_byte, 0u);
  EXPECT_EQ(told.opened[1].first_byte, 1u);
  EXPECT_THAT(broken(), IsEmpty());
}

// DA-01, DA-07, DA-08, DA-12
TEST_F(HostDuty, TheDriverDestroysByItsOwnHandles) {
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    Made group = create(client, flags(true), 2), alone = create(client, flags(false), 1);
    EXPECT_EQ(destroy(client, group), STATUS_SUCCESS);
    EXPECT_EQ(destroy(client, alone), STATUS_SUCCESS);
    client.process->end();
  });
  ASSERT_EQ(told.destroyed.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told.destroyed[i].allocations, told.created[i].allocations);
    EXPECT_EQ(told.destroyed[i].adapter, testing::FakeMiniport::context()) << "the adapter's, not a device's";
  }
  EXPECT_EQ(told.destroyed[0].group, told.created[0].group);
  EXPECT_EQ(told.destroyed[0].flags, 1u);
  EXPECT_EQ(told.destroyed[1].group, nullptr);
  EXPECT_EQ(told.destroyed[1].flags, 0u);
}

// DA-06: what the driver leaves in hResource when only allocations go is the resource's handle from then on.
TEST_F(HostDuty, AResourcesHandleMayChange) {
  static HANDLE original;
  static int another;
  original = nullptr;
  driver.table.DxgkDdiDestroyAllocation = [](IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
    DXGKARG_DESTROYALLOCATION copy = *args;
    if (args->Flags.DestroyResource) {
      EXPECT_EQ(args->hResource, &another);
      copy.hResource = original;
    } else {
      original = args->hResource;
    }
    NTSTATUS status = fakes.DxgkDdiDestroyAllocation(adapter, &copy);
    // The documents call it in and out, and the prototype const.
    if (!args->Flags.DestroyResource) const_cast<DXGKARG_DESTROYALLOCATION*>(args)->hResource = &another;
    return status;
  };
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_FALSE(destroy_allocations(*client.device, {&made.allocations[0], 1}, {}));
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    client.process->end();
  });
  EXPECT_NE(original, nullptr);
}

// CX-12
TEST_F(HostDuty, AContextRunsWithItsAllocationInPlace) {
  std::vector<std::string> order;
  HANDLE state = nullptr;
  int own = 0;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) order.push_back("initialised");
    return STATUS_SUCCESS;
  };
  driver.submit_virtual = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL&) {
    order.push_back("submitted");
    return STATUS_SUCCESS;
  };
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    DXGKARGCB_CREATECONTEXTALLOCATION wanted{};
    wanted.hAdapter = driver.device_handle();
    wanted.hContext = args.hContext;
    wanted.hDriverAllocation = &own;
    wanted.Size = 4096;
    wanted.SupportedSegmentSet = 2;
    wanted.PreferredSegment.SegmentId0 = 2;
    NTSTATUS status = driver.interface.DxgkCbCreateContextAllocation(&wanted);
    state = wanted.hAllocation;
    return status;
  };
  driver.destroy_context = [&](HANDLE) {
    if (state) driver.interface.DxgkCbDestroyContextAllocation(driver.device_handle(), std::exchange(state, nullptr));
  };
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    ASSERT_TRUE(submit(context).ok());  // not waiting for anything before
    wait_for_submissions(1);
    complete(1);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(order, ElementsAre("initialised", "submitted"));
  EXPECT_THAT(broken(), IsEmpty());
}

// TD-01
TEST_F(HostDuty, AContextEndsWhenItsWorkIsDone) {
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    bool completed = false;
    machine().create_thread("gpu", [&] {
      settle();
      EXPECT_EQ(driver.calls(Ddi::DestroyContext), 0u);
      completed = true;
      complete(1);
    });
    destroy(client, *context);
    EXPECT_TRUE(completed);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// TR-03
TEST_F(HostDuty, AllocationsOutliveAReset) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::ResetEngine, STATUS_UNSUCCESSFUL);
  play([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    Made made = create(client, flags(true), 1);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    machine().executor().sleep_for(20'000'000'000);
    EXPECT_EQ(driver.calls(Ddi::ResetFromTimeout), 1u);
    EXPECT_NE(client.device->state(), Device::State::Active);
    EXPECT_EQ(driver.calls(Ddi::CloseAllocation), 0u);
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    destroy(client, *context);
    client.process->end();
  });
}

}  // namespace
}  // namespace dxgk
