#include "nt/boundary/driver_call.h"

#include "base/sanitizer.h"
#include "nt/boundary/kernel_code.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class DriverCallTest : public MachineTest {};

TEST_F(DriverCallTest, PassesArgumentsAndResults) {
  run([&] {
    int out = 0;
    auto routine = +[](int a, int* b) -> NTSTATUS { return *b = a, STATUS_PENDING; };
    EXPECT_EQ(call_driver(machine(), "Routine", nullptr, routine, 5, &out), STATUS_PENDING);
    EXPECT_EQ(out, 5);
  });
}

TEST_F(DriverCallTest, NamesTheRoutineWhileItRuns) {
  run([&] {
    EXPECT_EQ(machine().self().driver_call, nullptr);
    call_driver(
        machine(), "Outer", nullptr,
        +[](Machine* m) {
          EXPECT_STREQ(m->self().driver_call->name, "Outer");
          base::stop_watching_races();  // as the kernel does before it calls back in
          call_driver(
              *m, "Inner", nullptr, +[](Machine* same) { EXPECT_STREQ(same->self().driver_call->name, "Inner"); }, m);
          base::watch_races();
          EXPECT_STREQ(m->self().driver_call->name, "Outer");
        },
        &machine());
    EXPECT_EQ(machine().self().driver_call, nullptr);
  });
}

// A report about a call that has returned shows the structure as it was on return, not as it is by now.
TEST_F(DriverCallTest, WhatIsBrokenNamesTheCallWithItsArguments) {
  observer.then = Then::GoOn;
  run([&] {
    {
      UNICODE_STRING text{.Length = 4, .MaximumLength = 8, .Buffer = nullptr};
      call_driver(
          machine(), "Routine", nullptr,
          +[](int, UNICODE_STRING* changed) {
            Machine::current()->report_violation(Violation::Leak, "inside");
            changed->Length = 6;
          },
          5, &text);
      text.Length = 2;
    }
    machine().report_violation(Violation::Leak, "after");
    call_driver(
        machine(), "Handle", nullptr, +[](HANDLE) {}, nullptr);
    machine().report_violation(Violation::Leak, "after another");
  });
  ASSERT_EQ(observer.violations.size(), 3u);
  EXPECT_EQ(observer.violations[0].call, "Routine(5, UNICODE_STRING {Length 4, MaximumLength 8, Buffer 0})");
  EXPECT_EQ(observer.violations[1].call, "after Routine(5, UNICODE_STRING {Length 6, MaximumLength 8, Buffer 0})");
  EXPECT_EQ(observer.violations[2].call, "after Handle(NULL)");
}

// As a function of the kernel does that calls a routine of the driver.
template <DriverCall::Mode mode>
__attribute__((noinline)) size_t stack_used_in_nested_call(Machine& machine) {
  KernelCode code;
  return call_driver<mode>(
      machine, "Inner", nullptr, +[](Machine* same) { return same->self().driver_call->stack_used; }, &machine);
}

TEST_F(DriverCallTest, NestedCallsShareTheStack) {
  options.stack_bytes = size_t{1} << 20;  // a sanitizer's frames are larger
  run([&] {
    auto outer = +[](Machine* m) {
      volatile char scratch[8192];
      scratch[0] = 1;
      scratch[8191] = 1;
      EXPECT_EQ(m->self().driver_call->stack_used, 0u);
      size_t used = stack_used_in_nested_call<DriverCall::Mode::Kernel>(*m);
      EXPECT_GE(used, sizeof(scratch));
      EXPECT_LT(used, 3 * sizeof(scratch));
      EXPECT_EQ(stack_used_in_nested_call<DriverCall::Mode::Kernel>(*m), used);  // it was given back in between
      EXPECT_EQ(stack_used_in_nested_call<DriverCall::Mode::Interrupting>(*m), 0u);
      EXPECT_EQ(m->self().left_driver_at, 0u);
      return scratch[0];
    };
    call_driver(machine(), "Outer", nullptr, outer, &machine());
  });
}

TEST_F(DriverCallTest, ALevelLeftRaisedIsFoundAndRestored) {
  observer.then = Then::GoOn;
  run([&] {
    call_driver(
        machine(), "Raiser", nullptr, +[] { KeRaiseIrqlToDpcLevel(); });
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    call_driver(
        machine(), "Lowerer", nullptr, +[] { KeLowerIrql(PASSIVE_LEVEL); });
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), (Strings{"IrqlNotRestored", "IrqlBelowCall", "IrqlNotRestored"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "Raiser was called at PASSIVE_LEVEL and returned at DISPATCH_LEVEL");
  EXPECT_EQ(observer.violations.at(1).in_call, "Lowerer");
}

TEST_F(DriverCallTest, ALockLeftHeldIsFound) {
  static KMUTEX mutex;
  run_to_stop([&] {
    KeInitializeMutex(&mutex, 0);
    call_driver(
        machine(), "Balanced", nullptr, +[] {
          KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
          KeReleaseMutex(&mutex, FALSE);
        });
    EXPECT_EQ(broken(), Strings{});
    call_driver(
        machine(), "Holder", nullptr, +[] { KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr); });
  });
  EXPECT_EQ(broken(), Strings{"LockLeftHeld"});
  EXPECT_EQ(observer.violations.at(0).sentence, "Holder returned with a mutex still held");
}

TEST_F(DriverCallTest, ARegionLeftOpenIsFoundAndClosed) {
  observer.then = Then::GoOn;
  run([&] {
    call_driver(
        machine(), "Enterer", nullptr, +[] { KeEnterCriticalRegion(); });
    EXPECT_FALSE(KeAreApcsDisabled());
  });
  EXPECT_EQ(broken(), Strings{"RegionUnbalanced"});
}

TEST_F(DriverCallTest, WhatIsObtainedBelongsToTheScope) {
  observer.then = Then::GoOn;
  run([&] {
    Scope scope(ScopeKind::Adapter, "0", &machine().root_scope());
    static void* kept;
    call_driver(
        machine(), "StartDevice", &scope,
        +[](Machine* m) {
          void* block = m->pool().allocate(8, 0x31676154, PoolKind::NonPaged, PoolFill::Zero);
          kept = m->pool().allocate(8, 0x31676154, PoolKind::NonPaged, PoolFill::Zero);
          m->pool().free(block, 0x31676154, "ExFreePoolWithTag");
        },
        &machine());
    EXPECT_EQ(machine().self().scope, &machine().root_scope());
    EXPECT_EQ(scope.count(), 1u);
    EXPECT_EQ(machine().end_scope(scope), 1u);
    EXPECT_EQ(scope.count(), 0u);
    machine().pool().free(kept, 0x31676154, "ExFreePoolWithTag");
    EXPECT_EQ(machine().end_scope(scope), 0u);
  });
  EXPECT_EQ(broken(), Strings{"Leak"});
  EXPECT_EQ(observer.violations.at(0).sentence, "a pool block obtained in adapter 0 was never given back");
  ASSERT_EQ(observer.violations.at(0).stacks.size(), 1u);
  EXPECT_EQ(observer.violations.at(0).stacks[0].role, "obtained");
  EXPECT_GT(observer.violations.at(0).stacks[0].stack.count, 2u);
}

#if DRYDOCK_TSAN

// What ThreadSanitizer reports inside a driver, and that it reports nothing else.
int g_reports = 0, g_expected = 0;

class RacesOfADriver : public MachineTest {
 protected:
  // Runs the two routines on threads of their own, and returns how many races were reported.
  int races(void (*one)(), void (*two)()) {
    int before = g_reports;
    run_seeds(6, [&] {
      std::vector<Thread*> threads;
      for (auto* routine : {one, two}) {
        threads.push_back(
            &machine().create_thread("racer", [this, routine] { call_driver(machine(), "Racer", nullptr, routine); }));
      }
      for (Thread* thread : threads) KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
      EXPECT_EQ(broken(), Strings{});
    });
    return g_reports - before;
  }
};

int g_value;
KSPIN_LOCK g_lock;
KEVENT g_event;
KDPC g_dpc;

TEST_F(RacesOfADriver, UnguardedAccessesAreReported) {
  int found = races([] { ++g_value; }, [] { g_value += 2; });
  EXPECT_GT(found, 0);
  g_expected += found;
}

TEST_F(RacesOfADriver, ASpinLockOrdersThem) {
  auto guarded = [] {
    for (int i = 0; i < 3; ++i) {
      KIRQL old;
      KeAcquireSpinLock(&g_lock, &old);
      ++g_value;
      KeReleaseSpinLock(&g_lock, old);
    }
  };
  EXPECT_EQ(races(guarded, guarded), 0);
}

TEST_F(RacesOfADriver, AnEventOrdersThem) {
  run([] { KeInitializeEvent(&g_event, SynchronizationEvent, FALSE); });
  EXPECT_EQ(races(
                [] {
                  ++g_value;
                  KeSetEvent(&g_event, 0, FALSE);
                },
                [] {
                  KeWaitForSingleObject(&g_event, Executive, KernelMode, FALSE, nullptr);
                  ++g_value;
                }),
            0);
}

TEST_F(RacesOfADriver, AFlushOrdersWhatDpcsDid) {
  EXPECT_EQ(races(
                [] {
                  KeInitializeDpc(
                      &g_dpc, [](KDPC*, void*, void*, void*) { ++g_value; }, nullptr);
                  KeSetTargetProcessorDpc(&g_dpc, 1);
                  for (int i = 0; i < 5; ++i) {
                    ++g_value;
                    KeInsertQueueDpc(&g_dpc, nullptr, nullptr);
                    KeFlushQueuedDpcs();
                    ++g_value;
                  }
                },
                [] {}),
            0);
}

TEST_F(RacesOfADriver, OneRunIsOverBeforeTheNext) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(races([] { ++g_value; }, [] {}), 0);
  ++g_value;
}

#endif

}  // namespace
}  // namespace nt

#if DRYDOCK_TSAN
extern "C" NO_SANITIZE_THREAD void __tsan_on_report(void*) { ++nt::g_reports; }

// TSan's weak hook: whether the program has failed. The races of the test that makes some are none of its faults.
namespace __tsan {
bool OnFinalize(bool failed);
bool OnFinalize(bool failed) { return failed && nt::g_reports != nt::g_expected; }
}  // namespace __tsan
#endif
