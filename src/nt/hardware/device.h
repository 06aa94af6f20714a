#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/device/drydock_device.h"
#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/dma/iommu.h"
#include "nt/hardware/device_model.h"
#include "nt/hardware/registers.h"
#include "nt/io/device_objects.h"
#include "nt/machine/machine_observer.h"

namespace nt {

class Machine;

// Knows when a device and its driver must not access each other. Called at every access, on the thread that makes it;
// outlives the device, or is taken from it.
class DeviceWatcher {
 public:
  struct Objection {
    Violation what;
    const char* why;  // the end of a sentence: "after …"
  };
  // A register is read or written. At any IRQL.
  virtual std::optional<Objection> on_register() = 0;
  // The device itself reads or writes memory. Under the device's lock.
  virtual std::optional<Objection> on_memory() = 0;

 protected:
  ~DeviceWatcher() = default;
};

// One device of a machine: an instance of a model, its registers at physical addresses, its interrupt line, and a task
// that calls the model at the times it asked for. Made on a thread of the machine. Its owner keeps it until the
// machine's run has ended: the machine has no reference of its own. The model's code runs on the thread that touches a
// register, under the device's lock.
class Device {
 public:
  // Each device has a slot of its own, from 0 on; it decides the interrupt. The model outlives the device.
  static base::Result<std::unique_ptr<Device>> create(Machine& machine, const DeviceModel& model, uint32_t slot = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  struct Range {
    uint64_t physical;
    uint64_t bytes;
  };
  // Where a bar lies; nothing if the device has no such bar.
  std::optional<Range> bar(uint32_t index) const;
  // Whether the model says that this range, whole pages of one bar, is plain memory.
  bool has_memory(Range range);
  // The file that the range lies in, and where. Nothing if it is not plain memory, or cannot be now. The file is open
  // as long as the device lives.
  struct File {
    int descriptor;
    uint64_t offset;
  };
  std::optional<File> memory(Range range);
  // Nothing if the model has no interrupt.
  std::optional<InterruptLine> line() const;
  const char* name() const { return model_->name; }

  // Configuration space, as the bus would read and write it. Of the header nothing can be written.
  uint32_t config_read(uint32_t offset, uint32_t width);
  void config_write(uint32_t offset, uint32_t width, uint32_t value);
  void reset();

  // The physical device object that stands for it. Once that object has a DMA adapter (IoGetDmaAdapter), the device
  // addresses memory by the bus addresses that its adapters map, and no longer by physical addresses.
  void attach_to(const DEVICE_OBJECT& pdo) { pdo_ = &pdo; }
  void set_watcher(DeviceWatcher* watcher) { watcher_ = watcher; }

 private:
  static constexpr uint32_t kHeaderBytes = 64;
  static constexpr uint32_t kConfigBytes = 256;

  struct Bar final : RegisterFile {
    uint64_t read(uint64_t offset, uint32_t width) override { return device->mmio_read(index, offset, width); }
    void write(uint64_t offset, uint32_t width, uint64_t value) override {
      device->mmio_write(index, offset, width, value);
    }
    Device* device = nullptr;
    uint32_t index = 0;
    std::optional<Range> range;
  };

  Device(Machine& machine, const DRYDOCK_DEVICE_MODEL& model, uint32_t slot);
  base::Result<> place_bars();
  base::Result<> power_on();
  void fill_header();
  // Runs `f` with the model at rest. What went wrong in it is reported afterwards, when no lock is held.
  template <typename F>
  auto with_model(F&& f);
  bool ask_for_memory(Range range, DRYDOCK_DEVICE_MEMORY* memory);
  void ask_about_register(const char* verb, uint32_t bar, uint64_t offset, uint32_t width);
  uint64_t mmio_read(uint32_t bar, uint64_t offset, uint32_t width);
  void mmio_write(uint32_t bar, uint64_t offset, uint32_t width, uint64_t value);

  // The model's services.
  void raise_interrupt(uint32_t line);
  void lower_interrupt(uint32_t line);
  int32_t dma_read(uint64_t address, void* bytes, size_t count);
  int32_t dma_write(uint64_t address, const void* bytes, size_t count);
  int32_t dma_done(const char* verb, bool by_bus, uint64_t address, size_t count, std::optional<Iommu::Fault> fault);
  // Null while the device goes by physical addresses.
  Iommu* iommu();
  void wake_at(base::TimeNs time);
  void log(const char* text);
  bool known_line(uint32_t line);
  void start_waker();
  void wake_loop();

  Machine& machine_;
  const DRYDOCK_DEVICE_MODEL* model_;
  const uint32_t slot_;
  DRYDOCK_DEVICE_HOST host_;
  DRYDOCK_DEVICE* instance_ = nullptr;
  std::array<Bar, DRYDOCK_DEVICE_BARS> bars_;
  std::array<uint8_t, kHeaderBytes> header_{};

  base::Mutex<base::LockRank::Adapter> lock_;  // the model runs under it
  bool raised_ = false;                        // the line; touched by the model's services alone
  std::vector<Iommu::Fault> wrong_dma_;        // as above; whole sentences
  std::atomic<const DEVICE_OBJECT*> pdo_{nullptr};
  std::atomic<DeviceWatcher*> watcher_{nullptr};
  std::atomic<base::TimeNs> wake_time_{base::kForever};
  base::Task* waker_ = nullptr;  // made when the model first asks
  bool complete_ = false;        // create() will not fail any more
  std::atomic<bool> over_{false};
  std::atomic<bool> waker_gone_{false};
};

}  // namespace nt
