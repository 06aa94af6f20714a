#include "base/rng.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

constexpr ULONG kTag = 0x54736552;  // "ResT"

class ExResourceTest : public MachineTest {
 protected:
  ExResourceTest() { observer.then = Then::GoOn; }

  void enter() { ++machine().self().critical_regions; }
  void leave() { --machine().self().critical_regions; }
  void pause() { machine().executor().yield(base::Point::Yield); }
  // Lets a thread of its own do something, in a critical region, and goes on at once.
  void elsewhere(std::function<void()> body) {
    ++running_;
    machine().create_thread("other", [this, body = std::move(body)] {
      enter();
      body();
      leave();
      --running_;
    });
  }
  void wait_for_others() {
    while (running_ > 0) pause();
  }

  int running_ = 0;
};

TEST_F(ExResourceTest, ExclusiveAccessIsRecursive) {
  run([&] {
    ERESOURCE resource;
    EXPECT_EQ(ExInitializeResourceLite(&resource), STATUS_SUCCESS);
    enter();
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, TRUE));
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, FALSE));
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, TRUE));  // stays exclusive
    EXPECT_TRUE(ExIsResourceAcquiredExclusiveLite(&resource));
    EXPECT_EQ(ExIsResourceAcquiredSharedLite(&resource), 3u);
    ExReleaseResourceLite(&resource);
    ExReleaseResourceForThreadLite(&resource, ExGetCurrentResourceThread());
    EXPECT_TRUE(ExIsResourceAcquiredExclusiveLite(&resource));
    ExReleaseResourceLite(&resource);
    EXPECT_FALSE(ExIsResourceAcquiredExclusiveLite(&resource));
    EXPECT_EQ(ExIsResourceAcquiredSharedLite(&resource), 0u);
    leave();
    EXPECT_EQ(ExDeleteResourceLite(&resource), STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExResourceTest, ManyShareAndOneExcludes) {
  run_seeds(20, [&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, TRUE));
    elsewhere([&] {
      EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, FALSE));
      EXPECT_FALSE(ExIsResourceAcquiredExclusiveLite(&resource));
      EXPECT_FALSE(ExAcquireResourceExclusiveLite(&resource, FALSE));
      ExReleaseResourceLite(&resource);
    });
    wait_for_others();
    ExReleaseResourceLite(&resource);
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, TRUE));
    elsewhere([&] {
      EXPECT_FALSE(ExAcquireResourceSharedLite(&resource, FALSE));
      EXPECT_FALSE(ExAcquireSharedStarveExclusive(&resource, FALSE));
      EXPECT_FALSE(ExAcquireResourceExclusiveLite(&resource, FALSE));
    });
    wait_for_others();
    ExReleaseResourceLite(&resource);
    leave();
    ExDeleteResourceLite(&resource);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(ExResourceTest, AnExclusiveWaiterKeepsNewSharersOutUnlessTheyMayStarveIt) {
  run_seeds(20, [&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    ExAcquireResourceSharedLite(&resource, TRUE);
    elsewhere([&] {
      EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, TRUE));
      ExReleaseResourceLite(&resource);
    });
    while (ExGetExclusiveWaiterCount(&resource) == 0) pause();
    elsewhere([&] {
      EXPECT_FALSE(ExAcquireResourceSharedLite(&resource, FALSE));
      EXPECT_FALSE(ExAcquireSharedWaitForExclusive(&resource, FALSE));
      EXPECT_TRUE(ExAcquireSharedStarveExclusive(&resource, FALSE));
      ExReleaseResourceLite(&resource);
    });
    while (running_ > 1) pause();
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, FALSE));  // it has access already
    EXPECT_FALSE(ExAcquireSharedWaitForExclusive(&resource, FALSE));
    ExReleaseResourceLite(&resource);
    ExReleaseResourceLite(&resource);
    wait_for_others();
    leave();
    ExDeleteResourceLite(&resource);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(ExResourceTest, ConvertingLetsSharedWaitersIn) {
  run_seeds(20, [&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    for (int i = 0; i < 3; ++i) {
      elsewhere([&] {
        EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, TRUE));
        ExReleaseResourceLite(&resource);
      });
    }
    while (ExGetSharedWaiterCount(&resource) < 3) pause();
    ExConvertExclusiveToSharedLite(&resource);
    EXPECT_EQ(ExGetSharedWaiterCount(&resource), 0u);
    EXPECT_FALSE(ExIsResourceAcquiredExclusiveLite(&resource));
    EXPECT_EQ(ExIsResourceAcquiredSharedLite(&resource), 1u);
    wait_for_others();  // although this thread still has it
    ExReleaseResourceLite(&resource);
    leave();
    ExDeleteResourceLite(&resource);
    EXPECT_EQ(broken(), Strings{});
  });
}

// Threads acquire and release in every way; a writer is never inside together with another thread.
TEST_F(ExResourceTest, ReadersAndWritersNeverMeet) {
  run_seeds(40, [&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    int readers = 0, writers = 0, waiting_done = 0;
    for (uint64_t t = 0; t < 5; ++t) {
      elsewhere([&, t] {
        base::Rng rng(options.seed * 5 + t);
        for (int i = 0; i < 12; ++i) {
          uint64_t how = rng.below(4);
          bool wait = rng.below(4) != 0;
          bool exclusive = how == 0;
          BOOLEAN got = exclusive  ? ExAcquireResourceExclusiveLite(&resource, wait)
                        : how == 1 ? ExAcquireSharedStarveExclusive(&resource, wait)
                        : how == 2 ? ExAcquireSharedWaitForExclusive(&resource, wait)
                                   : ExAcquireResourceSharedLite(&resource, wait);
          EXPECT_TRUE(got || !wait);
          if (!got) continue;
          EXPECT_EQ(writers, 0);
          if (exclusive) {
            EXPECT_EQ(readers, 0);
          }
          (exclusive ? writers : readers) += 1;
          pause();
          (exclusive ? writers : readers) -= 1;
          if (exclusive && rng.below(2)) {
            ExConvertExclusiveToSharedLite(&resource);
            ++readers;
            pause();
            EXPECT_EQ(writers, 0);
            --readers;
          }
          ExReleaseResourceLite(&resource);
        }
        ++waiting_done;
      });
    }
    wait_for_others();
    EXPECT_EQ(waiting_done, 5);
    EXPECT_EQ(ExDeleteResourceLite(&resource), STATUS_SUCCESS);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(ExResourceTest, NormalKernelApcsMustBeDisabled) {
  run([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    ExReleaseResourceLite(&resource);
    machine().raise_irql(APC_LEVEL);
    ExAcquireResourceSharedLite(&resource, TRUE);
    ExReleaseResourceLite(&resource);
    machine().lower_irql(PASSIVE_LEVEL);
    ExDeleteResourceLite(&resource);
  });
  EXPECT_EQ(broken(), (Strings{"ApcsNotDisabled", "ApcsNotDisabled"}));
}

TEST_F(ExResourceTest, TheCombinedFormsEnterAndLeaveTheRegion) {
  run([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    ExEnterCriticalRegionAndAcquireResourceExclusive(&resource);
    EXPECT_EQ(machine().self().critical_regions, 1u);
    EXPECT_TRUE(ExIsResourceAcquiredExclusiveLite(&resource));
    ExReleaseResourceAndLeaveCriticalRegion(&resource);
    EXPECT_EQ(machine().self().critical_regions, 0u);
    EXPECT_EQ(broken(), Strings{});
    enter();
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    leave();
    ExReleaseResourceAndLeaveCriticalRegion(&resource);
    ExDeleteResourceLite(&resource);
  });
  EXPECT_EQ(broken(), Strings{"RegionUnbalanced"});
}

TEST_F(ExResourceTest, WhatIsNotHeldCannotBeReleasedOrConverted) {
  run([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    ExReleaseResourceLite(&resource);
    ExAcquireResourceSharedLite(&resource, TRUE);
    ExConvertExclusiveToSharedLite(&resource);
    ExReleaseResourceForThreadLite(&resource, ExGetCurrentResourceThread() + 8);
    ExReleaseResourceLite(&resource);
    leave();
    ExDeleteResourceLite(&resource);
  });
  EXPECT_EQ(broken(), (Strings{"LockNotHeld", "LockNotHeld", "LockNotHeld"}));
}

TEST_F(ExResourceTest, ASharerThatWantsItExclusivelyWaitsForItself) {
  observer.then = Then::Stop;
  run_to_stop([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    ExAcquireResourceSharedLite(&resource, TRUE);
    EXPECT_FALSE(ExAcquireResourceExclusiveLite(&resource, FALSE));  // asking costs nothing
    ExAcquireResourceExclusiveLite(&resource, TRUE);
  });
  EXPECT_EQ(broken(), Strings{"LockRecursion"});
}

TEST_F(ExResourceTest, OneThatIsInUseIsNeitherDeletedNorMadeNew) {
  run([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    enter();
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    ExDeleteResourceLite(&resource);
    ExReinitializeResourceLite(&resource);
    EXPECT_TRUE(ExIsResourceAcquiredExclusiveLite(&resource));
    ExReleaseResourceLite(&resource);
    leave();
    EXPECT_EQ(ExReinitializeResourceLite(&resource), STATUS_SUCCESS);
    ExInitializeResourceLite(&resource);
    ExDeleteResourceLite(&resource);
    ExDeleteResourceLite(&resource);
  });
  EXPECT_EQ(broken(), (Strings{"ResourceInUse", "ResourceInUse", "ReinitialisedLive", "NotInitialised"}));
}

TEST_F(ExResourceTest, PoolIsNotFreedWithAResourceInIt) {
  run([&] {
    auto* resource = static_cast<ERESOURCE*>(ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(ERESOURCE), kTag));
    ExInitializeResourceLite(resource);
    ExFreePoolWithTag(resource, kTag);
    resource = static_cast<ERESOURCE*>(ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(ERESOURCE), kTag));
    ExInitializeResourceLite(resource);
    ExDeleteResourceLite(resource);
    ExFreePoolWithTag(resource, kTag);
  });
  EXPECT_EQ(broken(), Strings{"ResourceNotDeleted"});
}

}  // namespace
}  // namespace nt
