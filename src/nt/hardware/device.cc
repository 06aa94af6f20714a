#include "nt/hardware/device.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>

#include "base/align.h"
#include "nt/dma/dma_adapters.h"
#include "nt/hardware/interrupts.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"

namespace nt {
namespace {

constexpr uint64_t kBars32 = 0xF000'0000;
constexpr uint64_t kBars32End = 0x1'0000'0000;
constexpr uint64_t kBars64 = 0x40'0000'0000;
constexpr uint64_t kBars64End = 0x80'0000'0000;

// Vectors and levels of slot 0. Policy: Windows gives out what its interrupt controllers have.
constexpr uint32_t kFirstVector = 0x51;
constexpr uint32_t kFirstIrql = 5;
constexpr uint32_t kIrqls = 7;

// Offsets in the header of a PCI function (type 0).
constexpr uint32_t kVendor = 0x00, kDevice = 0x02, kCommand = 0x04, kRevision = 0x08, kProgramming = 0x09,
                   kSubClass = 0x0A, kBaseClass = 0x0B, kBar0 = 0x10, kSubsystemVendor = 0x2C, kSubsystem = 0x2E,
                   kInterruptLine = 0x3C, kInterruptPin = 0x3D;
constexpr uint16_t kMemoryEnabled = 2;
constexpr uint32_t kIs64Bit = 4;

template <typename T>
void put(std::array<uint8_t, 64>& header, uint32_t offset, T value) {
  std::memcpy(header.data() + offset, &value, sizeof(value));
}

}  // namespace

template <typename F>
auto Device::with_model(F&& f) {
  std::vector<Iommu::Fault> wrong;
  auto call = [&] {
    base::Guard guard(lock_);
    auto result = f();
    wrong.swap(wrong_dma_);
    return result;
  };
  auto result = call();
  for (Iommu::Fault& fault : wrong)
    machine_.report_violation(fault.what, std::move(fault.why), std::move(fault.stacks));
  return result;
}

base::Result<std::unique_ptr<Device>> Device::create(Machine& machine, const DeviceModel& model, uint32_t slot) {
  CHECK_MSG(Machine::current() == &machine, "a device is made on a thread of its machine");
  std::unique_ptr<Device> device(new Device(machine, *model, slot));
  TRY(device->power_on());
  TRY(device->place_bars());
  device->fill_header();
  device->complete_ = true;
  if (device->wake_time_ != base::kForever) device->start_waker();
  return device;
}

Device::Device(Machine& machine, const DRYDOCK_DEVICE_MODEL& model, uint32_t slot)
    : machine_(machine), model_(&model), slot_(slot) {
  host_ = {
      .size = sizeof(DRYDOCK_DEVICE_HOST),
      .version = DRYDOCK_DEVICE_VERSION,
      .host = this,
      .raise_interrupt = [](void* host, uint32_t line) { static_cast<Device*>(host)->raise_interrupt(line); },
      .lower_interrupt = [](void* host, uint32_t line) { static_cast<Device*>(host)->lower_interrupt(line); },
      .dma_read = [](void* host, uint64_t at, void* bytes, size_t count) -> int32_t {
        return static_cast<Device*>(host)->dma_read(at, bytes, count);
      },
      .dma_write = [](void* host, uint64_t at, const void* bytes, size_t count) -> int32_t {
        return static_cast<Device*>(host)->dma_write(at, bytes, count);
      },
      .wake_at = [](void* host, uint64_t time) { static_cast<Device*>(host)->wake_at(time); },
      .now = [](void* host) -> uint64_t { return static_cast<Device*>(host)->machine_.executor().now(); },
      .log = [](void* host, const char* text) { static_cast<Device*>(host)->log(text); },
  };
}

Device::~Device() {
  over_ = true;
  // A machine that does not run any more has abandoned its threads.
  while (waker_ && !waker_gone_ && base::Executor::current()) {
    machine_.executor().unpark(*waker_);
    machine_.executor().yield(base::Point::Yield);
  }
  if (instance_) model_->destroy(instance_);
}

// --- Making ---

base::Result<> Device::power_on() {
  instance_ = with_model([&] { return model_->create(&host_); });
  if (!instance_) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the device model could not make an instance");
  return {};
}

base::Result<> Device::place_bars() {
  for (uint32_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
    const DRYDOCK_DEVICE_BAR& wanted = model_->bars[i];
    bars_[i].device = this;
    bars_[i].index = i;
    if (wanted.kind == DRYDOCK_DEVICE_BAR_NONE) continue;
    bool low = wanted.kind == DRYDOCK_DEVICE_BAR_MEMORY32;
    auto physical =
        machine_.registers().place(low ? kBars32 : kBars64, low ? kBars32End : kBars64End, wanted.size, bars_[i]);
    if (!physical) {
      for (const Bar& placed : bars_) {
        if (placed.range) machine_.registers().remove(placed.range->physical);
      }
      return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no room for the device's registers");
    }
    bars_[i].range = Range{*physical, wanted.size};
  }
  return {};
}

void Device::fill_header() {
  const DRYDOCK_DEVICE_IDENTITY& identity = model_->identity;
  put(header_, kVendor, identity.vendor);
  put(header_, kDevice, identity.device);
  put(header_, kCommand, kMemoryEnabled);
  put(header_, kRevision, identity.revision);
  put(header_, kProgramming, identity.programming_interface);
  put(header_, kSubClass, identity.sub_class);
  put(header_, kBaseClass, identity.base_class);
  put(header_, kSubsystemVendor, identity.subsystem_vendor);
  put(header_, kSubsystem, identity.subsystem);
  if (auto interrupt = line()) {
    put(header_, kInterruptLine, static_cast<uint8_t>(interrupt->vector));
    put(header_, kInterruptPin, uint8_t{1});
  }
  for (uint32_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
    if (!bars_[i].range) continue;
    uint64_t physical = bars_[i].range->physical;
    bool wide = model_->bars[i].kind == DRYDOCK_DEVICE_BAR_MEMORY64;
    put(header_, kBar0 + 4 * i, static_cast<uint32_t>(physical) | (wide ? kIs64Bit : 0));
    if (wide) put(header_, kBar0 + 4 * i + 4, static_cast<uint32_t>(physical >> 32));
  }
}

std::optional<Device::Range> Device::bar(uint32_t index) const {
  return index < bars_.size() ? bars_[index].range : std::nullopt;
}

bool Device::ask_for_memory(Range range, DRYDOCK_DEVICE_MEMORY* memory) {
  // A model that is older than this has a shorter description.
  constexpr size_t kWithMemory = DRYDOCK_DEVICE_MODEL_LEAST + sizeof(model_->bar_memory);
  if (model_->size < kWithMemory || !model_->bar_memory) return false;
  if (range.bytes == 0 || range.physical % base::kPageBytes != 0 || range.bytes % base::kPageBytes != 0) return false;
  for (const Bar& bar : bars_) {
    if (!bar.range || range.physical < bar.range->physical) continue;
    uint64_t offset = range.physical - bar.range->physical;
    if (offset > bar.range->bytes || range.bytes > bar.range->bytes - offset) continue;
    return with_model(
        [&] { return model_->bar_memory(instance_, bar.index, offset, range.bytes, memory) == DRYDOCK_DEVICE_OK; });
  }
  return false;
}

bool Device::has_memory(Range range) { return ask_for_memory(range, nullptr); }

// Pages behind the end of a file can be mapped, and fault when they are touched: so the size is checked here.
std::optional<Device::File> Device::memory(Range range) {
  DRYDOCK_DEVICE_MEMORY memory{-1, 0, 0};
  if (!ask_for_memory(range, &memory)) return std::nullopt;
  struct stat about {};
  bool there = memory.offset % base::kPageBytes == 0 && fstat(memory.file, &about) == 0;
  auto size = static_cast<uint64_t>(about.st_size);
  if (!there || memory.offset > size || range.bytes > size - memory.offset) {
    log("the memory of a bar is not in the file that was told");
    return std::nullopt;
  }
  return File{memory.file, memory.offset};
}

std::optional<InterruptLine> Device::line() const {
  if (model_->interrupt_lines == 0) return std::nullopt;
  return InterruptLine{kFirstVector + slot_, static_cast<KIRQL>(kFirstIrql + slot_ % kIrqls)};
}

// --- Into the model ---

void Device::ask_about_register(const char* verb, uint32_t bar, uint64_t offset, uint32_t width) {
  DeviceWatcher* watcher = watcher_.load(std::memory_order_acquire);
  if (__builtin_expect(!watcher, 1)) return;
  auto objection = watcher->on_register();
  if (!objection) return;
  machine_.report_violation(
      objection->what, fmt::format("a {}-byte register {} at offset 0x{:X} of bar {} of device {}, {}", width, verb,
                                   offset, bar, name(), objection->why));
}

uint64_t Device::mmio_read(uint32_t bar, uint64_t offset, uint32_t width) {
  ask_about_register("read", bar, offset, width);
  return with_model([&] { return model_->mmio_read(instance_, bar, offset, width); });
}

void Device::mmio_write(uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
  ask_about_register("write", bar, offset, width);
  with_model([&] {
    model_->mmio_write(instance_, bar, offset, width, value);
    return true;
  });
}

uint32_t Device::config_read(uint32_t offset, uint32_t width) {
  CHECK(width <= 4 && offset % width == 0 && offset < kConfigBytes);
  uint32_t value = 0;
  if (offset < kHeaderBytes) {
    std::memcpy(&value, header_.data() + offset, width);
  } else if (model_->config_read) {
    value = with_model([&] { return model_->config_read(instance_, offset, width); });
  }
  return value;
}

void Device::config_write(uint32_t offset, uint32_t width, uint32_t value) {
  CHECK(width <= 4 && offset % width == 0 && offset < kConfigBytes);
  if (offset < kHeaderBytes || !model_->config_write) return;
  with_model([&] {
    model_->config_write(instance_, offset, width, value);
    return true;
  });
}

void Device::reset() {
  with_model([&] {
    raised_ = false;
    wake_time_ = base::kForever;
    model_->reset(instance_);
    return true;
  });
}

// --- Out of the model ---

bool Device::known_line(uint32_t line) {
  if (line < model_->interrupt_lines) return true;
  log(fmt::format("interrupt line {} is used, and there is none", line).c_str());
  return false;
}

void Device::raise_interrupt(uint32_t line_index) {
  if (!known_line(line_index) || raised_) return;
  raised_ = true;
  machine_.interrupts().raise(line()->vector);
}

void Device::lower_interrupt(uint32_t line_index) {
  if (known_line(line_index)) raised_ = false;
}

Iommu* Device::iommu() {
  const DEVICE_OBJECT* pdo = pdo_;
  return pdo ? machine_.dma().iommu(pdo) : nullptr;
}

int32_t Device::dma_read(uint64_t address, void* bytes, size_t count) {
  std::optional<Iommu::Fault> fault;
  Iommu* bus = iommu();
  if (bus) {
    fault = bus->read(address, bytes, count);
  } else {
    bool gone = false;
    std::string why = machine_.physical().read(address, bytes, count, &gone);
    if (!why.empty()) fault = Iommu::Fault{Violation::DmaInvalid, std::move(why), {}};
    if (gone) fault = Iommu::gone_memory();
  }
  return dma_done("reads", bus != nullptr, address, count, std::move(fault));
}

int32_t Device::dma_write(uint64_t address, const void* bytes, size_t count) {
  std::optional<Iommu::Fault> fault;
  Iommu* bus = iommu();
  if (bus) {
    fault = bus->write(address, bytes, count);
  } else {
    bool gone = false;
    std::string why = machine_.physical().write(address, bytes, count, &gone);
    if (!why.empty()) fault = Iommu::Fault{Violation::DmaInvalid, std::move(why), {}};
    if (gone) fault = Iommu::gone_memory();
  }
  return dma_done("writes", bus != nullptr, address, count, std::move(fault));
}

int32_t Device::dma_done(const char* verb, bool by_bus, uint64_t address, size_t count,
                         std::optional<Iommu::Fault> fault) {
  DeviceWatcher* watcher = watcher_.load(std::memory_order_acquire);
  auto objection = !fault && watcher ? watcher->on_memory() : std::nullopt;
  if (!fault && !objection) return DRYDOCK_DEVICE_OK;
  Iommu::Fault wrong = fault ? std::move(*fault) : Iommu::Fault{objection->what, objection->why, {}};
  wrong.why = fmt::format("device {} {} {} byte(s) at {} address 0x{:X}, {}", name(), verb, count,
                          by_bus ? "bus" : "physical", address, wrong.why);
  bool answered = objection || wrong.what == Violation::ClientMemoryGone;
  wrong_dma_.push_back(std::move(wrong));
  return answered ? DRYDOCK_DEVICE_OK : DRYDOCK_DEVICE_BAD_ADDRESS;
}

void Device::wake_at(base::TimeNs time) {
  wake_time_ = time;
  if (waker_) {
    machine_.executor().unpark(*waker_);
  } else if (complete_) {
    start_waker();
  }
}

void Device::start_waker() {
  Thread& thread = machine_.create_thread({.name = fmt::format("device {}", model_->name),
                                           .body = [this] { wake_loop(); },
                                           .scope = &machine_.root_scope()});
  waker_ = thread.task;
}

void Device::wake_loop() {
  base::Executor& executor = machine_.executor();
  while (!over_ && !machine_.ending()) {
    // The model may ask for another wake-up during the step. That is a new request, so the old one is cleared first.
    base::TimeNs due = wake_time_;
    if (due == base::kForever || due > executor.now()) {
      executor.park(due, base::Point::Wait);
      continue;
    }
    with_model([&] {
      bool still_due = wake_time_.compare_exchange_strong(due, base::kForever);
      if (still_due && model_->step) model_->step(instance_, executor.now());
      return still_due;
    });
    executor.yield(base::Point::Yield);
  }
  waker_gone_ = true;
}

void Device::log(const char* text) {
  std::string line = fmt::format("device {}: {}", model_->name, text);
  machine_.note(trace::DbgPrint{.text = line});
  machine_.observer().debug_print(line);
}

}  // namespace nt
