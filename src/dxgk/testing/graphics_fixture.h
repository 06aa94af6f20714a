#pragma once

#include <functional>
#include <memory>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/testing/fake_miniport.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace dxgk::testing {

// For tests: a machine with a graphics kernel, in which a fake driver runs one adapter. Set up `driver`, `hardware` and
// `policy`, then run.
class GraphicsTest : public nt::MachineTest {
 protected:
  explicit GraphicsTest(Model model = Model::Wddm20) : driver(model) {}

  // `body` in a machine where the driver is registered and has no adapter yet. The machine must return.
  nt::Machine::Ended run_registered(const std::function<void()>& body) {
    const nt::Machine::Ended ended = end_of_run([&] {
      Kernel kernel(machine(), policy);
      kernel_ = &kernel;
      object_ = make_internal<DRIVER_OBJECT>();
      auto registered = kernel.register_driver(object_, driver.table, driver.registered_as(), "fake");
      ASSERT_TRUE(registered.ok()) << registered.failure().why();
      body();
      kernel_ = nullptr;
    });
    EXPECT_EQ(ended, nt::Machine::Ended::Returned) << observer.last_sentence();
    return ended;
  }
  // `body` in a machine with a started adapter, which is removed afterwards.
  nt::Machine::Ended run_started(const std::function<void(Adapter&)>& body) {
    return run_registered([&] {
      auto started = add_adapter();
      ASSERT_TRUE(started.ok()) << kernel_->adapters().back()->refusal();
      driver.log.clear();
      body(*started.value());
      started.value()->remove();
    });
  }

  base::Result<Adapter*> add_adapter() {
    auto device = machine().devices().create({*object_, 0, u"", FILE_DEVICE_VIDEO, 0, false});
    CHECK(device.ok());
    return kernel_->add_adapter(*kernel_->driver_of(object_), "adapter 1", device.value(), hardware);
  }
  Kernel& kernel() { return *kernel_; }
  PDRIVER_OBJECT driver_object() { return object_; }

  template <typename T>
  T* make_internal() {
    void* memory = machine().pool().allocate(sizeof(T), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
    CHECK(memory);
    return new (memory) T{};
  }

  FakeMiniport driver;
  Adapter::Hardware hardware;
  Policy policy;

 private:
  Kernel* kernel_ = nullptr;
  PDRIVER_OBJECT object_ = nullptr;
};

}  // namespace dxgk::testing
