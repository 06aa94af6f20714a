// The test looks by itself, as often as it likes: no time passes.
#include "nt/machine/stuck_watch.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "base/sanitizer.h"
#include "nt/ke/dispatcher.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr uint32_t kLimit = 3;

// ThreadSanitizer keeps a signal back while its thread is in a wait of ours, so that no thread answers there.
#define NEEDS_ANSWERS \
  if (base::kSanitizer == base::Sanitizer::Thread) GTEST_SKIP() << "ThreadSanitizer keeps signals back"

class StuckWatchTest : public MachineTest {
 protected:
  StuckWatchTest() {
    options.pace = Pace::Live;
    options.stuck_limit_s = 0;  // only the test looks
  }
  // As often as it takes for something to be stuck.
  ViolationReport look_until_stuck() {
    for (;;) {
      if (auto found = machine().stuck_watch().look(kLimit)) return *found;
    }
  }
  static std::string all_roles(const ViolationReport& violation) {
    std::string text;
    for (const RoleStack& stack : violation.stacks) text += stack.role + "\n";
    return text;
  }
  // Until `thread` waits for an object of the dispatcher.
  void wait_until_waiting(Thread& thread) {
    for (bool waiting = false; !waiting; std::this_thread::yield()) {
      Dispatcher::Guard guard(machine().dispatcher().lock());
      waiting = thread.waiting;
    }
  }
  void join(Thread& thread) { KeWaitForSingleObject(thread.body, Executive, KernelMode, FALSE, nullptr); }
};

TEST_F(StuckWatchTest, NothingIsStuckWhereWorkComesToItsEnd) {
  run([&] {
    for (int i = 0; i < 20; ++i) {
      Work work(machine().self());
      std::thread([&] { EXPECT_FALSE(machine().stuck_watch().look(kLimit)); }).join();
    }
  });
}

TEST_F(StuckWatchTest, AWaitNamesTheObjectAndItsHolder) {
  NEEDS_ANSWERS;
  KMUTEX mutex;
  KEVENT over, held;
  std::optional<ViolationReport> found;
  run([&] {
    KeInitializeMutex(&mutex, 0);
    KeInitializeEvent(&over, NotificationEvent, FALSE);
    KeInitializeEvent(&held, NotificationEvent, FALSE);
    Thread& holder = machine().create_thread("holder", [&] {
      KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
      KeSetEvent(&held, 0, FALSE);
      KeWaitForSingleObject(&over, Executive, KernelMode, FALSE, nullptr);
      KeReleaseMutex(&mutex, FALSE);
    });
    KeWaitForSingleObject(&held, Executive, KernelMode, FALSE, nullptr);
    Thread& waiter = machine().create_thread("waiter", [&] {
      Work work(machine().self());
      KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
      KeReleaseMutex(&mutex, FALSE);
    });
    wait_until_waiting(waiter);
    wait_until_waiting(holder);
    std::thread([&] {
      for (uint32_t i = 0; i < kLimit; ++i) EXPECT_FALSE(machine().stuck_watch().look(kLimit)) << i;
      found = machine().stuck_watch().look(kLimit);
    }).join();
    KeSetEvent(&over, 0, FALSE);
    join(waiter);
    join(holder);
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, Violation::Deadlock);
  EXPECT_EQ(found->thread, "waiter");
  EXPECT_THAT(found->sentence, HasSubstr("waits for a mutex (object "));
  EXPECT_THAT(found->sentence, HasSubstr("held by thread 'holder'"));
  EXPECT_THAT(all_roles(*found), ContainsRegex("thread 'holder' .[0-9]+. waits for an event .object "));
  EXPECT_THAT(all_roles(*found), HasSubstr("it holds a mutex"));
  for (const RoleStack& stack : found->stacks) {
    if (stack.role.find(" waits for ") != std::string::npos) EXPECT_GT(stack.stack.count, 3u) << stack.role;
  }
}

TEST_F(StuckWatchTest, ALockOfOneWordNamesItsHolderToo) {
  NEEDS_ANSWERS;
  FAST_MUTEX mutex;
  KEVENT over, held;
  std::optional<ViolationReport> found;
  run([&] {
    ExInitializeFastMutex(&mutex);
    KeInitializeEvent(&over, NotificationEvent, FALSE);
    KeInitializeEvent(&held, NotificationEvent, FALSE);
    Thread& holder = machine().create_thread("holder", [&] {
      ExAcquireFastMutex(&mutex);
      KeSetEvent(&held, 0, FALSE);
      KeWaitForSingleObject(&over, Executive, KernelMode, FALSE, nullptr);
      ExReleaseFastMutex(&mutex);
    });
    KeWaitForSingleObject(&held, Executive, KernelMode, FALSE, nullptr);
    Thread& waiter = machine().create_thread("waiter", [&] {
      Work work(machine().self());
      ExAcquireFastMutex(&mutex);
      ExReleaseFastMutex(&mutex);
    });
    wait_until_waiting(waiter);
    std::thread([&] { found = look_until_stuck(); }).join();
    KeSetEvent(&over, 0, FALSE);
    join(waiter);
    join(holder);
  });
  EXPECT_THAT(found->sentence, HasSubstr("waits for a fast mutex, held by thread 'holder'"));
}

TEST_F(StuckWatchTest, ALoopIsAHangWithItsStack) {
  NEEDS_ANSWERS;
  std::atomic<bool> over{false};
  std::optional<ViolationReport> found;
  run([&] {
    Thread& looping = machine().create_thread("looping", [&] {
      Work work(machine().self());
      while (!over) {
      }
    });
    std::thread([&] { found = look_until_stuck(); }).join();
    over = true;
    join(looping);
  });
  EXPECT_EQ(found->what, Violation::Hang);
  EXPECT_EQ(found->thread, "looping");
  ASSERT_FALSE(found->stacks.empty());
  EXPECT_GT(found->stacks[0].stack.count, 1u);
  EXPECT_THAT(found->stacks[0].role, ContainsRegex("thread 'looping' .[0-9]+. runs"));
}

TEST_F(StuckWatchTest, AProcessorThatStaysRaisedIsStuckWithoutAnyCall) {
  std::atomic<bool> over{false};
  std::optional<ViolationReport> found;
  run([&] {
    Thread& raised = machine().create_thread("raised", [&] {
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      while (!over) {
      }
      KeLowerIrql(old);
    });
    std::thread([&] { found = look_until_stuck(); }).join();
    over = true;
    join(raised);
  });
  EXPECT_EQ(found->thread, "raised");
  EXPECT_EQ(found->irql, DISPATCH_LEVEL);
}

TEST_F(StuckWatchTest, AWaitThatTheClientAskedForMayLastForEver) {
  KEVENT over;
  run([&] {
    KeInitializeEvent(&over, NotificationEvent, FALSE);
    Thread& waiter = machine().create_thread("waiter", [&] {
      Work work(machine().self());
      UnlimitedWait unlimited;
      KeWaitForSingleObject(&over, Executive, KernelMode, FALSE, nullptr);
    });
    wait_until_waiting(waiter);
    std::thread([&] {
      for (uint32_t i = 0; i < 10 * kLimit; ++i) EXPECT_FALSE(machine().stuck_watch().look(kLimit));
    }).join();
    KeSetEvent(&over, 0, FALSE);
    join(waiter);
  });
}

// What the watch does with it: it reports to the observer and to the host, and the process ends.
TEST_F(StuckWatchTest, AStuckMachineEndsTheProcessAndSaysWhyBefore) {
  NEEDS_ANSWERS;
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  options.on_live_stop = [this] {
    for (const ViolationReport& violation : observer.violations)
      fprintf(stderr, "told: %s\n", violation.sentence.c_str());
  };
  KEVENT never;
  EXPECT_DEATH(run([&] {
                 KeInitializeEvent(&never, NotificationEvent, FALSE);
                 Thread& waiter = machine().create_thread("waiter", [&] {
                   Work work(machine().self());
                   KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
                 });
                 wait_until_waiting(waiter);
                 std::thread([&] {
                   for (uint32_t i = 0; i <= kLimit; ++i) machine().stuck_watch().look_and_stop(kLimit);
                 }).join();
               }),
               "told: thread 'waiter' has been in one call for 3 s or more: it waits for an event");
}

}  // namespace
}  // namespace nt
