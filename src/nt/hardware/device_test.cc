#include "nt/hardware/device.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "nt/io/device_objects.h"
#include "nt/testing/machine_fixture.h"

// The sample model: testing/sample_device.c.
namespace nt {
namespace {

constexpr ULONG kTag = 0x74736554;  // "Test"

constexpr ULONG kPeriod = 0x04, kStatus = 0x08, kTicks = 0x0C, kDma = 0x10, kTime = 0x18, kDmaAddress = 0x20,
                kDmaBytes = 0x28;

const DeviceModel& sample() {
  static const DeviceModel model = DeviceModel::load(SAMPLE_DEVICE).take();
  return model;
}

class PrintingObserver : public RecordingObserver {
 public:
  void debug_print(std::string_view text) override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

class DeviceTest : public MachineTest {
 protected:
  // `body` runs with a sample device, whose first bar is mapped.
  void with_device(const std::function<void()>& body) {
    run([&] {
      device = Device::create(machine(), sample()).take();
      registers = map(0);
      body();
    });
  }
  UCHAR* map(uint32_t bar) {
    PHYSICAL_ADDRESS physical;
    physical.QuadPart = static_cast<LONGLONG>(device->bar(bar)->physical);
    return static_cast<UCHAR*>(MmMapIoSpace(physical, device->bar(bar)->bytes, MmNonCached));
  }
  volatile ULONG* reg(ULONG offset) { return reinterpret_cast<volatile ULONG*>(registers + offset); }

  DRYDOCK_DEVICE_MODEL model = *sample();  // to be changed; outlives the device
  std::unique_ptr<Device> device, second;
  UCHAR* registers = nullptr;
};

void wait_ns(uint64_t ns) {
  LARGE_INTEGER interval;
  interval.QuadPart = -static_cast<LONGLONG>(ns / 100);
  KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

TEST_F(DeviceTest, RegistersAreTheModels) {
  with_device([&] {
    EXPECT_EQ(READ_REGISTER_ULONG(reg(0)), 0xB11Au);
    WRITE_REGISTER_ULONG(reg(kPeriod), 500);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(kPeriod)), 500u);
    auto* memory = reinterpret_cast<volatile ULONG64*>(map(2));
    WRITE_REGISTER_ULONG64(memory + 9, 0x0102030405060708);
    EXPECT_EQ(READ_REGISTER_UCHAR(reinterpret_cast<volatile UCHAR*>(memory + 9)), 8);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DeviceTest, BarsLieWhereTheirKindSays) {
  with_device([&] {
    EXPECT_EQ(device->bar(0)->physical, 0xF000'0000u);
    EXPECT_FALSE(device->bar(1));
    EXPECT_GE(device->bar(2)->physical, uint64_t{1} << 32);
    EXPECT_EQ(device->bar(2)->bytes, 8192u);
    EXPECT_FALSE(device->bar(6));
    second = Device::create(machine(), sample(), 1).take();
    EXPECT_EQ(second->bar(0)->physical, 0xF000'1000u);
    EXPECT_NE(second->line()->vector, device->line()->vector);
  });
}

TEST_F(DeviceTest, ConfigurationSpaceHasIdsClassAndBars) {
  with_device([&] {
    EXPECT_EQ(device->config_read(0x00, 4), 0x5678'1234u);
    EXPECT_EQ(device->config_read(0x08, 4), 0x0380'0107u);
    EXPECT_EQ(device->config_read(0x10, 4), device->bar(0)->physical);
    EXPECT_EQ(device->config_read(0x18, 4), static_cast<uint32_t>(device->bar(2)->physical) | 4);
    EXPECT_EQ(device->config_read(0x1C, 4), device->bar(2)->physical >> 32);
    EXPECT_EQ(device->config_read(0x2E, 2), 0xDEF0u);
    EXPECT_EQ(device->config_read(0x3D, 1), 1u);
    device->config_write(0x00, 2, 0xFFFF);
    EXPECT_EQ(device->config_read(0x00, 2), 0x1234u);
    device->config_write(0x40, 4, 77);
    EXPECT_EQ(device->config_read(0x40, 4), 77u);
    device->reset();
    EXPECT_EQ(device->config_read(0x40, 4), 0u);
  });
}

TEST_F(DeviceTest, StepsComeAtTheTimeThatWasAskedFor) {
  with_device([&] {
    wait_ns(1'000'000);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(kTicks)), 0u);
    WRITE_REGISTER_ULONG(reg(kPeriod), 1'000'000);
    wait_ns(10'500'000);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(kTicks)), 10u);
    WRITE_REGISTER_ULONG(reg(kPeriod), 0);
    wait_ns(10'000'000);
    EXPECT_EQ(READ_REGISTER_ULONG(reg(kTicks)), 10u);
    EXPECT_GE(READ_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(reg(kTime))), 21'500'000u);
  });
  EXPECT_TRUE(broken().empty());
}

struct Isr {
  volatile ULONG* status;
  bool clears = true;
  int calls = 0;

  static BOOLEAN routine(PKINTERRUPT, PVOID raw) {
    auto& self = *static_cast<Isr*>(raw);
    ++self.calls;
    if (!(READ_REGISTER_ULONG(self.status) & 1)) return FALSE;
    if (self.clears) WRITE_REGISTER_ULONG(self.status, 1);
    return TRUE;
  }
};

TEST_F(DeviceTest, EachTickInterrupts) {
  with_device([&] {
    Isr isr{reg(kStatus)};
    PKINTERRUPT interrupt = nullptr;
    InterruptLine line = *device->line();
    ASSERT_EQ(IoConnectInterrupt(&interrupt, &Isr::routine, &isr, nullptr, line.vector, line.irql, line.irql, Latched,
                                 TRUE, 3, FALSE),
              STATUS_SUCCESS);
    WRITE_REGISTER_ULONG(reg(kPeriod), 1'000'000);
    wait_ns(5'500'000);
    EXPECT_EQ(isr.calls, 5);
    isr.clears = false;  // the line stays up: no further step from low to high
    wait_ns(5'000'000);
    EXPECT_EQ(isr.calls, 6);
    IoDisconnectInterrupt(interrupt);
  });
  EXPECT_TRUE(broken().empty());
}

// --- DMA ---

constexpr ULONG kDmaRead = 1, kDmaWrite = 2, kBadAddress = 2;

class DmaTest : public DeviceTest {
 protected:
  // What the device says of a transfer between its memory and `physical`.
  ULONG transfer(ULONG command, uint64_t physical, ULONG bytes) {
    WRITE_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(reg(kDmaAddress)), physical);
    WRITE_REGISTER_ULONG(reg(kDmaBytes), bytes);
    WRITE_REGISTER_ULONG(reg(kDma), command);
    return READ_REGISTER_ULONG(reg(kDma));
  }
  static uint64_t physical(void* address) { return static_cast<uint64_t>(MmGetPhysicalAddress(address).QuadPart); }
  static void* contiguous(size_t bytes) {
    PHYSICAL_ADDRESS any;
    any.QuadPart = -1;
    return MmAllocateContiguousMemory(bytes, any);
  }
};

TEST_F(DmaTest, ReadsAndWritesContiguousMemory) {
  with_device([&] {
    auto* buffer = static_cast<unsigned char*>(contiguous(3 * PAGE_SIZE));
    for (size_t i = 0; i < 3 * PAGE_SIZE; ++i) buffer[i] = static_cast<unsigned char>(i / 7);
    EXPECT_EQ(transfer(kDmaRead, physical(buffer) + 100, 2 * PAGE_SIZE), 0u);
    RtlZeroMemory(buffer, 3 * PAGE_SIZE);
    EXPECT_EQ(transfer(kDmaWrite, physical(buffer), 2 * PAGE_SIZE), 0u);
    for (size_t i = 0; i < 2 * PAGE_SIZE; ++i) ASSERT_EQ(buffer[i], static_cast<unsigned char>((i + 100) / 7));
    EXPECT_EQ(buffer[2 * PAGE_SIZE], 0);
    MmFreeContiguousMemory(buffer);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaTest, AFreedBlockIsOutOfReach) {
  observer.then = Then::GoOn;
  with_device([&] {
    void* buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag);
    uint64_t address = physical(buffer);
    EXPECT_EQ(transfer(kDmaWrite, address, 64), 0u);
    ExFreePool(buffer);
    EXPECT_EQ(transfer(kDmaWrite, address, 64), kBadAddress);
  });
  ASSERT_EQ(broken(), std::vector<std::string>{"DmaInvalid"});
  EXPECT_NE(observer.violations[0].sentence.find("device sample writes 64 byte(s) at physical address 0x4"),
            std::string::npos)
      << observer.violations[0].sentence;
  EXPECT_NE(
      observer.violations[0].sentence.find("which lies in the 64-byte pool block 1 with tag 'Test' that was freed"),
      std::string::npos)
      << observer.violations[0].sentence;
}

TEST_F(DmaTest, ATransferPastItsBlockMovesNothing) {
  observer.then = Then::GoOn;
  with_device([&] {
    auto* buffer = static_cast<unsigned char*>(contiguous(PAGE_SIZE));
    RtlFillMemory(buffer, PAGE_SIZE, 9);
    EXPECT_EQ(transfer(kDmaWrite, physical(buffer), PAGE_SIZE + 1), kBadAddress);
    EXPECT_EQ(buffer[0], 9);
    MmFreeContiguousMemory(buffer);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaInvalid"});
}

TEST_F(DmaTest, WhatIsNoMemoryIsOutOfReach) {
  observer.then = Then::GoOn;
  with_device([&] {
    EXPECT_EQ(transfer(kDmaRead, 0x1000, 1), kBadAddress);       // firmware's
    EXPECT_EQ(transfer(kDmaRead, 0xF000'0000, 4), kBadAddress);  // a device's
    EXPECT_EQ(transfer(kDmaRead, ~uint64_t{0}, 4), kBadAddress);
  });
  EXPECT_EQ(broken().size(), 3u);
}

// Pages that are neighbours in pool are none in physical memory.
TEST_F(DmaTest, PoolIsNotContiguous) {
  observer.then = Then::GoOn;
  with_device([&] {
    auto* buffer = static_cast<unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 2 * PAGE_SIZE, kTag));
    EXPECT_NE(physical(buffer) + PAGE_SIZE, physical(buffer + PAGE_SIZE));
    EXPECT_EQ(transfer(kDmaWrite, physical(buffer), 2 * PAGE_SIZE), kBadAddress);
    ExFreePool(buffer);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaInvalid"});
}

TEST_F(DmaTest, AClientsBufferIsReachedWhileItIsLocked) {
  observer.then = Then::GoOn;
  std::vector<unsigned char> buffer(100, 7);
  with_device([&] {
    PMDL mdl = IoAllocateMdl(buffer.data(), 100, FALSE, FALSE, nullptr);
    MmProbeAndLockPages(mdl, UserMode, IoWriteAccess);
    uint64_t address = MmGetMdlPfnArray(mdl)[0] * PAGE_SIZE + MmGetMdlByteOffset(mdl);
    ULONG bytes = std::min<ULONG>(100, PAGE_SIZE - MmGetMdlByteOffset(mdl));
    EXPECT_EQ(transfer(kDmaWrite, address, bytes), 0u);
    EXPECT_EQ(buffer[0], 0);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    EXPECT_EQ(transfer(kDmaWrite, address, bytes), kBadAddress);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaInvalid"});
}

TEST_F(DeviceTest, WhatAModelLogsIsRecorded) {
  PrintingObserver printing;
  Machine own(options, printing, writer);
  own.run([&] { device = Device::create(own, sample()).take(); });
  EXPECT_EQ(printing.lines, std::vector<std::string>{"device sample: powered on"});
}

// --- Bars that are memory ---

struct MemoryAsked {
  uint32_t bar;
  uint64_t offset, bytes;
  bool only_asked;
  bool operator==(const MemoryAsked&) const = default;
};
std::vector<MemoryAsked> memory_asked;

// Bar 2 is memory, in a file behind its first page.
int memory_file() {
  static const int file = [] {
    int made = memfd_create("bar", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(made, 4096 + 8192), 0);
    return made;
  }();
  return file;
}
int32_t bar_memory(DRYDOCK_DEVICE*, uint32_t bar, uint64_t offset, uint64_t bytes, DRYDOCK_DEVICE_MEMORY* memory) {
  memory_asked.push_back({bar, offset, bytes, memory == nullptr});
  if (bar != 2) return DRYDOCK_DEVICE_UNAVAILABLE;
  if (memory) *memory = {memory_file(), 0, 4096 + offset};
  return DRYDOCK_DEVICE_OK;
}

TEST_F(DeviceTest, MemoryOfABarIsWhereTheModelSays) {
  model.bar_memory = &bar_memory;
  memory_asked.clear();
  run([&] {
    device = Device::create(machine(), DeviceModel::of(model).take()).take();
    uint64_t at = device->bar(2)->physical;
    EXPECT_TRUE(device->has_memory({at, 8192}));
    auto file = device->memory({at + 4096, 4096});
    ASSERT_TRUE(file);
    EXPECT_EQ(file->descriptor, memory_file());
    EXPECT_EQ(file->offset, 8192u);
    EXPECT_FALSE(device->has_memory(*device->bar(0)));
    EXPECT_EQ(memory_asked, (std::vector<MemoryAsked>{{2, 0, 8192, true}, {2, 4096, 4096, false}, {0, 0, 4096, true}}));
  });
}

TEST_F(DeviceTest, WhatIsNotAPartOfOneBarIsNoMemory) {
  model.bar_memory = &bar_memory;
  memory_asked.clear();
  run([&] {
    device = Device::create(machine(), DeviceModel::of(model).take()).take();
    uint64_t at = device->bar(2)->physical;
    EXPECT_FALSE(device->has_memory({at, 0}));
    EXPECT_FALSE(device->has_memory({at, 100}));
    EXPECT_FALSE(device->has_memory({at + 8, 4096}));
    EXPECT_FALSE(device->has_memory({at + 4096, 8192}));
    EXPECT_FALSE(device->has_memory({at + 8192, 4096}));
    EXPECT_FALSE(device->has_memory({UINT64_MAX - 4095, 4096}));
    EXPECT_TRUE(memory_asked.empty());
  });
}

// The function lies behind the end of its description.
TEST_F(DeviceTest, AModelThatIsOlderThanMemoryHasNone) {
  model.bar_memory = &bar_memory;
  model.size = DRYDOCK_DEVICE_MODEL_LEAST;
  memory_asked.clear();
  run([&] {
    device = Device::create(machine(), DeviceModel::of(model).take()).take();
    EXPECT_FALSE(device->has_memory(*device->bar(2)));
    EXPECT_FALSE(device->memory(*device->bar(2)));
    EXPECT_TRUE(memory_asked.empty());
  });
}

TEST_F(DeviceTest, AModelThatNamesTheWrongFileHasNoMemory) {
  static DRYDOCK_DEVICE_MEMORY told;
  model.bar_memory = [](DRYDOCK_DEVICE*, uint32_t, uint64_t, uint64_t, DRYDOCK_DEVICE_MEMORY* memory) -> int32_t {
    if (memory) *memory = told;
    return DRYDOCK_DEVICE_OK;
  };
  run([&] {
    device = Device::create(machine(), DeviceModel::of(model).take()).take();
    EXPECT_TRUE(device->has_memory(*device->bar(2)));
    for (DRYDOCK_DEVICE_MEMORY each : {DRYDOCK_DEVICE_MEMORY{-1, 0, 0},
                                       {memory_file(), 0, 8},
                                       {memory_file(), 0, 8192},
                                       {memory_file(), 0, uint64_t{1} << 63}}) {
      told = each;
      EXPECT_FALSE(device->memory(*device->bar(2))) << each.file << " at " << each.offset;
    }
    told = {memory_file(), 0, 4096};
    EXPECT_TRUE(device->memory(*device->bar(2)));
  });
}

// --- Models that are wrong ---

std::string refusal(const std::function<void(DRYDOCK_DEVICE_MODEL&)>& spoil) {
  DRYDOCK_DEVICE_MODEL model = *sample();
  spoil(model);
  std::string message;
  bool accepted = DeviceModel::of(model, &message).ok();
  EXPECT_EQ(accepted, message.empty());
  return message;
}

TEST(DeviceModel, IsRefusedWithAReason) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_NE(refusal([](auto& m) { m.version = 2; }).find("version 2"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.size -= 16; }).find("bytes, and needs"), std::string::npos);
  EXPECT_EQ(refusal([](auto& m) { m.size -= 8; }), "");  // an older model
  EXPECT_EQ(refusal([](auto& m) { m.size += 8; }), "");  // a newer model
  EXPECT_NE(refusal([](auto& m) { m.name = ""; }).find("no name"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.reset = nullptr; }).find("reset is missing"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.mmio_read = nullptr; }).find("mmio_read"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.interrupt_lines = 2; }).find("2 interrupt lines"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.bars[0].size = 0x3000; }).find("bar 0 has a size of 0x3000"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.bars[0].size = 16; }).find("not within"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.bars[0].size = uint64_t{1} << 31; }).find("not within"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.bars[1].kind = 9; }).find("kind 9"), std::string::npos);
  EXPECT_NE(refusal([](auto& m) { m.bars[3] = m.bars[0]; }).find("bar 2 has 64 bits"), std::string::npos);
}

TEST(DeviceModel, AFileThatIsNoneIsRefusedByName) {
  std::string message;
  EXPECT_FALSE(DeviceModel::load("/no/such/model.so", &message).ok());
  EXPECT_NE(message.find("/no/such/model.so"), std::string::npos);
  Dl_info libc;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &libc), 0);
  EXPECT_FALSE(DeviceModel::load(libc.dli_fname, &message).ok());
  EXPECT_NE(message.find("exports no function DrydockDeviceModel"), std::string::npos) << message;
}

TEST_F(DeviceTest, AModelThatMakesNoInstanceIsAFailure) {
  model.create = [](const DRYDOCK_DEVICE_HOST*) -> DRYDOCK_DEVICE* { return nullptr; };
  DeviceModel wrong = DeviceModel::of(model).take();
  run([&] { EXPECT_EQ(Device::create(machine(), wrong).status(), STATUS_INSUFFICIENT_RESOURCES); });
}

TEST_F(DeviceTest, WhenThereIsNoRoomNothingStaysBehind) {
  for (size_t i : {0, 1}) model.bars[i] = {uint64_t{1} << 28, DRYDOCK_DEVICE_BAR_MEMORY32, 0};
  DeviceModel large = DeviceModel::of(model).take();
  run([&] {
    EXPECT_EQ(Device::create(machine(), large).status(), STATUS_INSUFFICIENT_RESOURCES);
    device = Device::create(machine(), sample()).take();
    EXPECT_EQ(device->bar(0)->physical, 0xF000'0000u);
  });
}

}  // namespace
}  // namespace nt
