#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "nt/testing/machine_fixture.h"
#include "softgpu/loaded_driver.h"
#include "softgpu/test_kernel.h"

namespace softgpu {

// For tests: runs a body on each of softgpu's drivers, started.
class DriverTest : public nt::MachineTest {
 protected:
  static constexpr uint32_t kRender = SOFTGPU_ENGINE_RENDER, kCopy = SOFTGPU_ENGINE_COPY;
  static constexpr uint64_t kFree = TestKernel::kFree;
  using Body = std::function<void(TestKernel&)>;

  void on(const std::string& driver, const Body& body) {
    SCOPED_TRACE(driver);
    const host::DriverImage* image = loaded_driver(SOFTGPU_DRIVERS, driver);
    ASSERT_TRUE(image);
    image->restore();
    run([&] {
      TestKernel kernel(machine(), *image);
      if (before_start) before_start(machine());
      ASSERT_EQ(kernel.start(), STATUS_SUCCESS);
      kernel.take_log();
      body(kernel);
      kernel.stop();
    });
    EXPECT_TRUE(observer.violations.empty()) << observer.violations.front().sentence;
  }
  void on_physical(const Body& body) { on("softgpu_physical", body); }
  void on_virtual(const Body& body) { on("softgpu", body); }
  void on_each(const Body& body) {
    for (const char* driver : {"softgpu", "softgpu_physical", "softgpu_compute"}) on(driver, body);
  }

  std::function<void(nt::Machine&)> before_start;
};

}  // namespace softgpu
