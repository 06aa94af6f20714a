#include <atomic>

#include "nt/ke/dpc_queues.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeDpcTest : public MachineTest {
 protected:
  using Body = std::function<void(void* argument1, void* argument2)>;
  // Makes `dpc` run `body`, which must live as long.
  static void initialise(KDPC& dpc, Body& body) { KeInitializeDpc(&dpc, &routine, &body); }
  static void routine(KDPC*, void* context, void* argument1, void* argument2) {
    (*static_cast<Body*>(context))(argument1, argument2);
  }
  void pass_time() {
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
  static void* number(uintptr_t n) { return reinterpret_cast<void*>(n); }
  // A thread that lets no DPC run on processor 0, from now on until `stop`.
  Thread& hold_processor_0(const bool& stop) {
    bool held = false;
    Thread& holder = machine().create_thread("holder", [this, &held, &stop] {
      KeSetSystemAffinityThread(1);
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      held = true;
      while (!stop) machine().executor().yield(base::Point::Yield);
      KeLowerIrql(old);
    });
    while (!held) machine().executor().yield(base::Point::Yield);
    return holder;
  }
};

TEST_F(KeDpcTest, RunsOnceAtDispatchWithItsArguments) {
  run_seeds(20, [&] {
    int ran = 0;
    Body body = [&](void* argument1, void* argument2) {
      ++ran;
      EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
      EXPECT_EQ(argument1, number(7));
      EXPECT_EQ(argument2, number(8));
      EXPECT_STREQ(machine().self().driver_call->name, "DPC routine");
    };
    KDPC dpc;
    initialise(dpc, body);
    EXPECT_TRUE(KeInsertQueueDpc(&dpc, number(7), number(8)));
    pass_time();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(machine().self().driver_call, nullptr);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeDpcTest, AQueuedOneIsNotQueuedAgain) {
  run_seeds(10, [&] {
    std::vector<void*> seen;
    Body body = [&](void* argument1, void*) { seen.push_back(argument1); };
    KDPC dpc;
    initialise(dpc, body);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    EXPECT_TRUE(KeInsertQueueDpc(&dpc, number(1), nullptr));
    EXPECT_FALSE(KeInsertQueueDpc(&dpc, number(2), nullptr));
    EXPECT_TRUE(seen.empty());
    KeLowerIrql(old);
    EXPECT_EQ(seen, std::vector<void*>{number(1)});
    EXPECT_TRUE(KeInsertQueueDpc(&dpc, number(3), nullptr));
    KeFlushQueuedDpcs();
    EXPECT_EQ(seen.size(), 2u);
  });
}

// The DPCs of a processor run before the code that lowered its IRQL goes on.
TEST_F(KeDpcTest, RunsBeforeALoweredThreadGoesOn) {
  run_seeds(30, [&] {
    std::string log;
    Body first = [&](void*, void*) { log += 'a'; }, second = [&](void*, void*) { log += 'b'; };
    KDPC one, two;
    initialise(one, first);
    initialise(two, second);
    KIRQL old;
    KeRaiseIrql(HIGH_LEVEL, &old);
    KeInsertQueueDpc(&one, nullptr, nullptr);
    KeInsertQueueDpc(&two, nullptr, nullptr);
    KeLowerIrql(DISPATCH_LEVEL);
    EXPECT_EQ(log, "");
    KeLowerIrql(old);
    EXPECT_EQ(log, "ab");
  });
}

TEST_F(KeDpcTest, MayQueueItselfAgain) {
  run_seeds(10, [&] {
    int ran = 0;
    KDPC dpc;
    Body body = [&](void*, void*) {
      if (++ran < 5) {
        EXPECT_TRUE(KeInsertQueueDpc(&dpc, nullptr, nullptr));
      }
    };
    initialise(dpc, body);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    pass_time();
    EXPECT_EQ(ran, 5);
  });
}

TEST_F(KeDpcTest, AnImportantOneOvertakes) {
  run([&] {
    std::string log;
    Body bodies[3];
    KDPC dpcs[3];
    for (int i = 0; i < 3; ++i) {
      bodies[i] = [&log, i](void*, void*) { log += static_cast<char>('0' + i); };
      initialise(dpcs[i], bodies[i]);
    }
    KeSetImportanceDpc(&dpcs[0], LowImportance);
    KeSetImportanceDpc(&dpcs[2], HighImportance);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    for (KDPC& dpc : dpcs) KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeLowerIrql(old);
    EXPECT_EQ(log, "201");
  });
}

TEST_F(KeDpcTest, RunsOnTheProcessorItTargets) {
  options.processors = 4;
  run_seeds(20, [&] {
    for (ULONG target = 0; target < 4; ++target) {
      ULONG ran_on = 99;
      Body body = [&](void*, void*) { ran_on = KeGetCurrentProcessorNumber(); };
      KDPC dpc;
      initialise(dpc, body);
      KeSetTargetProcessorDpc(&dpc, static_cast<CCHAR>(target));
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      KeFlushQueuedDpcs();
      EXPECT_EQ(ran_on, target);
    }
  });
}

TEST_F(KeDpcTest, KnowsOnlyProcessorsThatAreThere) {
  run([&] {
    Body body = [](void*, void*) {};
    KDPC dpc;
    initialise(dpc, body);
    PROCESSOR_NUMBER good{0, 1, 0}, absent{0, 2, 0}, other_group{1, 0, 0};
    EXPECT_EQ(KeSetTargetProcessorDpcEx(&dpc, &good), STATUS_SUCCESS);
    EXPECT_EQ(KeSetTargetProcessorDpcEx(&dpc, &absent), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(KeSetTargetProcessorDpcEx(&dpc, &other_group), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(KeDpcTest, ARemovedOneDoesNotRun) {
  run_seeds(10, [&] {
    int ran = 0;
    Body body = [&](void*, void*) { ++ran; };
    KDPC dpc;
    initialise(dpc, body);
    EXPECT_FALSE(KeRemoveQueueDpc(&dpc));
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    EXPECT_TRUE(KeRemoveQueueDpc(&dpc));
    EXPECT_FALSE(KeRemoveQueueDpc(&dpc));
    KeLowerIrql(old);
    pass_time();
    EXPECT_EQ(ran, 0);
  });
}

TEST_F(KeDpcTest, AFlushWaitsForWhatIsQueuedEverywhere) {
  options.processors = 3;
  run_seeds(40, [&] {
    std::atomic<int> ran = 0;
    Body body = [&](void*, void*) {
      for (int i = 0; i < 10; ++i) KeStallExecutionProcessor(1);
      ++ran;
    };
    KDPC dpcs[6];
    for (int i = 0; i < 6; ++i) {
      initialise(dpcs[i], body);
      KeSetTargetProcessorDpc(&dpcs[i], static_cast<CCHAR>(i % 3));
    }
    for (KDPC& dpc : dpcs) KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
    EXPECT_EQ(ran, 6);
    KeFlushQueuedDpcs();  // nothing to wait for
  });
}

// A DPC that is queued and run elsewhere during a flush does not count as one that the flush waits for.
TEST_F(KeDpcTest, AFlushIsNotMisledByLaterDpcs) {
  run_seeds(40, [&] {
    bool slow_ran = false, stop = false;
    Body slow_body = [&](void*, void*) { slow_ran = true; };
    Body quick_body = [](void*, void*) {};
    KDPC slow, quick;
    initialise(slow, slow_body);
    initialise(quick, quick_body);
    Thread& holder = hold_processor_0(stop);
    KeSetTargetProcessorDpc(&slow, 0);  // cannot run while processor 0 is held
    KeSetTargetProcessorDpc(&quick, 1);
    KeInsertQueueDpc(&slow, nullptr, nullptr);
    Thread& other = machine().create_thread("other", [&] {
      for (int i = 0; i < 20; ++i) {
        KeInsertQueueDpc(&quick, nullptr, nullptr);
        machine().executor().yield(base::Point::Yield);
      }
      stop = true;
    });
    KeFlushQueuedDpcs();
    EXPECT_TRUE(slow_ran);
    for (Thread* thread : {&holder, &other}) {
      KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
    }
  });
}

TEST_F(KeDpcTest, AFlushOfOneDpcLeavesTheOthers) {
  run_seeds(40, [&] {
    bool other_ran = false, own_ran = false, stop = false;
    Body other_body = [&](void*, void*) { other_ran = true; };
    Body own_body = [&](void*, void*) { own_ran = true; };
    KDPC other, own;
    initialise(other, other_body);
    initialise(own, own_body);
    Thread& holder = hold_processor_0(stop);
    KeSetTargetProcessorDpc(&other, 0);  // cannot run while processor 0 is held
    KeSetTargetProcessorDpc(&own, 1);
    KeInsertQueueDpc(&other, nullptr, nullptr);
    KeInsertQueueDpc(&own, nullptr, nullptr);
    machine().dpcs().flush(own);
    EXPECT_TRUE(own_ran);
    EXPECT_FALSE(other_ran);
    stop = true;
    machine().dpcs().flush(other);
    EXPECT_TRUE(other_ran);
    KeWaitForSingleObject(holder.body, Executive, KernelMode, FALSE, nullptr);
  });
}

TEST_F(KeDpcTest, AFlushDoesNotWaitForARemovedOne) {
  run_seeds(40, [&] {
    Body body = [](void*, void*) {};
    KDPC dpc;
    initialise(dpc, body);
    bool queued = false;
    Thread& holder = machine().create_thread("holder", [&] {
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      queued = true;
      for (int i = 0; i < 20; ++i) machine().executor().yield(base::Point::Yield);
      EXPECT_TRUE(KeRemoveQueueDpc(&dpc));
      KeLowerIrql(old);
    });
    while (!queued) machine().executor().yield(base::Point::Yield);
    KeFlushQueuedDpcs();
    KeWaitForSingleObject(holder.body, Executive, KernelMode, FALSE, nullptr);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeDpcTest, AThreadedOneRunsAtEitherLevel) {
  int passive = 0, dispatch = 0;
  run_seeds(30, [&] {
    Body body = [&](void*, void*) { ++(KeGetCurrentIrql() == PASSIVE_LEVEL ? passive : dispatch); };
    KDPC dpc;
    KeInitializeThreadedDpc(&dpc, &routine, &body);
    for (int i = 0; i < 4; ++i) {
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      KeFlushQueuedDpcs();
    }
    EXPECT_EQ(broken(), Strings{});
  });
  EXPECT_EQ(passive + dispatch, 30 * 4);
  EXPECT_GT(passive, 0);
  EXPECT_GT(dispatch, 0);
}

TEST_F(KeDpcTest, RunsWhileEveryThreadWaits) {
  run_seeds(20, [&] {
    KEVENT done;
    KeInitializeEvent(&done, SynchronizationEvent, FALSE);
    Body body = [&](void*, void*) { KeSetEvent(&done, 0, FALSE); };
    KDPC dpc;
    initialise(dpc, body);
    for (KDPC_IMPORTANCE importance : {LowImportance, MediumImportance, HighImportance}) {
      KeSetImportanceDpc(&dpc, importance);
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      EXPECT_EQ(KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
    }
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeDpcTest, MayNotWait) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    Body body = [&](void*, void*) { KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, nullptr); };
    KDPC dpc;
    initialise(dpc, body);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
  });
  EXPECT_EQ(broken(), Strings{"WaitAtDispatch"});
  EXPECT_EQ(observer.violations.at(0).in_call, "DPC routine");
}

TEST_F(KeDpcTest, AWrongOneIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KDPC never{};
    EXPECT_FALSE(KeInsertQueueDpc(&never, nullptr, nullptr));
    Body body = [](void*, void*) {};
    KDPC dpc;
    initialise(dpc, body);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    initialise(dpc, body);
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "ReinitialisedLive"}));
}

}  // namespace
}  // namespace nt
