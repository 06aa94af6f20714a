#pragma once

#include <gmock/gmock.h>

#include "dxgk/testing/graphics_fixture.h"
#include "kmt/testing/program.h"

namespace kmt::testing {

// For tests: programs on a machine whose one adapter is run by the fake driver. Broken rules are written down and the
// run goes on; when it is over the driver must have been left with nothing and nothing to complain of.
class KmtTest : public dxgk::testing::GraphicsTest {
 protected:
  explicit KmtTest(dxgk::testing::Model model = dxgk::testing::Model::Wddm20) : GraphicsTest(model) {
    probe.then = nt::Then::GoOn;
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
  // … in a machine with a started adapter and no program.
  void run_adapter(const std::function<void(dxgk::Adapter&)>& body) {
    nt::Machine::Ended ended = run_started([&](dxgk::Adapter& adapter) {
      adapter_ = &adapter;
      body(adapter);
    });
    EXPECT_TRUE(ended == nt::Machine::Ended::Returned)
        << (probe.breaches.empty() ? "" : probe.breaches.back().sentence);
    EXPECT_TRUE(driver.empty()) << "the driver still has something";
    EXPECT_THAT(driver.complaints, ::testing::IsEmpty());
  }
  dxgk::Adapter& adapter() { return *adapter_; }

  // A local handle that is the one after the last that was asked about (H1, H2, H3).
  void expect_next(D3DKMT_HANDLE handle) {
    EXPECT_TRUE(is_local(handle)) << std::hex << handle;
    EXPECT_EQ(handle, last_ + 0x40) << std::hex << handle << " after " << last_;
    last_ = handle;
  }
  // What the client has been found to do since this was last asked.
  std::vector<std::string> findings() {
    std::vector<std::string> names = broken();
    probe.breaches.clear();
    return names;
  }
  D3DKMT_HANDLE last_ = 0;

 private:
  dxgk::Adapter* adapter_ = nullptr;
};

using Findings = std::vector<std::string>;

}  // namespace kmt::testing
