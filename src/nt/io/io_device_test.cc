#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

class IoDeviceTest : public MachineTest {
 protected:
  NTSTATUS create(ULONG extension_bytes, const char16_t* name, PDEVICE_OBJECT* device) {
    std::u16string text = name ? name : u"";
    auto bytes = static_cast<USHORT>(text.size() * sizeof(WCHAR));
    UNICODE_STRING string{bytes, bytes, reinterpret_cast<PWCH>(text.data())};
    return IoCreateDevice(&driver, extension_bytes, name ? &string : nullptr, FILE_DEVICE_VIDEO,
                          FILE_DEVICE_SECURE_OPEN, FALSE, device);
  }

  DRIVER_OBJECT driver{};
};

TEST_F(IoDeviceTest, TheObjectIsWhatWasAskedFor) {
  run([&] {
    PDEVICE_OBJECT first = nullptr, second = nullptr;
    ASSERT_EQ(create(40, nullptr, &first), STATUS_SUCCESS);
    ASSERT_EQ(create(0, nullptr, &second), STATUS_SUCCESS);
    EXPECT_EQ(first->Type, 3);
    EXPECT_EQ(first->Size, sizeof(DEVICE_OBJECT) + 40);
    EXPECT_EQ(first->DriverObject, &driver);
    EXPECT_EQ(first->DeviceType, ULONG{FILE_DEVICE_VIDEO});
    EXPECT_EQ(first->Characteristics, ULONG{FILE_DEVICE_SECURE_OPEN});
    EXPECT_EQ(first->Flags, ULONG{DO_DEVICE_INITIALIZING});
    EXPECT_EQ(first->StackSize, 1);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(static_cast<UCHAR*>(first->DeviceExtension)[i], 0);
    EXPECT_EQ(second->DeviceExtension, nullptr);
    EXPECT_EQ(driver.DeviceObject, second);
    EXPECT_EQ(second->NextDevice, first);
    IoDeleteDevice(first);
    EXPECT_EQ(driver.DeviceObject, second);
    EXPECT_EQ(second->NextDevice, nullptr);
    IoDeleteDevice(second);
    EXPECT_EQ(driver.DeviceObject, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDeviceTest, ANameIsTakenUntilItsDeviceGoes) {
  run([&] {
    PDEVICE_OBJECT device = nullptr, other = nullptr;
    ASSERT_EQ(create(0, u"\\Device\\Mill0", &device), STATUS_SUCCESS);
    EXPECT_EQ(create(8, u"\\device\\MILL0", &other), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_EQ(driver.DeviceObject, device);
    IoDeleteDevice(device);
    EXPECT_EQ(create(0, u"\\Device\\Mill0", &other), STATUS_SUCCESS);
    IoDeleteDevice(other);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDeviceTest, WithoutMemoryThereIsNone) {
  run([&] {
    PDEVICE_OBJECT device = nullptr;
    observer.failing_allocations = 1;
    EXPECT_EQ(create(16, nullptr, &device), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(driver.DeviceObject, nullptr);
    EXPECT_EQ(create(16, nullptr, &device), STATUS_SUCCESS);
    IoDeleteDevice(device);
  });
}

TEST_F(IoDeviceTest, DeletingTwiceIsAFinding) {
  observer.then = Then::GoOn;
  run([&] {
    PDEVICE_OBJECT device = nullptr;
    create(0, nullptr, &device);
    IoDeleteDevice(device);
    IoDeleteDevice(device);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"NotInitialised"});
}

TEST_F(IoDeviceTest, ADeviceThatIsLeftIsALeak) {
  observer.then = Then::GoOn;
  run([&] {
    Scope scope(ScopeKind::Driver, "mill", &machine().root_scope());
    machine().self().scope = &scope;
    PDEVICE_OBJECT device = nullptr;
    create(8, nullptr, &device);
    EXPECT_EQ(machine().end_scope(scope), 1u);
    machine().self().scope = &machine().root_scope();
  });
  EXPECT_EQ(observer.violations[0].sentence, "a device object obtained in driver mill was never given back");
}

TEST_F(IoDeviceTest, AnArmedTimerInTheExtensionIsAFinding) {
  observer.then = Then::GoOn;
  run([&] {
    PDEVICE_OBJECT device = nullptr;
    create(sizeof(KTIMER), nullptr, &device);
    auto* timer = static_cast<PKTIMER>(device->DeviceExtension);
    KeInitializeTimer(timer);
    LARGE_INTEGER due;
    due.QuadPart = -10'000'000;
    KeSetTimer(timer, due, nullptr);
    IoDeleteDevice(device);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"FreedLiveTimer"});
}

TEST_F(IoDeviceTest, AReferenceKeepsADeletedDevice) {
  run([&] {
    PDEVICE_OBJECT device = nullptr;
    create(8, nullptr, &device);
    auto address = reinterpret_cast<uintptr_t>(device);
    ObReferenceObject(device);
    IoDeleteDevice(device);
    EXPECT_FALSE(machine().pool().find(address)->freed);
    ObDereferenceObject(device);
    EXPECT_TRUE(machine().pool().find(address)->freed);
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace nt
