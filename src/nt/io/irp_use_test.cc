// What a driver does with an IRP that it has completed, or that is not its own to free.
#include "base/sanitizer.h"
#include "nt/io/irps.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;

class IrpUseTest : public IrpTest {
 protected:
  // Sends a request that the I/O manager frees to a device that acts so. `after` is run before the driver is unloaded.
  Names findings_of(
      Act act, const std::function<void()>& after = [] {}) {
    observer.then = Then::GoOn;
    run([&] {
      TestDriver driver = make_driver(std::move(act));
      KEVENT event;
      IO_STATUS_BLOCK block{};
      KeInitializeEvent(&event, NotificationEvent, FALSE);
      IRP* irp = IoBuildDeviceIoControlRequest(control_code(METHOD_BUFFERED), driver.device, nullptr, 0, nullptr, 0,
                                               FALSE, &event, &block);
      ASSERT_NE(irp, nullptr);
      IoCallDriver(driver.device, irp);
      after();
      machine().irps().check_unloaded(*driver.object);
      IoDeleteDevice(driver.device);
    });
    return broken();
  }
  NO_SANITIZE static NTSTATUS status_in(const IRP& irp) { return irp.IoStatus.Status; }
  NO_SANITIZE static void write_to(IRP& irp) { irp.CancelIrql = DISPATCH_LEVEL; }
};

TEST_F(IrpUseTest, AnotherStatusReturnedIsFound) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              complete(irp, STATUS_UNSUCCESSFUL);
              return STATUS_SUCCESS;
            }),
            Names{"IrpStatusMismatch"});
  EXPECT_EQ(observer.violations.at(0).sentence,
            "the dispatch routine for IRP_MJ_DEVICE_CONTROL completed its IRP with 0xC0000001 and returned 0x00000000");
}

TEST_F(IrpUseTest, TheSameStatusIsRight) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_UNSUCCESSFUL); }), Names{});
}

TEST_F(IrpUseTest, AStatusReadAfterCompletionIsFound) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              complete(irp, STATUS_SUCCESS);
              return status_in(irp);
            }),
            Names{"IrpUsedAfterCompletion"});
}

TEST_F(IrpUseTest, AWriteAfterCompletionIsFoundAtUnload) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              NTSTATUS answer = complete(irp, STATUS_SUCCESS);
              write_to(irp);
              return answer;
            }),
            Names{"IrpUsedAfterCompletion"});
}

TEST_F(IrpUseTest, AWriteAfterCompletionIsFoundWhenTheIrpIsUsedAgain) {
  auto use_again = [&] {
    for (int i = 0; i < 20; ++i) machine().irps().free(*machine().irps().allocate(1));
    EXPECT_EQ(broken(), Names{"IrpUsedAfterCompletion"});
  };
  EXPECT_EQ(findings_of(
                [](DEVICE_OBJECT&, IRP& irp) {
                  NTSTATUS answer = complete(irp, STATUS_SUCCESS);
                  write_to(irp);
                  return answer;
                },
                use_again),
            Names{"IrpUsedAfterCompletion"});
}

TEST_F(IrpUseTest, AFreedIrpIsKnownByItsAddress) {
  run([&] {
    IRP* irp = machine().irps().allocate(1);
    auto address = reinterpret_cast<uintptr_t>(&irp->IoStatus);
    EXPECT_FALSE(machine().irps().is_freed(address));
    machine().irps().free(*irp);
    EXPECT_TRUE(machine().irps().is_freed(address));
  });
}

TEST_F(IrpUseTest, WhatTheIoManagerFreesIsNotTheDriversToFree) {
  observer.then = Then::GoOn;
  run([&] {
    TestDriver driver = make_driver(succeeds());
    KEVENT event;
    IO_STATUS_BLOCK block{};
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    LARGE_INTEGER offset{};
    IoFreeIrp(IoBuildDeviceIoControlRequest(control_code(METHOD_BUFFERED), driver.device, nullptr, 0, nullptr, 0, FALSE,
                                            &event, &block));
    EXPECT_EQ(broken(), Names{"IrpFreedInUse"});
    IoFreeIrp(IoBuildAsynchronousFsdRequest(IRP_MJ_READ, driver.device, nullptr, 0, &offset, &block));
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{"IrpFreedInUse"});
}

}  // namespace
}  // namespace nt
