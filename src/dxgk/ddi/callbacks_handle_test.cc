#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/ddi/thread_context.h"
#include "dxgk/testing/client_fixture.h"

namespace dxgk {
namespace {

using testing::ClientTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Made;
using testing::Model;

class HandleCallbacks : public ClientTest {
 protected:
  explicit HandleCallbacks(Model model = Model::Wddm20) : ClientTest(model) {}

  void* data(D3DKMT_HANDLE handle, DXGK_HANDLE_TYPE type = DXGK_HANDLE_ALLOCATION, bool device_specific = false) {
    DXGKARGCB_GETHANDLEDATA args = wanted(handle, type, device_specific);
    return driver.interface.DxgkCbGetHandleData(&args);
  }
  void* acquire(D3DKMT_HANDLE handle, HANDLE* release, DXGK_HANDLE_TYPE type = DXGK_HANDLE_ALLOCATION) {
    DXGKARGCB_GETHANDLEDATA args = wanted(handle, type, false);
    return driver.interface.DxgkCbAcquireHandleData(&args, release);
  }
  void release(HANDLE handle, DXGK_HANDLE_TYPE type = DXGK_HANDLE_ALLOCATION) {
    driver.interface.DxgkCbReleaseHandleData({handle, type});
  }
  D3DKMT_HANDLE parent(D3DKMT_HANDLE handle) { return driver.interface.DxgkCbGetHandleParent(handle); }
  D3DKMT_HANDLE child(D3DKMT_HANDLE handle, UINT index) {
    DXGKARGCB_ENUMHANDLECHILDREN args{handle, index};
    return driver.interface.DxgkCbEnumHandleChildren(&args);
  }

 private:
  static DXGKARGCB_GETHANDLEDATA wanted(D3DKMT_HANDLE handle, DXGK_HANDLE_TYPE type, bool device_specific) {
    DXGKARGCB_GETHANDLEDATA args{};
    args.hObject = handle;
    args.Type = type;
    args.Flags.DeviceSpecific = device_specific;
    return args;
  }
};

class HandleCallbacks13 : public HandleCallbacks {
 protected:
  HandleCallbacks13() : HandleCallbacks(Model::Wddm13) {}
};

TEST_F(HandleCallbacks, GiveTheDriverItsOwnValues) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    ASSERT_EQ(made.allocations.size(), 2u);
    ThreadContext working_for(&*client.process);
    auto view = client.process->handles().get<AllocationView>(made.allocations[1]).take();
    EXPECT_EQ(data(made.allocations[1]), view->allocation().driver_handle());
    EXPECT_EQ(data(made.allocations[1], DXGK_HANDLE_ALLOCATION, true), view->driver_view);
    EXPECT_EQ(data(made.resource, DXGK_HANDLE_RESOURCE), view->resource->resource().driver_handle);
    EXPECT_EQ(data(made.resource), nullptr);  // not an allocation
    EXPECT_EQ(data(0x1234), nullptr);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// HN-02.
TEST_F(HandleCallbacks, HaveNoDeviceSpecificDataOfAResource) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 1);
    ThreadContext working_for(&*client.process);
    EXPECT_EQ(data(made.resource, DXGK_HANDLE_RESOURCE, true), nullptr);
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("DeviceSpecificResource"));
}

// HN-01. A driver that asks about one handle in two ways has its answer in the end.
TEST_F(HandleCallbacks, AreNotIgnoredWhenTheyFindNothing) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    driver.at[Ddi::OpenAllocation] = [&] {
      D3DKMT_HANDLE handle = ThreadContext::current()->opening->views[0]->handle;
      EXPECT_EQ(data(handle, DXGK_HANDLE_RESOURCE), nullptr);
      data(handle);
    };
    create(client, flags(true), 1);
    EXPECT_THAT(broken(), IsEmpty());
    driver.at[Ddi::OpenAllocation] = [&] { EXPECT_EQ(data(0x1234), nullptr); };
    create(client, flags(true), 1);
    EXPECT_THAT(broken(), ElementsAre("HandleDataIgnored"));
    driver.fail(Ddi::OpenAllocation, STATUS_INVALID_HANDLE);
    create(client, flags(true), 1);
    driver.at.clear();
    client.process->end();
  });
  EXPECT_EQ(broken().size(), 1u);
}

TEST_F(HandleCallbacks, KnowParentsAndChildren) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made group = create(client, flags(true), 2);
    Made alone = create(client, flags(false), 1);
    ThreadContext working_for(&*client.process);
    EXPECT_EQ(parent(group.allocations[0]), group.resource);
    EXPECT_EQ(parent(alone.allocations[0]), 0u);  // HN-03
    EXPECT_EQ(child(group.resource, 0), group.allocations[0]);
    EXPECT_EQ(child(group.resource, 1), group.allocations[1]);
    EXPECT_EQ(child(group.resource, 2), 0u);  // HN-04
    client.process->end();
  });
}

TEST_F(HandleCallbacks, MeanNothingOutsideOfAClientsCall) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    EXPECT_EQ(data(made.allocations[0]), nullptr);
    Client other = open(adapter, "other");
    ThreadContext working_for(&*other.process);
    EXPECT_EQ(data(made.allocations[0]), nullptr);
    other.process->end();
    client.process->end();
  });
}

// F9.1. What is being opened has a handle that only its opener's driver can use.
TEST_F(HandleCallbacks, GiveNothingForAnAllocationThatIsBeingOpened) {
  std::vector<void*> seen;
  policy.get_handle_data_null_in_open = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    driver.at[Ddi::OpenAllocation] = [&] {
      const OpeningViews* opening = ThreadContext::current()->opening;
      D3DKMT_HANDLE handle = opening->views[0]->handle;
      seen.push_back(data(handle));
      EXPECT_FALSE(resolves(client, handle));
      EXPECT_EQ(child(opening->views[0]->resource->handle, 1), opening->views[1]->handle);
      EXPECT_EQ(parent(handle), opening->views[0]->resource->handle);
    };
    create(client, flags(true), 2);
    driver.at.clear();
    client.process->end();
  });
  EXPECT_THAT(seen, ElementsAre(nullptr));
  EXPECT_THAT(driver.complaints, IsEmpty());
}

TEST_F(HandleCallbacks13, GiveAnOldDriverWhatItIsOpening) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    EXPECT_EQ(create(client, flags(false), 3).status, STATUS_SUCCESS);
    client.process->end();
  });
  EXPECT_THAT(driver.complaints, IsEmpty());  // the fake asked for each
  EXPECT_TRUE(driver.empty());
}

// HN-05.
TEST_F(HandleCallbacks, KeepWhatTheyAcquireFromBeingDestroyed) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    HANDLE held = nullptr;
    {
      ThreadContext working_for(&*client.process);
      ASSERT_NE(acquire(made.allocations[0], &held), nullptr);
    }
    EXPECT_EQ(kernel().acquired().held(), 1u);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)"));
    release(held);
    settle();
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_TRUE(driver.empty());
}

TEST_F(HandleCallbacks, AcquireAResourceWithAllThatItHas) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    HANDLE held = nullptr;
    {
      ThreadContext working_for(&*client.process);
      EXPECT_NE(acquire(made.resource, &held, DXGK_HANDLE_RESOURCE), nullptr);
    }
    destroy(client, made);
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    release(held, DXGK_HANDLE_RESOURCE);
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// HN-06.
TEST_F(HandleCallbacks, ReleasingTwiceIsAFindingWithBothPlaces) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    {
      ThreadContext working_for(&*client.process);
      HANDLE held = nullptr;
      acquire(made.allocations[0], &held);
      release(held);
      release(held);
      release(nullptr);
    }
    client.process->end();
  });
  ASSERT_THAT(broken(), ElementsAre("HandleDataReleasedTwice", "HandleDataReleasedTwice"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("released before"));
  EXPECT_EQ(observer.violations[0].stacks.size(), 2u);
  EXPECT_THAT(observer.violations[1].sentence, HasSubstr("no release handle"));
}

TEST_F(HandleCallbacks, ReleasingAsAnotherTypeIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    {
      ThreadContext working_for(&*client.process);
      HANDLE held = nullptr;
      acquire(made.allocations[0], &held);
      release(held, DXGK_HANDLE_RESOURCE);
      EXPECT_EQ(kernel().acquired().held(), 1u);
      release(held);
    }
    client.process->end();
  });
  ASSERT_THAT(broken(), ElementsAre("HandleDataReleasedTwice"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("another DXGK_HANDLE_TYPE"));
}

TEST_F(HandleCallbacks, WhatIsNeverReleasedIsAFindingWhenTheAdapterStops) {
  observer.then = nt::Then::GoOn;
  driver.hold_handle_data = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    create(client, flags(false), 2);
  });
  ASSERT_THAT(broken(), ElementsAre("HandleDataLeft", "HandleDataLeft"));
  EXPECT_EQ(observer.violations[0].stacks.size(), 2u);  // where it is told, where it was acquired
  EXPECT_TRUE(driver.empty());
}

TEST_F(HandleCallbacks, WhatIsReleasedWhileTheAdapterStopsIsFine) {
  driver.hold_handle_data = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    create(client, flags(false), 2);
    driver.at[Ddi::CloseAllocation] = [&] { driver.release_handle_data(); };
  });
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_TRUE(driver.empty());
}

TEST_F(HandleCallbacks, ADestructionDoesNotWaitForADriverWhoseDeviceWasRemoved) {
  driver.hold_handle_data = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    create(client, flags(false), 1);
    adapter.surprise_remove();
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
