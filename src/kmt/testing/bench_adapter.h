#pragma once

#include <new>

#include "base/check.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/testing/fake_miniport.h"
#include "nt/io/device_objects.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace kmt::testing {

// For benchmarks: the adapter of a fake driver whose functions do next to nothing, started.
inline dxgk::Adapter& add_quick_adapter(nt::Machine& machine, dxgk::Kernel& kernel,
                                        dxgk::testing::FakeMiniport& driver) {
  void* memory = machine.pool().allocate(sizeof(DRIVER_OBJECT), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  auto* object = new (memory) DRIVER_OBJECT{};
  CHECK(kernel.register_driver(object, driver.table, driver.registered_as(), "quick").ok());
  auto device = machine.devices().create({*object, 0, u"", FILE_DEVICE_VIDEO, 0, false});
  CHECK(device.ok());
  auto adapter = kernel.add_adapter(*kernel.driver_of(object), "quick", device.value(), {});
  CHECK(adapter.ok());
  return *adapter.value();
}

}  // namespace kmt::testing
