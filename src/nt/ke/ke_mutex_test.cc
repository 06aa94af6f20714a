#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeMutexTest : public MachineTest {
 protected:
  NTSTATUS acquire(KMUTEX& mutex, LARGE_INTEGER* timeout = nullptr) {
    return KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, timeout);
  }
  void join(Thread& thread) { KeWaitForSingleObject(thread.body, Executive, KernelMode, FALSE, nullptr); }
};

TEST_F(KeMutexTest, ExcludesOthers) {
  run_seeds(30, [&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    int inside = 0, entered = 0;
    std::vector<Thread*> threads;
    for (int i = 0; i < 4; ++i) {
      threads.push_back(&machine().create_thread("competitor", [&] {
        for (int k = 0; k < 5; ++k) {
          acquire(mutex);
          EXPECT_EQ(++inside, 1);
          machine().executor().yield(base::Point::Yield);
          --inside;
          ++entered;
          EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), 0);
        }
      }));
    }
    for (Thread* thread : threads) join(*thread);
    EXPECT_EQ(entered, 20);
    EXPECT_EQ(KeReadStateMutex(&mutex), 1);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeMutexTest, ItsOwnerTakesItAgain) {
  run_seeds(10, [&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    acquire(mutex);
    acquire(mutex);
    acquire(mutex);
    EXPECT_EQ(KeReadStateMutex(&mutex), -2);
    EXPECT_EQ(machine().self().held.size(), 1u);
    bool taken = false;
    Thread& other = machine().create_thread("other", [&] {
      LARGE_INTEGER now{.QuadPart = 0};
      EXPECT_EQ(acquire(mutex, &now), STATUS_TIMEOUT);
      acquire(mutex);
      taken = true;
      KeReleaseMutex(&mutex, FALSE);
    });
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);  // until it waits
    EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), -2);
    EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), -1);
    EXPECT_FALSE(taken);
    EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), 0);
    join(other);
    EXPECT_TRUE(taken);
    EXPECT_TRUE(machine().self().held.empty());
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeMutexTest, OnlyItsOwnerReleasesIt) {
  run_to_stop([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    acquire(mutex);
    Thread& other = machine().create_thread("thief", [&] { KeReleaseMutex(&mutex, FALSE); });
    join(other);
  });
  EXPECT_EQ(broken(), Strings{"MutexNotOwned"});
  EXPECT_EQ(observer.violations.at(0).thread, "thief");
}

TEST_F(KeMutexTest, GoingOnAfterAWrongReleaseStillRaises) {
  observer.then = Then::GoOn;
  run_to_stop([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    KeReleaseMutex(&mutex, FALSE);
    ADD_FAILURE() << "came back";
  });
  EXPECT_EQ(broken(), (Strings{"MutexNotOwned", "UnhandledException"}));
}

TEST_F(KeMutexTest, AThreadThatEndsWithItIsFound) {
  run_to_stop([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    join(machine().create_thread("leaver", [&] { acquire(mutex); }));
  });
  EXPECT_EQ(broken(), Strings{"LockLeftHeld"});
  EXPECT_EQ(observer.violations.at(0).sentence, "thread 'leaver' ended with a mutex held");
}

TEST_F(KeMutexTest, AHeldOneIsNotInitialisedAgain) {
  observer.then = Then::GoOn;
  run([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    acquire(mutex);
    KeInitializeMutex(&mutex, 0);
    EXPECT_EQ(broken(), Strings{"ReinitialisedLive"});
  });
}

// One mutex of two in a wait for all: neither is held until both are.
TEST_F(KeMutexTest, AWaitForAllTakesBothOrNone) {
  run_seeds(20, [&] {
    KMUTEX mutexes[2];
    void* objects[2] = {&mutexes[0], &mutexes[1]};
    for (KMUTEX& mutex : mutexes) KeInitializeMutex(&mutex, 0);
    acquire(mutexes[1]);
    Thread& other = machine().create_thread("other", [&] {
      KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, nullptr, nullptr);
      EXPECT_EQ(machine().self().held.size(), 2u);
      KeReleaseMutex(&mutexes[0], FALSE);
      KeReleaseMutex(&mutexes[1], FALSE);
    });
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
    EXPECT_EQ(acquire(mutexes[0]), STATUS_SUCCESS);
    KeReleaseMutex(&mutexes[0], FALSE);
    KeReleaseMutex(&mutexes[1], FALSE);
    join(other);
    EXPECT_EQ(broken(), Strings{});
  });
}

// Documented (kernel/disabling-apcs): a thread that holds a mutex object is in a critical region.
TEST_F(KeMutexTest, ItsHolderGetsNoNormalApcs) {
  run_seeds(2, [&] {
    KMUTEX mutex;
    ERESOURCE resource;
    KeInitializeMutex(&mutex, 0);
    ExInitializeResourceLite(&resource);
    EXPECT_FALSE(KeAreApcsDisabled());
    acquire(mutex);
    acquire(mutex);
    EXPECT_TRUE(KeAreApcsDisabled());
    EXPECT_FALSE(KeAreAllApcsDisabled());
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    ExReleaseResourceLite(&resource);
    KeReleaseMutex(&mutex, FALSE);
    EXPECT_TRUE(KeAreApcsDisabled());
    KeReleaseMutex(&mutex, FALSE);
    EXPECT_FALSE(KeAreApcsDisabled());
    EXPECT_EQ(broken(), Strings{});
    ExDeleteResourceLite(&resource);
  });
}

// The lock-order check gets the waits that end only with the mutex.
TEST_F(KeMutexTest, AWaitWithATimeoutIsNoPartOfTheLockOrder) {
  struct Listener final : MachineObserver {
    bool wants_locks() const override { return true; }
    void lock_acquiring(const LockEvent&) override { ++heard; }
    int heard = 0;
  } listener;
  Machine machine(options, listener, writer);
  EXPECT_EQ(machine.run([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    LARGE_INTEGER now{.QuadPart = 0}, soon{.QuadPart = -10'000};
    for (LARGE_INTEGER* timeout : {&now, &soon}) {
      EXPECT_EQ(acquire(mutex, timeout), STATUS_SUCCESS);
      EXPECT_EQ(Thread::current()->held.size(), 1u);
      KeReleaseMutex(&mutex, FALSE);
    }
    EXPECT_EQ(listener.heard, 0);
    acquire(mutex);
    EXPECT_EQ(listener.heard, 1);
    KeReleaseMutex(&mutex, FALSE);
  }),
            Machine::Ended::Returned);
}

}  // namespace
}  // namespace nt
