#include <setjmp.h>

#include <atomic>

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/fault/exception.h"
#include "nt/testing/machine_fixture.h"
#include "nt/testing/with_try.h"

// What the driver's __try and __except become (abi/km/wdm_seh.h), by hand: the macros are for driver code only.
namespace nt {
namespace {

using Strings = std::vector<std::string>;

struct Frame {
  DRYDOCK_SEH_FRAME frame;
  Frame() {
    frame.Code = 0;
    frame.State = DRYDOCK_SEH_PUSHED;
    DrydockSehPush(&frame);
  }
  ~Frame() { DrydockSehPop(&frame); }
};

#define TRY_BLOCK(name) \
  Frame name;           \
  if (__sigsetjmp(*reinterpret_cast<sigjmp_buf*>(name.frame.Jump), 0) == 0)
#define EXCEPT_BLOCK(name, filter) \
  else if (name.frame.State != DRYDOCK_SEH_LEFT && DrydockSehFilter(&name.frame, (filter)))

std::string g_log;

class SehTest : public MachineTest {
 protected:
  SehTest() { g_log.clear(); }
  // Runs a routine of the driver.
  void driver(void (*routine)()) {
    run([&] { call_driver(machine(), "Routine", nullptr, routine); });
  }
  void driver_to_stop(void (*routine)()) {
    run_to_stop([&] { call_driver(machine(), "Routine", nullptr, routine); });
  }
};

WITH_TRY void handles() {
  TRY_BLOCK(outer) {
    g_log += "try ";
    ExRaiseStatus(STATUS_DEVICE_BUSY);
    g_log += "not here ";
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += DrydockSehCode() == 0x80000011 ? "busy " : "wrong "; }
  g_log += "after";
}

TEST_F(SehTest, AnExceptionGoesToItsHandler) {
  driver(&handles);
  EXPECT_EQ(g_log, "try busy after");
  EXPECT_EQ(broken(), Strings{});
}

WITH_TRY void passes_untouched() {
  TRY_BLOCK(outer) { g_log += "try "; }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += "handler "; }
  g_log += Machine::current()->self().seh ? "linked" : "unlinked";
}

TEST_F(SehTest, WithoutAnExceptionTheHandlerDoesNotRun) {
  driver([] {
    passes_untouched();
    g_log += Machine::current()->self().seh ? " linked" : " unlinked";
  });
  EXPECT_EQ(g_log, "try linked unlinked");
}

__attribute__((noinline)) void raise_deep(int depth) {
  if (depth > 0) raise_deep(depth - 1);
  if (depth == 0) ExRaiseAccessViolation();
  g_log += "not here ";
}

WITH_TRY void searches_on() {
  TRY_BLOCK(outer) {
    TRY_BLOCK(middle) {
      TRY_BLOCK(inner) { raise_deep(3); }
      EXCEPT_BLOCK(inner, (g_log += "inner filter ", EXCEPTION_CONTINUE_SEARCH)) { g_log += "inner handler "; }
    }
    EXCEPT_BLOCK(middle, (g_log += "middle filter ", EXCEPTION_CONTINUE_SEARCH)) { g_log += "middle handler "; }
  }
  EXCEPT_BLOCK(outer, DrydockSehCode() == 0xC0000005 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
    g_log += "outer handler";
  }
}

TEST_F(SehTest, AFilterMaySendItFurtherOut) {
  driver(&searches_on);
  EXPECT_EQ(g_log, "inner filter middle filter outer handler");
  EXPECT_EQ(broken(), Strings{});
}

WITH_TRY void raises_in_a_handler() {
  TRY_BLOCK(outer) {
    TRY_BLOCK(inner) { ExRaiseStatus(STATUS_DEVICE_BUSY); }
    EXCEPT_BLOCK(inner, EXCEPTION_EXECUTE_HANDLER) {
      g_log += "inner ";
      ExRaiseDatatypeMisalignment();
    }
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += DrydockSehCode() == 0x80000002 ? "outer" : "wrong"; }
}

TEST_F(SehTest, AHandlerMayRaiseAgain) {
  driver(&raises_in_a_handler);
  EXPECT_EQ(g_log, "inner outer");
}

WITH_TRY void leaves() {
  TRY_BLOCK(outer) {
    g_log += "try ";
    DrydockSehLeave(&outer.frame);
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += "handler "; }
  g_log += "after";
}

TEST_F(SehTest, LeaveGoesToTheEnd) {
  driver(&leaves);
  EXPECT_EQ(g_log, "try after");
}

WITH_TRY void loops() {
  for (int i = 0; i < 3; ++i) {
    TRY_BLOCK(each) {
      if (i == 1) ExRaiseStatus(STATUS_DEVICE_BUSY);
      g_log += 't';
    }
    EXCEPT_BLOCK(each, EXCEPTION_EXECUTE_HANDLER) { g_log += 'h'; }
  }
}

TEST_F(SehTest, AFrameInALoopIsNewEachTime) {
  driver(&loops);
  EXPECT_EQ(g_log, "tht");
}

WITH_TRY void probes() {
  for (uintptr_t address : {uintptr_t{0}, uintptr_t{0x1003}, ~uintptr_t{15}}) {
    TRY_BLOCK(each) {
      ProbeForRead(reinterpret_cast<void*>(address), address ? 64 : 0, 4);
      g_log += "fine ";
    }
    EXCEPT_BLOCK(each, EXCEPTION_EXECUTE_HANDLER) {
      PEXCEPTION_POINTERS pointers = DrydockSehInformation();
      g_log += pointers->ExceptionRecord->ExceptionCode == STATUS_DATATYPE_MISALIGNMENT ? "misaligned " : "violation ";
    }
  }
}

TEST_F(SehTest, ProbesRaise) {
  driver(&probes);
  EXPECT_EQ(g_log, "fine misaligned violation ");
}

constexpr ULONG kTag = 0x626F7250;

WITH_TRY void probes_pool() {
  void* block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag);
  TRY_BLOCK(read) { ProbeForRead(block, 64, 1); }
  EXCEPT_BLOCK(read, EXCEPTION_EXECUTE_HANDLER) { g_log += "read "; }
  TRY_BLOCK(write) { ProbeForWrite(block, 64, 1); }
  EXCEPT_BLOCK(write, EXCEPTION_EXECUTE_HANDLER) { g_log += "write "; }
  TRY_BLOCK(nothing) { ProbeForWrite(block, 0, 1); }
  EXCEPT_BLOCK(nothing, EXCEPTION_EXECUTE_HANDLER) { g_log += "nothing "; }
  ExFreePoolWithTag(block, kTag);
}

TEST_F(SehTest, ProbesOfAKernelAddressRaise) {
  driver(&probes_pool);
  EXPECT_EQ(g_log, "read write ");
}

WITH_TRY void keeps_the_record() {
  TRY_BLOCK(outer) {
    TRY_BLOCK(inner) { ProbeForRead(reinterpret_cast<void*>(~uintptr_t{15}), 64, 1); }
    EXCEPT_BLOCK(inner, EXCEPTION_CONTINUE_SEARCH) {}
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) {
    const EXCEPTION_RECORD& record = *DrydockSehInformation()->ExceptionRecord;
    g_log += record.NumberParameters == 2 && record.ExceptionInformation[1] == ~uintptr_t{15} ? "kept" : "lost";
  }
}

TEST_F(SehTest, AnOuterFilterSeesTheSameRecord) {
  driver(&keeps_the_record);
  EXPECT_EQ(g_log, "kept");
}

TEST_F(SehTest, WithoutAHandlerItIsAFinding) {
  driver_to_stop([] { ExRaiseStatus(STATUS_DEVICE_BUSY); });
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
  EXPECT_EQ(observer.violations.at(0).sentence, "exception 0x80000011 was raised and no handler takes it");
  EXPECT_EQ(observer.violations.at(0).in_call, "Routine");
}

WITH_TRY void no_filter_takes_it() {
  TRY_BLOCK(outer) { ExRaiseStatus(STATUS_DEVICE_BUSY); }
  EXCEPT_BLOCK(outer, EXCEPTION_CONTINUE_SEARCH) { g_log += "handler"; }
}

TEST_F(SehTest, WhenEveryFilterDeclinesItIsAFinding) {
  driver_to_stop(&no_filter_takes_it);
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
  EXPECT_EQ(g_log, "");
}

WITH_TRY void continues() {
  TRY_BLOCK(outer) { ExRaiseStatus(STATUS_DEVICE_BUSY); }
  EXCEPT_BLOCK(outer, EXCEPTION_CONTINUE_EXECUTION) { g_log += "handler"; }
}

TEST_F(SehTest, ContinuingTheExecutionIsRefused) {
  driver_to_stop(&continues);
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
  EXPECT_EQ(observer.violations.at(0).sentence,
            "a filter answered EXCEPTION_CONTINUE_EXECUTION, which Drydock cannot do");
}

WITH_TRY void calls_back_in() {
  TRY_BLOCK(outer) {
    base::stop_watching_races();  // as the kernel does before it calls back in
    call_driver(
        *Machine::current(), "Inner", nullptr, +[] { ExRaiseStatus(STATUS_DEVICE_BUSY); });
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += "handler"; }
}

// Frames of ours lie between.
TEST_F(SehTest, AnExceptionDoesNotCrossADriverCall) {
  driver_to_stop(&calls_back_in);
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
  EXPECT_EQ(observer.violations.at(0).in_call, "Inner");
  EXPECT_EQ(g_log, "");
}

KSEMAPHORE g_semaphore;

WITH_TRY void releases_too_much() {
  TRY_BLOCK(outer) { KeReleaseSemaphore(&g_semaphore, 0, 2, FALSE); }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { g_log += DrydockSehCode() == 0xC0000047 ? "limit" : "wrong"; }
}

TEST_F(SehTest, ADpcOnTopOfATryHandlesItsOwn) {
  run_seeds(10, [&] {
    g_log.clear();
    KeInitializeSemaphore(&g_semaphore, 0, 1);
    KDPC dpc;
    KeInitializeDpc(
        &dpc, [](KDPC*, void*, void*, void*) { releases_too_much(); }, nullptr);
    call_driver(
        machine(), "Routine", nullptr,
        +[](KDPC* queued) {
          KIRQL old;
          KeRaiseIrql(DISPATCH_LEVEL, &old);
          KeInsertQueueDpc(queued, nullptr, nullptr);
          KeLowerIrql(old);
          g_log += "; ";
          handles();
        },
        &dpc);
    EXPECT_EQ(g_log, "limit; try busy after");
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(SehTest, AKernelFunctionRaisesIntoTheDriver) {
  driver([] {
    KeInitializeSemaphore(&g_semaphore, 0, 1);
    releases_too_much();
  });
  EXPECT_EQ(g_log, "limit");
}

std::atomic<int> g_caught;

WITH_TRY void catches_one() {
  TRY_BLOCK(outer) {
    TRY_BLOCK(inner) {
      KeStallExecutionProcessor(1);
      raise_deep(3);
    }
    EXCEPT_BLOCK(inner, (KeStallExecutionProcessor(1), EXCEPTION_CONTINUE_SEARCH)) {}
  }
  EXCEPT_BLOCK(outer, EXCEPTION_EXECUTE_HANDLER) { ++g_caught; }
}

TEST_F(SehTest, EachThreadHasItsOwnFrames) {
  run_seeds(10, [&] {
    g_caught = 0;
    std::vector<Thread*> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(&machine().create_thread("thrower", [&] {
        for (int k = 0; k < 5; ++k) call_driver(machine(), "Routine", nullptr, &catches_one);
      }));
    }
    for (Thread* thread : threads) KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
    EXPECT_EQ(g_caught, 15);
    EXPECT_EQ(broken(), Strings{});
  });
}

}  // namespace
}  // namespace nt
