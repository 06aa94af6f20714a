#include "nt/io/request_waits.h"

#include <gmock/gmock.h>

#include "nt/io/file_objects.h"
#include "nt/io/io_request.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;
using ::testing::HasSubstr;

constexpr ULONG kCode = control_code(METHOD_NEITHER);

class RequestWaitsTest : public IrpTest {};

// Everything else goes on, so that nothing is deadlocked; the program still waits for ever.
TEST_F(RequestWaitsTest, ARequestThatIsNeverCompletedIsNamed) {
  run_to_stop([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      return STATUS_PENDING;
    });
    KTIMER timer;
    KeInitializeTimer(&timer);
    KeSetTimerEx(&timer, LARGE_INTEGER{.QuadPart = -10'000}, 1, nullptr);
    IoRequest request(machine());
    request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode});
    request.wait();
  });
  ASSERT_EQ(broken(), Names{"Livelock"});
  const ViolationReport& violation = observer.violations[0];
  EXPECT_THAT(violation.sentence, HasSubstr("a request: IRP_MJ_DEVICE_CONTROL is with its driver, whose "
                                            "dispatch routine returned STATUS_PENDING"));
  EXPECT_EQ(violation.stacks.at(0).role, "the dispatch routine for IRP_MJ_DEVICE_CONTROL");
  EXPECT_EQ(violation.stacks.at(0).stack.count, 1u);
}

// No thread can run: that is a deadlock. It is reported at once, and the request is named too.
TEST_F(RequestWaitsTest, ADeadlockNamesTheRequestThatIsWaitedFor) {
  run_to_stop([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      return STATUS_PENDING;
    });
    IoRequest request(machine());
    request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode});
    request.wait();
  });
  ASSERT_EQ(broken(), Names{"Deadlock"});
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("IRP_MJ_DEVICE_CONTROL is with its driver"));
}

// A request that takes long and is completed is none.
TEST_F(RequestWaitsTest, ARequestMayTakeHalfAMinute) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    IRP* pending = nullptr;
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      pending = &irp;
      return STATUS_PENDING;
    });
    Thread& completer = machine().create_thread("completer", [&] {
      LARGE_INTEGER half_a_minute{.QuadPart = -300'000'000};
      KeDelayExecutionThread(KernelMode, FALSE, &half_a_minute);
      complete(*pending, STATUS_SUCCESS);
    });
    IoRequest request(machine());
    request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode});
    EXPECT_EQ(request.wait(), STATUS_SUCCESS);
    KeWaitForSingleObject(completer.body, Executive, KernelMode, FALSE, nullptr);
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace nt
