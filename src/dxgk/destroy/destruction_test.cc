// The end of allocations: what is waited for, in which order the driver is told, and that handles are dead meanwhile.
#include "dxgk/destroy/destruction.h"

#include "dxgk/testing/client_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Made;

class DestructionTest : public testing::ClientTest {
 protected:
  void TearDown() override {
    EXPECT_THAT(driver.complaints, IsEmpty());
    EXPECT_THAT(broken(), IsEmpty());
    EXPECT_TRUE(driver.empty());
  }
};

TEST_F(DestructionTest, ClosesTheViewsInOneCallAndThenDestroys) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 3);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(3)", "DestroyAllocation(3, resource)"));
    client.process->end();
  });
}

// OC-16, DA-13: both functions may fail, and the documents do not say what that means.
class FailingDestructionTest : public testing::ClientTest {};

TEST_F(FailingDestructionTest, IsToldAndNotRepeated) {
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::CloseAllocation, STATUS_UNSUCCESSFUL);
  driver.fail(Ddi::DestroyAllocation, STATUS_UNSUCCESSFUL);
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 1);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1, resource)"));
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("CloseFailed", "DestroyFailed"));
}

TEST_F(DestructionTest, ResourceTakesEveryChildHandleWithIt) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_FALSE(resolves(client, made.resource));
    for (D3DKMT_HANDLE handle : made.allocations) EXPECT_FALSE(resolves(client, handle));
    client.process->end();
  });
}

TEST_F(DestructionTest, ChildByListLeavesTheResourceForACallOfItsOwn) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    driver.log.clear();
    EXPECT_FALSE(destroy_allocations(*client.device, made.allocations, {}));
    EXPECT_TRUE(resolves(client, made.resource));
    EXPECT_FALSE(destroy_resource(*client.device, made.resource, {}));
    EXPECT_THAT(driver.log,
                ElementsAre("CloseAllocation(2)", "DestroyAllocation(2)", "DestroyAllocation(0, resource)"));
    client.process->end();
  });
}

// The allocation's own destruction may finish early; the driver's part of the resource ends after it (DA-09).
TEST_F(DestructionTest, ResourceWaitsForAChildThatIsStillGoing) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    client.device->work().queue();
    driver.log.clear();
    EXPECT_FALSE(destroy_allocations(*client.device, {&made.allocations[0], 1}, {}));
    EXPECT_FALSE(destroy_resource(*client.device, made.resource, {.assume_not_in_use = true}));
    settle();
    EXPECT_THAT(driver.log, IsEmpty());
    client.device->work().complete_all();
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)", "CloseAllocation(1)",
                                        "DestroyAllocation(1, resource)"));
    client.process->end();
  });
}

TEST_F(DestructionTest, WaitsForTheWorkThatWasQueuedBefore) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    Timeline& work = client.device->work();
    work.queue();
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_FALSE(resolves(client, made.allocations[0])) << "the handle is dead when the call returns";
    settle();
    EXPECT_THAT(driver.log, IsEmpty());
    work.queue();  // later work is not waited for
    work.complete(1);
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    work.complete_all();
    client.process->end();
  });
}

TEST_F(DestructionTest, AResourceWaitsForTheWorkThatWasQueuedBefore) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    client.device->work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(driver.log, IsEmpty());
    client.device->work().complete_all();
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)", "DestroyAllocation(2, resource)"));
    client.process->end();
  });
}

TEST_F(DestructionTest, AssumeNotInUseDoesNotWaitForTheOwnersWork) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    client.device->work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy(client, made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    client.device->work().complete_all();
    client.process->end();
  });
}

TEST_F(DestructionTest, PagingWorkIsAlwaysWaitedFor) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    auto view = client.process->handles().get<AllocationView>(made.allocations[0]).take();
    view->allocation().paging_fence = adapter.paging_work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy(client, made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(driver.log, IsEmpty());
    adapter.paging_work().complete_all();
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    client.process->end();
  });
}

TEST_F(DestructionTest, SynchronousDestroyReturnsWhenTheMemoryIsBack) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 1);
    auto view = client.process->handles().get<AllocationView>(made.allocations[0]).take();
    ASSERT_TRUE(view->allocation().backing.map(4096).ok());
    client.device->work().queue();
    bool returned = false;
    machine().create_thread("gpu", [&] {
      settle();
      EXPECT_FALSE(returned);
      client.device->work().complete_all();
    });
    EXPECT_EQ(destroy(client, made, {.synchronous = true}), STATUS_SUCCESS);
    returned = true;
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    EXPECT_FALSE(view->allocation().backing.mapped());
    client.process->end();
  });
}

TEST_F(DestructionTest, DriversReferenceHoldsTheDestroyNotTheClose) {
  driver.hold_handle_data = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)"));
    driver.release_handle_data();
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)", "DestroyAllocation(2, resource)"));
    client.process->end();
  });
}

TEST_F(DestructionTest, SharedResourceEndsWithItsLastOpener) {
  run_started([&](Adapter& adapter) {
    Client creator = open(adapter, "creator"), opener = open(adapter, "opener");
    Made made = create(creator, flags(true, true), 2);
    auto shared = kernel().global_handles().open<Resource>(made.global_share);
    ASSERT_TRUE(shared.ok());
    D3DKMT_HANDLE opened;
    {
      ParkingLock lock(opener.device->mutex());
      auto opening = Opening::begin(*opener.device, shared.take(), false);
      ASSERT_TRUE(opening.ok());
      Opening done = opening.take();
      done.commit();
      opened = opener.process->handles().get<AllocationView>(done.handle(0)).take()->resource->handle;
    }
    driver.log.clear();
    EXPECT_EQ(destroy(creator, made), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)"));
    EXPECT_FALSE(destroy_resource(*opener.device, opened, {}));
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)", "CloseAllocation(2)", "DestroyAllocation(2, resource)"));
    EXPECT_FALSE(kernel().global_handles().open<Resource>(made.global_share).ok());
    creator.process->end();
    opener.process->end();
  });
}

TEST_F(DestructionTest, OtherDevicesWorkHoldsItsOwnCloseOnly) {
  run_started([&](Adapter& adapter) {
    Client creator = open(adapter, "creator"), opener = open(adapter, "opener");
    Made made = create(creator, flags(true, true), 1);
    {
      ParkingLock lock(opener.device->mutex());
      auto opening =
          Opening::begin(*opener.device, kernel().global_handles().open<Resource>(made.global_share).take(), false);
      ASSERT_TRUE(opening.ok());
      opening.take().commit();
    }
    opener.device->work().queue();
    driver.log.clear();
    EXPECT_EQ(destroy(creator, made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)")) << "AssumeNotInUse says nothing about other devices";
    opener.device->work().complete_all();
    opener.process->end();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    creator.process->end();
  });
}

TEST_F(DestructionTest, ListThatMixesResourcesIsRefusedWhole) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made one = create(client, flags(true), 1), two = create(client, flags(true), 1),
         alone = create(client, flags(false), 1);
    driver.log.clear();
    auto refused = [&](std::vector<D3DKMT_HANDLE> list) {
      Judgement judgement = destroy_allocations(*client.device, list, {});
      EXPECT_TRUE(judgement && judgement->status == STATUS_INVALID_PARAMETER);
      return judgement ? judgement->rule : std::nullopt;
    };
    using nt::Violation;
    EXPECT_EQ(refused({one.allocations[0], two.allocations[0]}), Violation::DestroyListManyResources);
    EXPECT_EQ(refused({one.allocations[0], alone.allocations[0]}), Violation::DestroyListMixed);
    EXPECT_EQ(refused({alone.allocations[0], alone.allocations[0]}), Violation::DestroyListTwice);
    EXPECT_EQ(refused({alone.allocations[0], 0x1EADBEEDu}), Violation::DestroyDeadHandle);
    EXPECT_THAT(driver.log, IsEmpty());
    for (const Made& made : {one, two, alone}) EXPECT_TRUE(resolves(client, made.allocations[0]));
    client.process->end();
  });
}

TEST_F(DestructionTest, DeviceEndTakesWhatIsLeft) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    create(client, flags(true), 2);
    create(client, flags(false), 2);
    client.device->work().queue();
    driver.log.clear();
    machine().create_thread("gpu", [&] {
      settle();
      client.device->work().complete_all();
    });
    EXPECT_TRUE(client.process->handles().close<Device>(client.device->handle).ok());
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)", "DestroyAllocation(2, resource)", "CloseAllocation(2)",
                                        "DestroyAllocation(2)", "DestroyDevice"));
    EXPECT_EQ(client.process->ledger().leaks().size(), 5u);
    client.process->end();
  });
}

TEST_F(DestructionTest, AdapterStopTakesEverythingFromTheDriverAndLeavesHandlesToDestroy) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    adapter.stop();
    EXPECT_TRUE(driver.empty());
    EXPECT_TRUE(resolves(client, made.resource));
    EXPECT_EQ(client.device->usable().status(), STATUS_DEVICE_REMOVED);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_FALSE(resolves(client, made.resource));
    EXPECT_FALSE(resolves(client, made.allocations[1]));
    EXPECT_THAT(driver.log, IsEmpty());
    client.process->end();
  });
}

TEST_F(DestructionTest, AdapterStopDestroysWhatOnlyAnNtHandleKeeps) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true, true, true), 1);
    auto view = client.process->handles().get<ResourceView>(made.resource).take();
    auto nt_handle = ob::UnpublishedObject<Resource>::open(view->resource());  // what an NT handle is to the resource
    ASSERT_TRUE(nt_handle.has_value());
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    adapter.stop();
    EXPECT_TRUE(driver.empty());
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    nt_handle.reset();
    settle();
    client.process->end();
  });
}

TEST_F(DestructionTest, NtHandleClosedJustBeforeTheRemovalIsSeenOff) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true, true, true), 1);
    auto view = client.process->handles().get<ResourceView>(made.resource).take();
    auto nt_handle = ob::UnpublishedObject<Resource>::open(view->resource());
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    client.process->end();
    nt_handle.reset();  // and the adapter is removed at once
  });
}

}  // namespace
}  // namespace dxgk
