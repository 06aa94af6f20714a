#include "nt/ke/dispatcher.h"

#include <algorithm>

#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class DispatcherTest : public MachineTest {
 protected:
  NTSTATUS wait(void* object) { return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, nullptr); }
  void pass_time() {
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
  size_t live_objects() {
    Dispatcher::Guard guard(machine().dispatcher().lock());
    return machine().dispatcher().live().size();
  }
  template <typename T>
  void gone(T& object, Dispatcher::Gone how) {
    auto lo = reinterpret_cast<uintptr_t>(&object);
    machine().dispatcher().memory_gone(lo, lo + sizeof(T), how, "the block");
  }
};

TEST_F(DispatcherTest, WaitersAreServedInOrder) {
  run_seeds(20, [&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    std::string order;
    for (char name : {'a', 'b', 'c'}) {
      machine().create_thread("waiter", [&, name] {
        wait(&event);
        order += name;
      });
      pass_time();  // until it waits
    }
    for (int i = 0; i < 3; ++i) {
      KeSetEvent(&event, 0, FALSE);
      pass_time();
    }
    EXPECT_EQ(order, "abc");
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(DispatcherTest, TheSideTableHoldsOnlyLiveUse) {
  run_seeds(10, [&] {
    size_t before = live_objects();
    KEVENT events[3];
    void* objects[3];
    for (int i = 0; i < 3; ++i) {
      KeInitializeEvent(&events[i], NotificationEvent, FALSE);
      objects[i] = &events[i];
    }
    EXPECT_EQ(live_objects(), before);
    Thread& waiter = machine().create_thread("waiter", [&] {
      KeWaitForMultipleObjects(3, objects, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr);
    });
    pass_time();
    EXPECT_EQ(live_objects(), before + 3);
    KeSetEvent(&events[1], 0, FALSE);
    wait(waiter.body);
    EXPECT_EQ(live_objects(), before);
  });
}

TEST_F(DispatcherTest, AnObjectInUseIsNotInitialisedAgain) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);  // allowed: the event is not in use
    EXPECT_EQ(broken(), Strings{});
    machine().create_thread("waiter", [&] { wait(&event); });
    pass_time();
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    EXPECT_EQ(broken(), Strings{"ReinitialisedLive"});
    KeSetEvent(&event, 0, FALSE);
  });
}

TEST_F(DispatcherTest, AnObjectNeverInitialisedIsNotUsed) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT event{};
    KMUTEX mutex{};
    KeSetEvent(&event, 0, FALSE);
    wait(&event);
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    KeReleaseMutex(reinterpret_cast<KMUTEX*>(&event), FALSE);  // initialised, but no mutex
    KeInitializeMutex(&mutex, 0);
    KeResetEvent(reinterpret_cast<KEVENT*>(&mutex));
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "NotInitialised", "NotInitialised", "NotInitialised"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "KeSetEvent was given an object that was never initialised");
}

TEST_F(DispatcherTest, MemoryWithAWaiterInItIsNotFreed) {
  observer.then = Then::GoOn;
  run([&] {
    struct Block {
      char before[40];
      KEVENT event;
    } block;
    KeInitializeEvent(&block.event, SynchronizationEvent, FALSE);
    gone(block, Dispatcher::Gone::Freed);
    EXPECT_EQ(broken(), Strings{});
    machine().create_thread("waiter", [&] { wait(&block.event); });
    pass_time();
    gone(block, Dispatcher::Gone::Freed);
    EXPECT_EQ(broken(), Strings{"FreedLiveWaiter"});
    EXPECT_EQ(observer.violations.at(0).sentence,
              "the block holds an object that a thread waits on (at offset 40) and is freed");
    gone(block, Dispatcher::Gone::Unloaded);
    EXPECT_EQ(broken(), (Strings{"FreedLiveWaiter", "UnloadedLive"}));
  });
}

TEST_F(DispatcherTest, AFreedTimerAndDpcAreForgotten) {
  observer.then = Then::GoOn;
  run([&] {
    struct Block {
      KTIMER timer;
      KDPC dpc;
    } block;
    static int ran;
    ran = 0;
    KeInitializeTimer(&block.timer);
    KeInitializeDpc(
        &block.dpc, [](KDPC*, void*, void*, void*) { ++ran; }, nullptr);
    KeSetTimer(&block.timer, LARGE_INTEGER{.QuadPart = -1000}, nullptr);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&block.dpc, nullptr, nullptr);
    gone(block, Dispatcher::Gone::Freed);
    EXPECT_EQ(broken(), (Strings{"FreedLiveTimer", "FreedLiveDpc"}));
    gone(block, Dispatcher::Gone::Freed);  // forgotten: nothing more to say
    EXPECT_EQ(observer.violations.size(), 2u);
    KeLowerIrql(old);
    pass_time();
    EXPECT_EQ(ran, 0);
    EXPECT_FALSE(KeReadStateTimer(&block.timer));
  });
}

TEST_F(DispatcherTest, AMachineThatAllThreadsWaitOnIsADeadlock) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    options.seed = seed;
    options.policy = policy_for_seed(seed);
    observer.violations.clear();
    run_to_stop([&] {
      KEVENT events[2];
      for (KEVENT& event : events) KeInitializeEvent(&event, SynchronizationEvent, FALSE);
      Thread& one = machine().create_thread("one", [&] {
        wait(&events[1]);
        KeSetEvent(&events[0], 0, FALSE);
      });
      machine().create_thread("two", [&] {
        wait(&events[0]);
        KeSetEvent(&events[1], 0, FALSE);
      });
      wait(one.body);
    });
    ASSERT_EQ(broken(), Strings{"Deadlock"});
    const ViolationReport& violation = observer.violations[0];
    for (const RoleStack& stack : violation.stacks) EXPECT_GT(stack.stack.count, 3u) << stack.role;
    for (const char* name : {"main", "one", "two"}) {
      bool listed = std::any_of(violation.stacks.begin(), violation.stacks.end(), [name](const RoleStack& stack) {
        return stack.role.starts_with("thread '" + std::string(name) + "' ");
      });
      EXPECT_TRUE(listed) << name;
    }
    EXPECT_EQ(violation.stacks.size(), 3u);  // and none of the machine's own
  }
}

}  // namespace
}  // namespace nt
