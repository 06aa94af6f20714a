#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "dxgk/testing/graphics_fixture.h"
#include "nt/hardware/registers.h"
#include "nt/io/device_objects.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kPhysical = 0xF000'0000;

class Page final : public nt::RegisterFile {
 public:
  uint64_t read(uint64_t offset, uint32_t) override { return offset; }
  void write(uint64_t, uint32_t, uint64_t) override {}
};

class DeviceCallbacks : public GraphicsTest {
 protected:
  DeviceCallbacks() { hardware.memory = {{kPhysical, 4096}}; }
  void run_with_registers(const std::function<void(Adapter&)>& body) {
    run_started([&](Adapter& adapter) {
      machine().registers().add(kPhysical, 4096, page);
      body(adapter);
    });
  }
  NTSTATUS map(uint64_t physical, ULONG bytes, void** address, MEMORY_CACHING_TYPE cache = MmNonCached) {
    PHYSICAL_ADDRESS start;
    start.QuadPart = static_cast<LONGLONG>(physical);
    return driver.interface.DxgkCbMapMemory(driver.device_handle(), start, bytes, FALSE, FALSE, cache, address);
  }
  NTSTATUS unmap(void* address) { return driver.interface.DxgkCbUnmapMemory(driver.device_handle(), address); }
  Page page;
};

TEST_F(DeviceCallbacks, MapAndUnmapRegisters) {
  run_with_registers([&](Adapter&) {
    void* address = nullptr;
    ASSERT_EQ(map(kPhysical + 0x10, 0x20, &address), STATUS_SUCCESS);
    EXPECT_EQ(READ_REGISTER_ULONG(static_cast<ULONG*>(address)), 0x10u);
    EXPECT_EQ(unmap(address), STATUS_SUCCESS);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The ranges share nothing but the page.
TEST_F(DeviceCallbacks, MapAPageWithOneCachingTypeOnly) {
  observer.then = nt::Then::GoOn;
  run_with_registers([&](Adapter&) {
    void *first = nullptr, *second = nullptr, *third = nullptr;
    EXPECT_EQ(map(kPhysical, 0x20, &first), STATUS_SUCCESS);
    EXPECT_EQ(map(kPhysical + 0x10, 0x20, &second), STATUS_SUCCESS);
    EXPECT_THAT(broken(), IsEmpty());
    EXPECT_EQ(map(kPhysical + 0x800, 0x20, &third, MmWriteCombined), STATUS_SUCCESS);
    for (void* address : {first, second, third}) EXPECT_EQ(unmap(address), STATUS_SUCCESS);
    EXPECT_EQ(map(kPhysical, 0x20, &first, MmWriteCombined), STATUS_SUCCESS);  // what was before does not count
    EXPECT_EQ(unmap(first), STATUS_SUCCESS);
  });
  ASSERT_THAT(broken(), ::testing::ElementsAre("CacheTypeConflict"));
}

TEST_F(DeviceCallbacks, MapNothingButTheAdaptersOwn) {
  run_with_registers([&](Adapter&) {
    void* address = &address;
    EXPECT_EQ(map(kPhysical, 4097, &address), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(map(kPhysical - 1, 1, &address), STATUS_INVALID_PARAMETER);
  });
}

// Observed: after enough of these the device does not start any more.
TEST_F(DeviceCallbacks, UnmappingSomethingElseIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_with_registers([&](Adapter&) {
    void* address = nullptr;
    ASSERT_EQ(map(kPhysical, 64, &address), STATUS_SUCCESS);
    EXPECT_EQ(unmap(static_cast<char*>(address) + 4), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(unmap(address), STATUS_SUCCESS);
    EXPECT_EQ(unmap(address), STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(broken(), ElementsAre("IoSpaceMismatch", "IoSpaceMismatch"));
}

TEST_F(DeviceCallbacks, TellTheResources) {
  hardware.line = nt::InterruptLine{0x41, 6};
  run_started([&](Adapter& adapter) {
    DXGK_DEVICE_INFO info{};
    ASSERT_EQ(driver.interface.DxgkCbGetDeviceInformation(driver.device_handle(), &info), STATUS_SUCCESS);
    EXPECT_EQ(info.MiniportDeviceContext, adapter.context());
    const CM_PARTIAL_RESOURCE_LIST& list = info.TranslatedResourceList->List[0].PartialResourceList;
    ASSERT_EQ(list.Count, 2u);
    EXPECT_EQ(list.PartialDescriptors[0].Type, CmResourceTypeMemory);
    EXPECT_EQ(list.PartialDescriptors[0].u.Memory.Start.QuadPart, static_cast<LONGLONG>(kPhysical));
    EXPECT_EQ(list.PartialDescriptors[0].u.Memory.Length, 4096u);
    EXPECT_EQ(list.PartialDescriptors[1].Type, CmResourceTypeInterrupt);
    EXPECT_EQ(list.PartialDescriptors[1].u.Interrupt.Vector, 0x41u);
    EXPECT_GT(info.DeviceRegistryPath.Length, 0);
  });
}

TEST_F(DeviceCallbacks, AreNotForTheDriversOwnContext) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    DXGK_DEVICE_INFO info{};
    auto ask = driver.interface.DxgkCbGetDeviceInformation;
    EXPECT_EQ(ask(adapter.context(), &info), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ask(nullptr, &info), STATUS_INVALID_PARAMETER);
  });
  ASSERT_THAT(broken(), ElementsAre("CallbackBadHandle", "CallbackBadHandle"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("MiniportDeviceContext"));
}

TEST_F(DeviceCallbacks, JudgeTheirIrql) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter&) {
    DXGK_DEVICE_INFO info{};
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    driver.interface.DxgkCbGetDeviceInformation(driver.device_handle(), &info);
    KeLowerIrql(old);
  });
  ASSERT_THAT(broken(), ElementsAre("CallbackIrql"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("DxgkCbGetDeviceInformation was called at DISPATCH_LEVEL"));
}

TEST_F(DeviceCallbacks, KnowTheFirmwaresPicture) {
  hardware.post_device = true;
  hardware.post_display.Width = 1024;
  run_started([&](Adapter&) {
    DXGK_DISPLAY_INFORMATION info{};
    EXPECT_EQ(driver.interface.DxgkCbAcquirePostDisplayOwnership(driver.device_handle(), &info), STATUS_SUCCESS);
    EXPECT_EQ(info.Width, 1024u);
  });
}

TEST_F(DeviceCallbacks, WithoutAPictureTheWidthIsZero) {
  run_started([&](Adapter&) {
    DXGK_DISPLAY_INFORMATION info{};
    info.Width = 5;
    EXPECT_EQ(driver.interface.DxgkCbAcquirePostDisplayOwnership(driver.device_handle(), &info), STATUS_SUCCESS);
    EXPECT_EQ(info.Width, 0u);
    EXPECT_EQ(info.TargetId, D3DDDI_ID_UNINITIALIZED);
  });
}

TEST_F(DeviceCallbacks, WithoutABusThereIsNothingToRead) {
  run_started([&](Adapter&) {
    uint32_t value = 0;
    ULONG bytes = 9;
    auto read = driver.interface.DxgkCbReadDeviceSpace;
    EXPECT_EQ(read(driver.device_handle(), DXGK_WHICHSPACE_CONFIG, &value, 0, 4, &bytes), STATUS_UNSUCCESSFUL);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(read(driver.device_handle(), DXGK_WHICHSPACE_ROM, &value, 0, 4, &bytes), STATUS_INVALID_PARAMETER);
  });
}

// Every slot of the interface leads somewhere.
TEST_F(DeviceCallbacks, WhatIsNotSupportedSaysSo) {
  run_started([&](Adapter&) {
    auto* slot = reinterpret_cast<void* const*>(&driver.interface.DxgkCbEvalAcpiMethod);
    auto* end =
        reinterpret_cast<void* const*>(reinterpret_cast<const char*>(&driver.interface) + driver.interface.Size);
    for (; slot != end; ++slot) EXPECT_NE(*slot, nullptr);
    EXPECT_EQ(driver.interface.DxgkCbEvalAcpiMethod(driver.device_handle(), 0, nullptr, 0, nullptr, 0),
              STATUS_NOT_SUPPORTED);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// A device of one page whose configuration space keeps one byte behind the header.
DRYDOCK_DEVICE_MODEL one_page_model() {
  DRYDOCK_DEVICE_MODEL model{};
  model.size = sizeof(model);
  model.version = DRYDOCK_DEVICE_VERSION;
  model.name = "test";
  model.identity.vendor = 0x1AF4;
  model.identity.device = 0x1050;
  model.bars[0] = {4096, DRYDOCK_DEVICE_BAR_MEMORY32, 0};
  model.interrupt_lines = 1;
  model.create = [](const DRYDOCK_DEVICE_HOST*) { return reinterpret_cast<DRYDOCK_DEVICE*>(new uint32_t(0)); };
  model.destroy = [](DRYDOCK_DEVICE* device) { delete reinterpret_cast<uint32_t*>(device); };
  model.reset = [](DRYDOCK_DEVICE*) {};
  model.mmio_read = [](DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t) -> uint64_t { return 0; };
  model.mmio_write = [](DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t, uint64_t) {};
  model.config_read = [](DRYDOCK_DEVICE* device, uint32_t offset, uint32_t) -> uint32_t {
    return offset == 64 ? *reinterpret_cast<uint32_t*>(device) : 0;
  };
  model.config_write = [](DRYDOCK_DEVICE* device, uint32_t offset, uint32_t, uint32_t value) {
    if (offset == 64) *reinterpret_cast<uint32_t*>(device) = value;
  };
  return model;
}

// A fuzzer's find: a field of an enumeration was read as one before it was judged.
TEST_F(DeviceCallbacks, EnumerationsMayHoldAnyNumber) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter&) {
    const uint32_t none = 0x40001;
    DXGK_CHILD_STATUS status{};
    std::memcpy(&status.Type, &none, sizeof(none));
    EXPECT_EQ(driver.interface.DxgkCbIndicateChildStatus(driver.device_handle(), &status), STATUS_SUCCESS);
    status.Type = StatusUninitialized;
    EXPECT_EQ(driver.interface.DxgkCbIndicateChildStatus(driver.device_handle(), &status), STATUS_INVALID_PARAMETER);
    DXGKARGCB_GETHANDLEDATA wanted{};
    std::memcpy(&wanted.Type, &none, sizeof(none));
    EXPECT_EQ(driver.interface.DxgkCbGetHandleData(&wanted), nullptr);
    HANDLE release = nullptr;
    EXPECT_EQ(driver.interface.DxgkCbAcquireHandleData(&wanted, &release), nullptr);
    DXGKARGCB_RELEASEHANDLEDATA released{};
    std::memcpy(&released.Type, &none, sizeof(none));
    driver.interface.DxgkCbReleaseHandleData(released);
  });
  EXPECT_THAT(broken(), ElementsAre("HandleDataReleasedTwice"));
}

TEST_F(DeviceCallbacks, ReadAndWriteConfigurationSpace) {
  const DRYDOCK_DEVICE_MODEL description = one_page_model();
  const nt::DeviceModel model = nt::DeviceModel::of(description).take();
  std::unique_ptr<nt::Device> device;  // outlives the run
  run_registered([&] {
    device = nt::Device::create(machine(), model).take();
    hardware = Adapter::Hardware::of(*device);
    ASSERT_EQ(hardware.memory.size(), 1u);
    ASSERT_TRUE(hardware.line);
    ASSERT_TRUE(add_adapter().ok());
    auto read = driver.interface.DxgkCbReadDeviceSpace;
    auto write = driver.interface.DxgkCbWriteDeviceSpace;
    uint8_t bytes[4] = {};
    ULONG done = 0;
    EXPECT_EQ(read(driver.device_handle(), DXGK_WHICHSPACE_CONFIG, bytes, 0, 4, &done), STATUS_SUCCESS);
    EXPECT_EQ(done, 4u);
    EXPECT_THAT(bytes, ElementsAre(0xF4, 0x1A, 0x50, 0x10));
    uint8_t wanted = 0x5A;
    EXPECT_EQ(write(driver.device_handle(), DXGK_WHICHSPACE_CONFIG, &wanted, 64, 1, &done), STATUS_SUCCESS);
    EXPECT_EQ(read(driver.device_handle(), DXGK_WHICHSPACE_CONFIG, bytes, 64, 1, &done), STATUS_SUCCESS);
    EXPECT_EQ(bytes[0], 0x5A);
    EXPECT_EQ(read(driver.device_handle(), DXGK_WHICHSPACE_CONFIG, bytes, 254, 4, &done), STATUS_SUCCESS);
    EXPECT_EQ(done, 2u);  // the space ends there
    kernel().adapters().back()->remove();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
