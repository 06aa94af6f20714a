#pragma GCC diagnostic ignored "-Wold-style-cast"  // the assertion macros are C

#include <cstdarg>

#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class PrintingObserver : public RecordingObserver {
 public:
  void debug_print(std::string_view text) override { printed.emplace_back(text); }
  Strings printed;
};

class DbgTest : public ::testing::Test {
 protected:
  Machine::Ended run(const std::function<void()>& body) {
    Machine machine({}, observer, writer);
    return machine.run(body);
  }
  Strings broken() const {
    Strings names;
    for (const ViolationReport& violation : observer.violations) names.push_back(to_string(violation.what));
    return names;
  }
  PrintingObserver observer;
  trace::Writer writer;
};

ULONG print_with_prefix(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ULONG status = vDbgPrintExWithPrefix("mill: ", DPFLTR_IHVDRIVER_ID, DPFLTR_INFO_LEVEL, format, arguments);
  va_end(arguments);
  return status;
}

TEST_F(DbgTest, PrintsReachTheObserver) {
  run([&] {
    DbgPrint("%s turns %d\n", "the mill", 7);
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "0x%08X", 0xBEEF);
    print_with_prefix("%u", 3u);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    DbgPrint("raised");
    KeLowerIrql(old);
  });
  EXPECT_EQ(observer.printed, (Strings{"the mill turns 7\n", "0x0000BEEF", "mill: 3", "raised"}));
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(DbgTest, ALineIsCutAtWhatIsTransmitted) {
  run([&] { DbgPrint("%s", std::string(2000, 'x').c_str()); });
  ASSERT_EQ(observer.printed.size(), 1u);
  EXPECT_LE(observer.printed[0].size(), 512u);
  EXPECT_GE(observer.printed[0].size(), 511u);
}

TEST_F(DbgTest, AFailedAssertionSaysWhere) {
  observer.then = Then::GoOn;
  run([&] {
    char expression[] = "count > 0", file[] = "C:\\mill\\src/wheel.c", message[] = "the wheel is empty";
    RtlAssert(expression, file, 12, nullptr);
    RtlAssert(expression, file, 13, message);
  });
  EXPECT_EQ(broken(), (Strings{"AssertionFailed", "AssertionFailed"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "assertion failed at wheel.c:12: count > 0");
  EXPECT_EQ(observer.violations.at(1).sentence, "assertion failed at wheel.c:13: count > 0: the wheel is empty");
}

TEST_F(DbgTest, AnAssertionThatHoldsSaysNothing) {
  run([&] {
    NT_ASSERT(1 + 1 == 2);
    EXPECT_TRUE(NT_VERIFY(true));
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(DbgTest, ABreakpointIsAFinding) {
  EXPECT_EQ(run([&] { DbgBreakPoint(); }), Machine::Ended::Stopped);
  EXPECT_EQ(broken(), Strings{"AssertionFailed"});
}

TEST_F(DbgTest, PagedCodeIsForLowLevels) {
  observer.then = Then::GoOn;
  run([&] {
    DrydockPagedCode();
    KIRQL old;
    KeRaiseIrql(APC_LEVEL, &old);
    DrydockPagedCode();
    EXPECT_EQ(broken(), Strings{});
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    DrydockPagedCode();
    KeLowerIrql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{"PagedCodeRaised"});
  EXPECT_EQ(observer.violations.at(0).sentence, "PAGED_CODE() at DISPATCH_LEVEL");
}

TEST_F(DbgTest, ABugCheckEndsTheRunWhateverTheObserverSays) {
  observer.then = Then::GoOn;
  EXPECT_EQ(run([&] { KeBugCheckEx(0x10E, 0x1F, 2, 3, 4); }), Machine::Ended::Stopped);
  EXPECT_EQ(run([&] { KeBugCheck(0xE2); }), Machine::Ended::Stopped);
  EXPECT_EQ(broken(), (Strings{"DriverBugCheck", "DriverBugCheck"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "the driver called for bug check 0x10E (0x1F, 0x2, 0x3, 0x4)");
}

}  // namespace
}  // namespace nt
