#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/testing/fake_miniport.h"
#include "nt/hardware/device.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"
#include "nt/testing/fuzz_machine.h"

namespace dxgk::testing {

// For fuzzers: a graphics kernel and the fake driver, whose GPU completes what it is given. Set up `driver`, `hardware`
// and `policy`, then run.
class FuzzGraphics {
 public:
  explicit FuzzGraphics(Model model) : driver(model) {
    driver.context_info.DmaBufferSize = 4096;
    driver.context_info.DmaBufferPrivateDataSize = 64;
    driver.context_info.AllocationListSize = 16;
    driver.context_info.PatchLocationListSize = 32;
    driver.table.DxgkDdiEscape = [](IN_CONST_HANDLE, IN_CONST_PDXGKARG_ESCAPE) { return STATUS_SUCCESS; };
    driver.submit = [this](const DXGKARG_SUBMITCOMMAND& args) {
      return take({args.SubmissionFenceId, args.NodeOrdinal, args.EngineOrdinal});
    };
    driver.submit_virtual = [this](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      return take({args.SubmissionFenceId, args.NodeOrdinal, args.EngineOrdinal});
    };
    driver.at[Ddi::InterruptRoutine] = [this] {
      for (const Packet& packet : std::exchange(running_, {})) tell_completed(packet);
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  }

  // `body` with a started adapter, which is removed afterwards; nothing where the driver is refused.
  nt::Machine::Ended run(const std::function<void(Kernel&, Adapter&)>& body) {
    return machine.run([&](nt::Machine& its) {
      its_ = &its;
      device_ = nt::Device::create(its, card()).take();
      Adapter::Hardware of_card = Adapter::Hardware::of(*device_);
      hardware.device = of_card.device;
      hardware.memory = of_card.memory;
      hardware.line = of_card.line;
      Kernel kernel(its, policy);
      PDRIVER_OBJECT object = make_driver_object(its);
      if (!kernel.register_driver(object, driver.table, driver.registered_as(), "fuzzed").ok()) return;
      auto device = its.devices().create({*object, 0, u"", FILE_DEVICE_VIDEO, 0, false});
      CHECK(device.ok());
      auto started = kernel.add_adapter(*kernel.driver_of(object), "adapter 1", device.value(), hardware);
      if (!started.ok()) return;
      body(kernel, *started.value());
      started.value()->remove();
    });
  }
  // Whether the GPU completes what it is given from now on.
  void set_completes(bool completes) { completes_ = completes; }

  // Changes what the driver's interrupt tells.
  std::function<void(DXGKARGCB_NOTIFY_INTERRUPT_DATA& data)> alter_interrupt;

  nt::testing::FuzzMachine machine;
  FakeMiniport driver;
  Adapter::Hardware hardware;
  Policy policy;

 private:
  // Hardware that is there and does nothing by itself.
  static const nt::DeviceModel& card() {
    static const DRYDOCK_DEVICE_MODEL description = [] {
      DRYDOCK_DEVICE_MODEL model{};
      model.size = sizeof(model);
      model.version = DRYDOCK_DEVICE_VERSION;
      model.name = "card";
      model.bars[0] = {0x10000, DRYDOCK_DEVICE_BAR_MEMORY32, 0};
      model.interrupt_lines = 1;
      model.create = [](const DRYDOCK_DEVICE_HOST*) {
        static char instance;
        return reinterpret_cast<DRYDOCK_DEVICE*>(&instance);
      };
      model.destroy = model.reset = [](DRYDOCK_DEVICE*) {};
      model.mmio_read = [](DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t) { return uint64_t{0}; };
      model.mmio_write = [](DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t, uint64_t) {};
      return model;
    }();
    static const nt::DeviceModel model = nt::DeviceModel::of(description).take();
    return model;
  }
  struct Packet {
    UINT fence, node, engine;
  };

  static PDRIVER_OBJECT make_driver_object(nt::Machine& its) {
    void* memory = its.pool().allocate(sizeof(DRIVER_OBJECT), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
    CHECK(memory);
    return new (memory) DRIVER_OBJECT{};
  }
  NTSTATUS take(Packet packet) {
    if (completes_) {
      running_.push_back(packet);
      its_->interrupts().raise(hardware.line->vector);
    }
    return STATUS_SUCCESS;
  }
  void tell_completed(const Packet& packet) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = packet.fence;
    data.DmaCompleted.NodeOrdinal = packet.node;
    data.DmaCompleted.EngineOrdinal = packet.engine;
    if (alter_interrupt) alter_interrupt(data);
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
  }

  nt::Machine* its_ = nullptr;
  std::unique_ptr<nt::Device> device_;
  bool completes_ = true;
  std::vector<Packet> running_;
};

}  // namespace dxgk::testing
