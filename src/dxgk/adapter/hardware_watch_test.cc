#include "dxgk/adapter/hardware_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/testing/client_fixture.h"
#include "nt/boundary/driver_call.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kTarget = 0x0, kGo = 0x8;

// A device with two registers: the address of a word, and one that makes it read the word.
struct Reader {
  const DRYDOCK_DEVICE_HOST* host;
  uint64_t target = 0;
  uint32_t word = 0;

  static Reader& of(DRYDOCK_DEVICE* device) { return *reinterpret_cast<Reader*>(device); }
  static DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* host) {
    return reinterpret_cast<DRYDOCK_DEVICE*>(new Reader{host});
  }
  static void destroy(DRYDOCK_DEVICE* device) { delete &of(device); }
  static void reset(DRYDOCK_DEVICE* device) { of(device) = Reader{of(device).host}; }
  static uint64_t read(DRYDOCK_DEVICE* device, uint32_t, uint64_t, uint32_t) { return of(device).word; }
  static void write(DRYDOCK_DEVICE* device, uint32_t, uint64_t offset, uint32_t, uint64_t value) {
    Reader& self = of(device);
    if (offset == kTarget) {
      self.target = value;
    } else {
      self.host->dma_read(self.host->host, self.target, &self.word, sizeof(self.word));
    }
  }
};

const nt::DeviceModel& reader() {
  static const DRYDOCK_DEVICE_MODEL description = {
      .size = sizeof(DRYDOCK_DEVICE_MODEL),
      .version = DRYDOCK_DEVICE_VERSION,
      .name = "reader",
      .identity = {},
      .bars = {{.size = 4096, .kind = DRYDOCK_DEVICE_BAR_MEMORY32, .reserved = 0}},
      .interrupt_lines = 0,
      .reserved = 0,
      .create = &Reader::create,
      .destroy = &Reader::destroy,
      .reset = &Reader::reset,
      .mmio_read = &Reader::read,
      .mmio_write = &Reader::write,
      .config_read = nullptr,
      .config_write = nullptr,
      .step = nullptr,
      .bar_memory = nullptr,
  };
  static const nt::DeviceModel model = nt::DeviceModel::of(description).take();
  return model;
}

class HardwareWatchTest : public testing::ClientTest {
 protected:
  HardwareWatchTest() { observer.then = nt::Then::GoOn; }

  // `body` runs with the device mapped and knowing a word of memory.
  void with_device(const std::function<void()>& body) {
    run([&] {
      device = nt::Device::create(machine(), reader()).take();
      map();
      PHYSICAL_ADDRESS highest;
      highest.QuadPart = MAXLONGLONG;
      void* memory = MmAllocateContiguousMemory(4096, highest);
      WRITE_REGISTER_ULONG64(at(kTarget), static_cast<ULONG64>(MmGetPhysicalAddress(memory).QuadPart));
      body();
      device->set_watcher(nullptr);
      MmFreeContiguousMemory(memory);
      MmUnmapIoSpace(registers, 4096);
    });
  }
  void map() {
    PHYSICAL_ADDRESS physical;
    physical.QuadPart = static_cast<LONGLONG>(device->bar(0)->physical);
    registers = static_cast<UCHAR*>(MmMapIoSpace(physical, 4096, MmNonCached));
  }
  volatile ULONG64* at(uint64_t offset) { return reinterpret_cast<volatile ULONG64*>(registers + offset); }
  // As the driver would, in one of its functions.
  void touch(const char* routine = "DxgkDdiStopDevice") {
    nt::DriverCall call(machine(), routine);
    static_cast<void>(READ_REGISTER_ULONG64(at(kTarget)));
  }

  HardwareWatch watch;
  std::unique_ptr<nt::Device> device;
  UCHAR* registers = nullptr;
};

TEST_F(HardwareWatchTest, AccessOutsideOfTheCleanUpIsNoFinding) {
  with_device([&] {
    touch();
    WRITE_REGISTER_ULONG64(at(kGo), 1);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Only a function of the driver's, on the thread that cleans up, and no interrupt that comes meanwhile.
TEST_F(HardwareWatchTest, TR02_TheCleanUpLeavesTheRegistersAlone) {
  with_device([&] {
    watch.begin_cleanup(*device);
    static_cast<void>(READ_REGISTER_ULONG64(at(kTarget)));  // not from a function of the driver
    machine().raise_irql(DISPATCH_LEVEL);
    touch();
    machine().lower_irql(PASSIVE_LEVEL);
    EXPECT_THAT(broken(), IsEmpty());
    touch();
    watch.end_cleanup(*device);
    touch();
  });
  ASSERT_THAT(broken(), ElementsAre("CleanupTouchesDevice"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("register read at offset 0x0 of bar 0 of device reader"));
}

TEST_F(HardwareWatchTest, TR01_TheDeviceLeavesMemoryAlone) {
  with_device([&] {
    watch.begin_cleanup(*device);
    WRITE_REGISTER_ULONG64(at(kGo), 1);
    watch.end_cleanup(*device);
    WRITE_REGISTER_ULONG64(at(kGo), 1);
  });
  ASSERT_THAT(broken(), ElementsAre("ResetStillWorks"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("after DxgkDdiResetFromTimeout had returned"));
}

TEST_F(HardwareWatchTest, SR01_WhatHasGoneIsNotTouched) {
  with_device([&] {
    watch.gone(*device);
    watch.begin_cleanup(*device);  // of a reset that came too late
    watch.end_cleanup(*device);
    touch("work item");  // may have begun before
    EXPECT_THAT(broken(), IsEmpty());
    touch();
    machine().raise_irql(DISPATCH_LEVEL);
    touch();
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_THAT(broken(), ElementsAre("RegisterAfterRemoval", "RegisterAfterRemoval"));
}

}  // namespace
}  // namespace dxgk
