#include "nt/fault/fault.h"

#include <gmock/gmock.h>
#include <setjmp.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/testing/machine_fixture.h"
#include "nt/testing/with_try.h"

#if DRYDOCK_ASAN
// The machine handles faults, not the sanitizer. What an abandoned run leaves on its stacks is not freed.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:allow_user_segv_handler=1:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0";
}
#elif DRYDOCK_TSAN
extern "C" const char* __tsan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:report_signal_unsafe=0";
}
#endif

namespace nt {
namespace {

using Strings = std::vector<std::string>;

// The sanitizers would report these accesses before the processor faults.
NO_SANITIZE __attribute__((noinline)) void write_to(uintptr_t address) {
  *reinterpret_cast<volatile char*>(address) = 1;
}
volatile int g_zero = 0;
NO_SANITIZE __attribute__((noinline)) void divide_by_zero() { g_zero = 100 / g_zero; }
NO_SANITIZE __attribute__((noinline)) int overflow(int depth) {
  volatile char room[2000];
  room[depth % 2000] = 1;
  return depth == INT32_MAX ? 0 : overflow(depth + 1) + room[depth % 2000];
}

class FaultTest : public MachineTest {
 protected:
  FaultTest() { install_fault_handlers(); }
  void driver(void (*routine)()) {
    run([&] { call_driver(machine(), "Routine", nullptr, routine); });
  }
  void crash(void (*routine)()) {
    run_to_stop([&] { call_driver(machine(), "Routine", nullptr, routine); });
  }
  std::string sentence() const { return observer.violations.empty() ? "" : observer.violations[0].sentence; }
};

TEST_F(FaultTest, ANullPointerIsACrash) {
  crash([] { write_to(0x10); });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(sentence(), "access violation: a null pointer (0x10)");
  EXPECT_EQ(observer.violations.at(0).in_call, "Routine");
  EXPECT_GT(observer.violations.at(0).stacks.at(0).stack.count, 2u);
}

TEST_F(FaultTest, TheNextRunIsNotHarmed) {
  for (int i = 0; i < 5; ++i) {
    observer.violations.clear();
    crash([] { write_to(8); });
    EXPECT_EQ(broken(), Strings{"Crash"});
    observer.violations.clear();
    run([] {});
    EXPECT_EQ(broken(), Strings{});
  }
}

TEST_F(FaultTest, ADivisionByZeroIsACrash) {
  crash([] { divide_by_zero(); });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(sentence(), "exception 0xC0000094");
}

TEST_F(FaultTest, ABreakpointIsACrash) {
  crash([] { __asm__ volatile("int3"); });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(sentence(), "exception 0x80000003");
}

TEST_F(FaultTest, AnIllegalInstructionIsACrash) {
  crash([] { __asm__ volatile("ud2"); });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(sentence(), "exception 0xC000001D");
}

TEST_F(FaultTest, AnOverflownStackIsFoundEveryTime) {
  for (int i = 0; i < 3; ++i) {
    observer.violations.clear();
    crash([] { overflow(0); });
    EXPECT_EQ(broken(), Strings{"StackTooDeep"});
    EXPECT_EQ(sentence(), "the stack is used up");
    EXPECT_GT(observer.violations.at(0).stacks.at(0).stack.count, 10u);
  }
}

TEST_F(FaultTest, AWildPointerIsACrash) {
  crash([] { write_to(0x1234'5678'9000); });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(sentence(), "access violation: memory that is not there");
}

int g_handled;
uintptr_t g_touched;

// A __try around `body`, by hand (see abi/km/wdm_seh.h).
WITH_TRY void guarded(void (*body)()) {
  DRYDOCK_SEH_FRAME frame;
  frame.Code = 0;
  frame.State = DRYDOCK_SEH_PUSHED;
  DrydockSehPush(&frame);
  if (__sigsetjmp(*reinterpret_cast<sigjmp_buf*>(frame.Jump), 0) == 0) {
    body();
  } else if (DrydockSehFilter(&frame, EXCEPTION_EXECUTE_HANDLER)) {
    ++g_handled;
    const EXCEPTION_RECORD& record = *DrydockSehInformation()->ExceptionRecord;
    g_touched = record.NumberParameters == 2 ? record.ExceptionInformation[1] : ~uintptr_t{0};
  }
  DrydockSehPop(&frame);
}

TEST_F(FaultTest, ATryAroundItHandlesIt) {
  g_handled = 0;
  driver([] {
    guarded([] { write_to(0x18); });
    EXPECT_EQ(DrydockSehCode(), 0xC0000005u);
    EXPECT_EQ(g_touched, 0x18u);
    guarded([] { divide_by_zero(); });
    EXPECT_EQ(DrydockSehCode(), 0xC0000094u);
    guarded([] { write_to(0); });
    EXPECT_EQ(g_touched, 0u);
  });
  EXPECT_EQ(g_handled, 3);
  EXPECT_EQ(broken(), Strings{});
}

// The fault may also happen in a kernel function that touches what the driver gave it.
TEST_F(FaultTest, AKernelFunctionsFaultGoesToTheDriversTry) {
  g_handled = 0;
  run_seeds(5, [&] {
    call_driver(
        machine(), "Routine", nullptr, +[] {
          for (int i = 0; i < 3; ++i) guarded([] { ProbeForWrite(reinterpret_cast<void*>(0x5000), 16, 1); });
          for (int i = 0; i < 3; ++i) guarded([] { KeSetEvent(reinterpret_cast<PKEVENT>(0x5000), 0, FALSE); });
          KEVENT event;
          KeInitializeEvent(&event, NotificationEvent, TRUE);
          KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, nullptr);
        });
    EXPECT_EQ(broken(), Strings{});
  });
  EXPECT_EQ(g_handled, 5 * 6);
}

TEST_F(FaultTest, ATryDoesNotHelpAgainstAnOverflow) {
  crash([] { guarded([] { overflow(0); }); });
  EXPECT_EQ(broken(), Strings{"StackTooDeep"});
}

TEST_F(FaultTest, AFaultInADpcNamesIt) {
  run_to_stop([&] {
    KDPC dpc;
    KeInitializeDpc(
        &dpc, [](KDPC*, void*, void*, void*) { write_to(8); }, nullptr);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
  });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(observer.violations.at(0).in_call, "DPC routine");
  EXPECT_EQ(observer.violations.at(0).irql, DISPATCH_LEVEL);
}

TEST_F(FaultTest, OutsideOfAMachineAFaultKeepsItsMeaning) { EXPECT_DEATH(write_to(8), ""); }

// Not one of the functions that a sanitizer replaces.
volatile uintptr_t g_nothing_there = 8;
NO_SANITIZE __attribute__((noinline)) void call_library() {
  char to[16];
  swab(reinterpret_cast<const void*>(g_nothing_there), to, sizeof(to));
  __asm__ volatile("" ::"r"(to) : "memory");
}

TEST_F(FaultTest, AFaultInALibraryKeepsTheFrameOfItsCaller) {
  crash([] { call_library(); });
  ASSERT_EQ(broken(), Strings{"Crash"});
  const base::Stack& stack = observer.violations[0].stacks.at(0).stack;
  auto caller = reinterpret_cast<uintptr_t>(&call_library);
  bool found = false;
  for (uint32_t i = 1; i < stack.count; ++i) found |= stack.pc[i] > caller && stack.pc[i] < caller + 256;
  EXPECT_TRUE(found);
}

// The deleted object's table of functions, or any other pointer in it, is what its memory was filled with.
NO_SANITIZE __attribute__((noinline)) void use_object(void* object) {
  __asm__ volatile("mov (%0), %%rax; call *8(%%rax)" ::"r"(object) : "rax", "memory");
}

TEST_F(FaultTest, AFaultThroughFreedMemorySaysWhereItWasFreed) {
  crash([] {
    constexpr uint32_t kTag = 0x746C7546;
    void* object = ExAllocatePool2(POOL_FLAG_NON_PAGED, 40, kTag);
    ExFreePoolWithTag(object, kTag);
    use_object(object);
  });
  ASSERT_EQ(broken(), Strings{"Crash"});
  EXPECT_THAT(sentence(), ::testing::StartsWith("access violation: through a pointer that is no address"));
  EXPECT_THAT(sentence(), ::testing::HasSubstr("a register points into the 40-byte pool block"));
  EXPECT_EQ(observer.violations[0].stacks.at(1).role, "freed");
  EXPECT_EQ(observer.violations[0].stacks.at(2).role, "allocated");
}

TEST_F(FaultTest, ATryDoesNotHelpAtDispatchLevel) {
  g_handled = 0;
  crash([] {
    guarded([] {
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      write_to(8);
    });
  });
  EXPECT_EQ(broken(), Strings{"Crash"});
  EXPECT_EQ(g_handled, 0);
}

}  // namespace
}  // namespace nt
