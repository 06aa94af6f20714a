// The model as it is shipped: a shared object, on a machine, driven through the functions that drivers call.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "nt/hardware/device.h"
#include "nt/io/device_objects.h"
#include "nt/testing/machine_fixture.h"
#include "testcam/hw/pattern.h"
#include "testcam/proto/testcam_format.h"
#include "testcam/proto/testcam_regs.h"

namespace testcam {
namespace {

constexpr Shape kShape{TESTCAM_FORMAT_NV12, 160, 120};
constexpr ULONG kSlotBytes = 32 * 1024, kSlots = 2;

const nt::DeviceModel& model() {
  static const nt::DeviceModel loaded = nt::DeviceModel::load(TESTCAM_MODEL).take();
  return loaded;
}

class ModelTest : public nt::MachineTest {
 protected:
  void with_device(const std::function<void()>& body) {
    run([&] {
      device = nt::Device::create(machine(), model()).take();
      PHYSICAL_ADDRESS physical;
      physical.QuadPart = static_cast<LONGLONG>(device->bar(TESTCAM_REGISTER_BAR)->physical);
      registers = static_cast<UCHAR*>(MmMapIoSpace(physical, TESTCAM_REGISTER_BAR_BYTES, MmNonCached));
      body();
    });
    EXPECT_EQ(broken(), std::vector<std::string>{});
  }
  volatile ULONG* reg(ULONG offset) { return reinterpret_cast<volatile ULONG*>(registers + offset); }
  void set(ULONG offset, ULONG value) { WRITE_REGISTER_ULONG(reg(TESTCAM_REG_CHANNEL(0) + offset), value); }

  void run_channel(uint64_t ring) {
    set(TESTCAM_CHANNEL_FORMAT, kShape.format);
    set(TESTCAM_CHANNEL_WIDTH, kShape.width);
    set(TESTCAM_CHANNEL_HEIGHT, kShape.height);
    set(TESTCAM_CHANNEL_INTERVAL, TESTCAM_MIN_INTERVAL);
    set(TESTCAM_CHANNEL_SLOT_BYTES, kSlotBytes);
    set(TESTCAM_CHANNEL_RING_BASE, static_cast<ULONG>(ring));
    set(TESTCAM_CHANNEL_RING_BASE + 4, static_cast<ULONG>(ring >> 32));
    set(TESTCAM_CHANNEL_SLOTS, kSlots);
    set(TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
  }
  void connect() {
    nt::InterruptLine line = *device->line();
    ASSERT_EQ(IoConnectInterrupt(&interrupt, &ModelTest::isr, this, nullptr, line.vector, line.irql, line.irql, Latched,
                                 TRUE, 3, FALSE),
              STATUS_SUCCESS);
    WRITE_REGISTER_ULONG(reg(TESTCAM_REG_INT_ENABLE), TESTCAM_INT_ALL);
  }
  static BOOLEAN isr(PKINTERRUPT, PVOID raw) {
    auto& self = *static_cast<ModelTest*>(raw);
    ULONG causes = READ_REGISTER_ULONG(self.reg(TESTCAM_REG_INT_STATUS));
    WRITE_REGISTER_ULONG(self.reg(TESTCAM_REG_INT_ACK), causes);
    self.interrupts += causes != 0;
    return causes != 0;
  }
  static void wait(LONGLONG units) {
    LARGE_INTEGER interval;
    interval.QuadPart = -units;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }

  std::unique_ptr<nt::Device> device;
  UCHAR* registers = nullptr;
  PKINTERRUPT interrupt = nullptr;
  int interrupts = 0;
};

TEST_F(ModelTest, ExportsOneName) {
  void* library = dlopen(TESTCAM_MODEL, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_NE(dlsym(library, "DrydockDeviceModel"), nullptr);
  EXPECT_EQ(dlsym(library, "_ZN7testcam6Camera4stepEm"), nullptr);
  dlclose(library);
}

TEST_F(ModelTest, IsFoundOnTheBus) {
  with_device([&] {
    EXPECT_EQ(device->config_read(0, 4), TESTCAM_PCI_DEVICE << 16 | TESTCAM_PCI_VENDOR);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(TESTCAM_REG_ID)), TESTCAM_ID);
  });
}

TEST_F(ModelTest, WritesPicturesIntoTheMachinesMemory) {
  with_device([&] {
    connect();
    PHYSICAL_ADDRESS any;
    any.QuadPart = -1;
    auto* ring = static_cast<uint8_t*>(MmAllocateContiguousMemory(kSlots * kSlotBytes, any));
    run_channel(static_cast<uint64_t>(MmGetPhysicalAddress(ring).QuadPart));
    wait(2 * TESTCAM_MIN_INTERVAL + TESTCAM_MIN_INTERVAL / 2);
    set(TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_STOP);
    EXPECT_EQ(interrupts, 2);
    for (ULONG i = 0; i < 2; ++i) {
      const uint8_t* at = ring + i * kSlotBytes;
      const auto& head = *reinterpret_cast<const TESTCAM_SLOT*>(at);
      EXPECT_EQ(head.number, i);
      const uint8_t* pixels = at + sizeof(head);
      EXPECT_EQ(std::vector<uint8_t>(pixels, pixels + head.bytes), render({head.number, head.time_ns}, kShape));
    }
    MmFreeContiguousMemory(ring);
    IoDisconnectInterrupt(interrupt);
  });
}

TEST_F(ModelTest, AResetOfTheBusIsPowerOn) {
  with_device([&] {
    WRITE_REGISTER_ULONG(reg(TESTCAM_HOOK_PULL_OUT), 1);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(TESTCAM_REG_ID)), ~0u);
    device->reset();
    EXPECT_EQ(READ_REGISTER_ULONG(reg(TESTCAM_REG_ID)), TESTCAM_ID);
  });
}

}  // namespace
}  // namespace testcam
