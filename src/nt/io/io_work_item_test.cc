#include <functional>
#include <memory>
#include <vector>

#include "nt/ex/work_queues.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr uint32_t kTag = 0x6D657469;

// What a routine was called with, and what it does then.
struct Work {
  std::function<void()> act;
  int runs = 0;
  PVOID object = nullptr;
  PIO_WORKITEM item = nullptr;
  KIRQL irql = 0xFF;
  KEVENT done{};

  Work() { KeInitializeEvent(&done, NotificationEvent, FALSE); }
  void run() {
    ++runs;
    irql = KeGetCurrentIrql();
    if (act) act();
    KeSetEvent(&done, 0, FALSE);
  }
  void wait() { KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr); }
};

void routine(PDEVICE_OBJECT device, PVOID context) {
  auto& work = *static_cast<Work*>(context);
  work.object = device;
  work.run();
}

void routine_ex(PVOID object, PVOID context, PIO_WORKITEM item) {
  auto& work = *static_cast<Work*>(context);
  work.object = object;
  work.item = item;
  work.run();
}

void routine_of_ex_queue(PVOID context) { static_cast<Work*>(context)->run(); }

class IoWorkItemTest : public MachineTest {
 protected:
  void SetUp() override { observer.then = Then::GoOn; }

  // `body` runs with a device object.
  void with_device(const std::function<void()>& body) {
    run_seeds(12, [&] {
      IoCreateDevice(&driver, 0, nullptr, FILE_DEVICE_UNKNOWN, 0, FALSE, &device);
      body();
    });
  }
  // Nothing else runs until `body` returns.
  void alone(const std::function<void()>& body) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    body();
    KeLowerIrql(old);
  }
  bool freed(const void* address) { return machine().pool().find(reinterpret_cast<uintptr_t>(address))->freed; }
  std::string first() const { return observer.violations.empty() ? "" : observer.violations[0].sentence; }

  DRIVER_OBJECT driver{};
  PDEVICE_OBJECT device = nullptr;
};

TEST_F(IoWorkItemTest, RunsOnAWorkerAtPassiveLevel) {
  with_device([&] {
    Work work;
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    alone([&] { IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work); });
    work.wait();
    EXPECT_EQ(work.runs, 1);
    EXPECT_EQ(work.object, device);
    EXPECT_EQ(work.irql, PASSIVE_LEVEL);
    IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, TheExFormIsGivenTheItemAndTakesADriver) {
  with_device([&] {
    Work work;
    PIO_WORKITEM item = IoAllocateWorkItem(reinterpret_cast<PDEVICE_OBJECT>(&driver));
    IoQueueWorkItemEx(item, &routine_ex, CriticalWorkQueue, &work);
    work.wait();
    EXPECT_EQ(work.object, &driver);
    EXPECT_EQ(work.item, item);
    IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, ItemsOfOneQueueRunSideBySide) {
  with_device([&] {
    Work first_work, second_work;
    first_work.act = [&] { second_work.wait(); };
    PIO_WORKITEM items[] = {IoAllocateWorkItem(device), IoAllocateWorkItem(device)};
    IoQueueWorkItem(items[0], &routine, DelayedWorkQueue, &first_work);
    IoQueueWorkItem(items[1], &routine, DelayedWorkQueue, &second_work);
    first_work.wait();
    for (PIO_WORKITEM item : items) IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, ARoutineMayQueueItsItemAgainOrFreeIt) {
  with_device([&] {
    Work again, last;
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    again.act = [&] { IoQueueWorkItem(item, &routine, DelayedWorkQueue, &last); };
    last.act = [&] { IoFreeWorkItem(item); };
    IoQueueWorkItem(item, &routine, DelayedWorkQueue, &again);
    last.wait();
    EXPECT_TRUE(freed(item));
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, QueueingTwiceIsAFindingAndRunsOnce) {
  options.processors = 1;
  with_device([&] {
    Work work;
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    alone([&] {
      IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
      IoQueueWorkItem(item, &routine, CriticalWorkQueue, &work);
    });
    work.wait();
    EXPECT_EQ(broken(), std::vector<std::string>{"ReinitialisedLive"});
    EXPECT_EQ(work.runs, 1);
    IoFreeWorkItem(item);
  });
}

TEST_F(IoWorkItemTest, FreeingAQueuedItemIsAFinding) {
  options.processors = 1;
  with_device([&] {
    Work work, later;
    PIO_WORKITEM item = IoAllocateWorkItem(device), other = IoAllocateWorkItem(device);
    alone([&] {
      IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
      IoFreeWorkItem(item);
    });
    EXPECT_EQ(broken(), std::vector<std::string>{"WorkItemMisuse"});
    EXPECT_EQ(first(), "IoFreeWorkItem was given a work item that is queued");
    IoQueueWorkItem(other, &routine, DelayedWorkQueue, &later);
    later.wait();
    EXPECT_EQ(work.runs, 0);
    IoFreeWorkItem(other);
  });
}

TEST_F(IoWorkItemTest, FreeingTwiceIsTold) {
  with_device([&] {
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty());
    IoFreeWorkItem(item);
    EXPECT_EQ(broken(), std::vector<std::string>{"WorkItemMisuse"});
  });
}

TEST_F(IoWorkItemTest, AnItemInTheDriversMemory) {
  with_device([&] {
    auto* item = static_cast<PIO_WORKITEM>(
        machine().pool().allocate(IoSizeofWorkItem(), kTag, PoolKind::NonPaged, PoolFill::Pattern));
    Work work;
    IoInitializeWorkItem(device, item);
    IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
    work.wait();
    IoUninitializeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
    IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
    EXPECT_EQ(broken(), std::vector<std::string>{"NotInitialised"});
    machine().pool().free(item, kTag, "ExFreePool");
  });
}

TEST_F(IoWorkItemTest, MemoryFreedWithAQueuedItemIsAFinding) {
  options.processors = 1;
  with_device([&] {
    auto* item = static_cast<PIO_WORKITEM>(
        machine().pool().allocate(IoSizeofWorkItem(), kTag, PoolKind::NonPaged, PoolFill::Zero));
    Work work, later;
    PIO_WORKITEM other = IoAllocateWorkItem(device);
    IoInitializeWorkItem(device, item);
    alone([&] {
      IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
      machine().pool().free(item, kTag, "ExFreePool");
      IoQueueWorkItem(other, &routine, DelayedWorkQueue, &later);
    });
    later.wait();
    machine().work_queues().image_gone(reinterpret_cast<uintptr_t>(&routine),
                                       reinterpret_cast<uintptr_t>(&routine) + 1);
    EXPECT_EQ(broken(), std::vector<std::string>{"WorkItemMisuse"});
    EXPECT_EQ(work.runs, 0);
    IoFreeWorkItem(other);
  });
}

TEST_F(IoWorkItemTest, AnAllocatedItemIsNotInitialisedAgain) {
  with_device([&] {
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    IoInitializeWorkItem(device, item);
    EXPECT_EQ(broken(), std::vector<std::string>{"WorkItemMisuse"});
    IoFreeWorkItem(item);
  });
}

TEST_F(IoWorkItemTest, TheDeviceOutlivesTheItem) {
  with_device([&] {
    Work work, deleted;
    bool there = false;
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    work.act = [&] {
      deleted.wait();
      there = !freed(device);
    };
    IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
    IoDeleteDevice(device);
    deleted.run();
    machine().work_queues().image_gone(0, ~uintptr_t{0});
    EXPECT_TRUE(there);
    EXPECT_TRUE(freed(device));
    IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, WithoutMemoryThereIsNoItem) {
  with_device([&] {
    observer.failing_allocations = 1;
    EXPECT_EQ(IoAllocateWorkItem(device), nullptr);
  });
}

TEST_F(IoWorkItemTest, AnItemThatIsLeftIsALeak) {
  with_device([&] {
    Scope scope(ScopeKind::Driver, "mill", &machine().root_scope());
    machine().self().scope = &scope;
    IoAllocateWorkItem(device);
    EXPECT_EQ(machine().end_scope(scope), 1u);
    machine().self().scope = &machine().root_scope();
    EXPECT_EQ(first(), "a work item obtained in driver mill was never given back");
  });
}

TEST_F(IoWorkItemTest, TheOldFormRunsToo) {
  with_device([&] {
    Work work;
    WORK_QUEUE_ITEM item = {};
    ExQueueWorkItem(&item, DelayedWorkQueue);
    EXPECT_EQ(broken(), std::vector<std::string>{"NotInitialised"});
    ExInitializeWorkItem(&item, &routine_of_ex_queue, &work);
    ExQueueWorkItem(&item, DelayedWorkQueue);
    work.wait();
    EXPECT_EQ(work.irql, PASSIVE_LEVEL);
  });
}

TEST_F(IoWorkItemTest, AnUnloadWaitsForItemsThatKeepTheDriverLoaded) {
  with_device([&] {
    Work work;
    PIO_WORKITEM item = IoAllocateWorkItem(device);
    work.act = [&] {
      for (int i = 0; i < 5; ++i) machine().executor().yield(base::Point::Call);
      IoFreeWorkItem(item);
    };
    IoQueueWorkItem(item, &routine, DelayedWorkQueue, &work);
    machine().work_queues().image_gone(0, ~uintptr_t{0});
    EXPECT_EQ(work.runs, 1);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

TEST_F(IoWorkItemTest, AnUnloadDoesNotWaitForTheOthers) {
  options.processors = 1;
  with_device([&] {
    Work work;
    WORK_QUEUE_ITEM item = {};
    ExInitializeWorkItem(&item, &routine_of_ex_queue, &work);
    alone([&] {
      ExQueueWorkItem(&item, DelayedWorkQueue);
      machine().work_queues().image_gone(0, 1);
      EXPECT_TRUE(broken().empty());
      machine().work_queues().image_gone(0, ~uintptr_t{0});
    });
    EXPECT_EQ(broken(), std::vector<std::string>{"UnloadedLive"});
    EXPECT_EQ(work.runs, 0);
  });
}

// As many as there are: the system gives a queue more threads when all of it are blocked.
TEST_F(IoWorkItemTest, ItemsMayWaitForOneThatIsQueuedBehindThem) {
  with_device([&] {
    constexpr int kWaiters = 20;
    KEVENT go;
    KeInitializeEvent(&go, NotificationEvent, FALSE);
    std::vector<std::unique_ptr<Work>> works;
    std::vector<PIO_WORKITEM> items;
    for (int i = 0; i <= kWaiters; ++i) {
      works.push_back(std::make_unique<Work>());
      works.back()->act = [&go, last = i == kWaiters] {
        if (last) KeSetEvent(&go, IO_NO_INCREMENT, FALSE);
        KeWaitForSingleObject(&go, Executive, KernelMode, FALSE, nullptr);
      };
      items.push_back(IoAllocateWorkItem(device));
      IoQueueWorkItem(items.back(), &routine, DelayedWorkQueue, works.back().get());
    }
    for (auto& work : works) work->wait();
    for (PIO_WORKITEM item : items) IoFreeWorkItem(item);
    EXPECT_TRUE(broken().empty()) << first();
  });
}

}  // namespace
}  // namespace nt
