// The model as it is shipped: a shared object, on a machine, driven through the functions that drivers call.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>

#include "nt/hardware/device.h"
#include "nt/io/device_objects.h"
#include "nt/testing/machine_fixture.h"
#include "softgpu/hw/testing/packets.h"
#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

const nt::DeviceModel& model() {
  static const nt::DeviceModel loaded = nt::DeviceModel::load(SOFTGPU_MODEL).take();
  return loaded;
}

// A driver of a few lines, for the copy engine.
class ModelTest : public nt::MachineTest {
 protected:
  void with_device(const std::function<void()>& body) {
    run([&] {
      device = nt::Device::create(machine(), model()).take();
      registers = map(SOFTGPU_REGISTER_BAR);
      memory = map(SOFTGPU_LOCAL_BAR);
      body();
    });
    EXPECT_EQ(broken(), std::vector<std::string>{});
  }
  UCHAR* map(uint32_t bar) {
    PHYSICAL_ADDRESS physical;
    physical.QuadPart = static_cast<LONGLONG>(device->bar(bar)->physical);
    return static_cast<UCHAR*>(MmMapIoSpace(physical, device->bar(bar)->bytes, MmNonCached));
  }
  volatile ULONG* reg(ULONG offset) { return reinterpret_cast<volatile ULONG*>(registers + offset); }
  volatile ULONG64* reg64(ULONG offset) { return reinterpret_cast<volatile ULONG64*>(registers + offset); }
  static ULONG engine(ULONG offset) { return SOFTGPU_REG_ENGINE(SOFTGPU_ENGINE_COPY) + offset; }

  void connect() {
    nt::InterruptLine line = *device->line();
    ASSERT_EQ(IoConnectInterrupt(&interrupt, &ModelTest::isr, this, nullptr, line.vector, line.irql, line.irql, Latched,
                                 TRUE, 3, FALSE),
              STATUS_SUCCESS);
    WRITE_REGISTER_ULONG(reg(SOFTGPU_REG_INT_ENABLE), SOFTGPU_INT_ALL);
  }
  static BOOLEAN isr(PKINTERRUPT, PVOID raw) {
    auto& self = *static_cast<ModelTest*>(raw);
    ULONG causes = READ_REGISTER_ULONG(self.reg(SOFTGPU_REG_INT_STATUS));
    WRITE_REGISTER_ULONG(self.reg(SOFTGPU_REG_INT_ACK), causes);
    self.causes |= causes;
    return causes != 0;
  }
  void start(uint64_t ring, uint64_t fence_address) {
    WRITE_REGISTER_ULONG64(reg64(engine(SOFTGPU_ENGINE_RING_BASE)), ring);
    WRITE_REGISTER_ULONG(reg(engine(SOFTGPU_ENGINE_RING_SIZE)), SOFTGPU_RING_MIN_BYTES);
    WRITE_REGISTER_ULONG64(reg64(engine(SOFTGPU_ENGINE_FENCE_ADDRESS)), fence_address);
    WRITE_REGISTER_ULONG(reg(engine(SOFTGPU_ENGINE_CONTROL)), SOFTGPU_CONTROL_ENABLE);
  }
  static void wait_a_millisecond() {
    LARGE_INTEGER interval;
    interval.QuadPart = -10'000;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }

  std::unique_ptr<nt::Device> device;
  UCHAR* registers = nullptr;
  UCHAR* memory = nullptr;
  PKINTERRUPT interrupt = nullptr;
  ULONG causes = 0;
};

TEST_F(ModelTest, ExportsOneName) {
  void* library = dlopen(SOFTGPU_MODEL, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_NE(dlsym(library, "DrydockDeviceModel"), nullptr);
  EXPECT_EQ(dlsym(library, "_ZN7softgpu6Device4stepEm"), nullptr);
  dlclose(library);
}

TEST_F(ModelTest, IsFoundOnTheBus) {
  with_device([&] {
    EXPECT_EQ(device->config_read(0, 4), SOFTGPU_PCI_DEVICE << 16 | SOFTGPU_PCI_VENDOR);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(SOFTGPU_REG_ID)), SOFTGPU_ID);
    EXPECT_EQ(device->bar(SOFTGPU_LOCAL_BAR)->bytes, SOFTGPU_LOCAL_BYTES);
  });
}

TEST_F(ModelTest, RunsWorkOutOfLocalMemory) {
  with_device([&] {
    connect();
    auto* local_memory = reinterpret_cast<volatile ULONG64*>(memory);
    Qwords packets = row({fill(local(0x8000), 4096, 0x5A5A5A5A), fence(1)});
    for (size_t i = 0; i < packets.size(); ++i) WRITE_REGISTER_ULONG64(local_memory + i, packets[i]);
    start(local(0), local(0x4000));
    WRITE_REGISTER_ULONG(reg(engine(SOFTGPU_ENGINE_RING_TAIL)), static_cast<ULONG>(8 * packets.size()));
    wait_a_millisecond();
    EXPECT_EQ(causes, SOFTGPU_INT_FENCE(SOFTGPU_ENGINE_COPY));
    EXPECT_EQ(READ_REGISTER_ULONG64(local_memory + 0x4000 / 8), 1u);
    EXPECT_EQ(READ_REGISTER_ULONG64(local_memory + 0x8FF8 / 8), 0x5A5A5A5A5A5A5A5Au);
    IoDisconnectInterrupt(interrupt);
  });
}

// A reset loses the content, not the file.
TEST_F(ModelTest, LocalMemoryCanBeMapped) {
  with_device([&] {
    nt::Device::Range range{device->bar(SOFTGPU_LOCAL_BAR)->physical + 0x8000, 4096};
    EXPECT_TRUE(device->has_memory(range));
    EXPECT_FALSE(device->has_memory({device->bar(SOFTGPU_REGISTER_BAR)->physical, 4096}));
    auto file = device->memory(range);
    ASSERT_TRUE(file);
    void* mapped =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor, static_cast<off_t>(file->offset));
    ASSERT_NE(mapped, MAP_FAILED);
    auto& word = *static_cast<volatile ULONG64*>(mapped);
    auto* local_memory = reinterpret_cast<volatile ULONG64*>(memory);
    WRITE_REGISTER_ULONG64(local_memory + 0x8000 / 8, 1);
    EXPECT_EQ(word, 1u);
    device->reset();
    EXPECT_EQ(word, 0xCCCCCCCCCCCCCCCCu);
    word = 2;
    EXPECT_EQ(READ_REGISTER_ULONG64(local_memory + 0x8000 / 8), 2u);
    munmap(mapped, 4096);
  });
}

TEST_F(ModelTest, RunsWorkOutOfTheMachinesMemory) {
  with_device([&] {
    connect();
    PHYSICAL_ADDRESS any;
    any.QuadPart = -1;
    auto* pages = static_cast<uint64_t*>(MmAllocateContiguousMemory(3 * PAGE_SIZE, any));
    uint64_t physical = static_cast<uint64_t>(MmGetPhysicalAddress(pages).QuadPart);
    uint64_t* data = pages + 512;
    data[3] = 0x1122334455667788;
    Qwords packets = row({copy(bus(physical + PAGE_SIZE), local(0), 4096),
                          copy(local(0), bus(physical + 2 * PAGE_SIZE), 4096), fence(9)});
    std::copy(packets.begin(), packets.end(), pages);
    start(bus(physical), bus(physical + PAGE_SIZE + 8));
    WRITE_REGISTER_ULONG(reg(engine(SOFTGPU_ENGINE_RING_TAIL)), static_cast<ULONG>(8 * packets.size()));
    wait_a_millisecond();
    EXPECT_EQ(causes, SOFTGPU_INT_FENCE(SOFTGPU_ENGINE_COPY));
    EXPECT_EQ(data[1], 9u);
    EXPECT_EQ(data[512 + 3], 0x1122334455667788u);
    MmFreeContiguousMemory(pages);
    IoDisconnectInterrupt(interrupt);
  });
}

TEST_F(ModelTest, AResetOfTheBusIsPowerOn) {
  with_device([&] {
    WRITE_REGISTER_ULONG64(reg64(SOFTGPU_REG_SCRATCH), 5);
    WRITE_REGISTER_ULONG(reg(SOFTGPU_HOOK_FEATURES_OFF), SOFTGPU_FEATURE_MMU);
    device->reset();
    EXPECT_EQ(READ_REGISTER_ULONG64(reg64(SOFTGPU_REG_SCRATCH)), 0u);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(SOFTGPU_REG_FEATURES)), SOFTGPU_FEATURES_ALL);
  });
}

}  // namespace
}  // namespace softgpu
