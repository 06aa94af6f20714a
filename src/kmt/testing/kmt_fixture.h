#pragma once

#include <gmock/gmock.h>

#include "dxgk/testing/graphics_fixture.h"
#include "kmt/testing/program.h"
#include "nt/hardware/interrupts.h"

namespace kmt::testing {

// For tests: programs on a machine whose one adapter is run by the fake driver. Broken rules are recorded and the run
// goes on. At the end the driver must have no objects left and no complaints.
class KmtTest : public dxgk::testing::GraphicsTest {
 protected:
  explicit KmtTest(dxgk::testing::Model model = dxgk::testing::Model::Wddm20) : GraphicsTest(model) {
    observer.then = nt::Then::GoOn;
  }

  // `body` in a program that has opened the adapter and created a device.
  void run_program(const std::function<void(Program&)>& body) {
    run_adapter([&](dxgk::Adapter& adapter) {
      Program program(kernel(), "client");
      program.start(adapter);
      last_ = program.device;
      body(program);
    });
  }
  // `body` in a machine with a started adapter and no program.
  void run_adapter(const std::function<void(dxgk::Adapter&)>& body) {
    nt::Machine::Ended ended = run_started([&](dxgk::Adapter& adapter) {
      adapter_ = &adapter;
      body(adapter);
    });
    EXPECT_TRUE(ended == nt::Machine::Ended::Returned)
        << (observer.violations.empty() ? "" : observer.violations.back().sentence);
    EXPECT_TRUE(driver.empty()) << "the driver still has something";
    EXPECT_THAT(driver.complaints, ::testing::IsEmpty());
  }
  dxgk::Adapter& adapter() { return *adapter_; }

  // The fake driver raises interrupt `vector` at submitted(), and reports there that the fence has passed.
  void complete_by_interrupt(uint32_t vector) {
    hardware.line = nt::InterruptLine{vector, 6};
    driver.at[dxgk::Ddi::InterruptRoutine] = [this] {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
      data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      data.DmaCompleted.SubmissionFenceId = fence_;
      driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[dxgk::Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  }
  NTSTATUS submitted(UINT fence) {
    fence_ = fence;
    machine().interrupts().raise(hardware.line->vector);
    return STATUS_SUCCESS;
  }

  // A local handle that is the one after the last that was asked about (H1, H2, H3).
  void expect_next(D3DKMT_HANDLE handle) {
    EXPECT_TRUE(is_local(handle)) << std::hex << handle;
    EXPECT_EQ(handle, last_ + 0x40) << std::hex << handle << " after " << last_;
    last_ = handle;
  }
  // What the client has been found to do since this was last asked.
  std::vector<std::string> findings() {
    std::vector<std::string> names = broken();
    observer.violations.clear();
    return names;
  }
  D3DKMT_HANDLE last_ = 0;

 private:
  dxgk::Adapter* adapter_ = nullptr;
  UINT fence_ = 0;  // the last one submitted
};

using Findings = std::vector<std::string>;

}  // namespace kmt::testing
