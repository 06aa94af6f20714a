#include <cstring>

#include "nt/io/device_names.h"
#include "nt/io/device_objects.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;
constexpr GUID kClass = {0x65e8773d, 0x8f56, 0x11d0, {0xa3, 0xb9, 0x00, 0xa0, 0xc9, 0x22, 0x31, 0x96}};

UNICODE_STRING counted(std::u16string& text) {
  auto bytes = static_cast<USHORT>(text.size() * 2);
  return {bytes, bytes, reinterpret_cast<PWSTR>(text.data())};
}
std::u16string text_of(const UNICODE_STRING& string) { return {string.Buffer, string.Buffer + string.Length / 2}; }

class DeviceStackTest : public IrpTest {
 protected:
  DEVICE_OBJECT* make_named(DRIVER_OBJECT& driver, std::u16string name) {
    UNICODE_STRING string = counted(name);
    DEVICE_OBJECT* device = nullptr;
    EXPECT_EQ(IoCreateDevice(&driver, sizeof(Extension*), &string, FILE_DEVICE_UNKNOWN, 0, FALSE, &device), 0);
    return device;
  }
};

TEST_F(DeviceStackTest, AttachesToTheTop) {
  run([&] {
    TestDriver bottom = make_driver(succeeds()), middle = make_driver(succeeds()), top = make_driver(succeeds());
    bottom.device->AlignmentRequirement = 7;
    EXPECT_EQ(IoAttachDeviceToDeviceStack(middle.device, bottom.device), bottom.device);
    EXPECT_EQ(IoAttachDeviceToDeviceStack(top.device, bottom.device), middle.device);
    EXPECT_EQ(top.device->StackSize, 3);
    EXPECT_EQ(top.device->AlignmentRequirement, 7u);
    EXPECT_EQ(IoGetAttachedDeviceReference(bottom.device), top.device);
    ObDereferenceObject(top.device);
    IoDetachDevice(middle.device);
    EXPECT_EQ(machine().devices().top(*bottom.device), middle.device);
    DEVICE_OBJECT none{};
    EXPECT_EQ(IoAttachDeviceToDeviceStack(top.device, &none), nullptr);
    IoDetachDevice(bottom.device);
    for (const TestDriver& driver : {top, middle, bottom}) IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(DeviceStackTest, LinksLeadToDevices) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    std::u16string link = u"\\DosDevices\\Camera", target = u"\\Device\\Camera0";
    UNICODE_STRING link_string = counted(link), target_string = counted(target);
    EXPECT_EQ(IoCreateSymbolicLink(&link_string, &target_string), STATUS_SUCCESS);
    EXPECT_EQ(IoCreateSymbolicLink(&link_string, &target_string), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_EQ(machine().device_names().find(link).status(), STATUS_OBJECT_NAME_NOT_FOUND);
    DEVICE_OBJECT* device = make_named(*driver.object, target);
    auto found = machine().device_names().find(u"\\DOSDEVICES\\camera\\a\\b");
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().device, device);
    EXPECT_EQ(found.value().rest, u"\\a\\b");
    EXPECT_EQ(machine().device_names().find(u"\\Device\\Camera0").value().rest, u"");
    EXPECT_FALSE(machine().device_names().find(u"\\Device\\Camera01").ok());
    EXPECT_EQ(IoDeleteSymbolicLink(&link_string), STATUS_SUCCESS);
    EXPECT_EQ(IoDeleteSymbolicLink(&link_string), STATUS_OBJECT_NAME_NOT_FOUND);
    IoDeleteDevice(device);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(DeviceStackTest, ALinkThatIsLeftIsLeaked) {
  observer.then = Then::GoOn;
  run([&] {
    Scope scope(ScopeKind::Driver, "camera", nullptr);
    machine().self().scope = &scope;
    std::u16string link = u"\\DosDevices\\Camera", kept = u"\\DosDevices\\Kept", target = u"\\Device\\Camera0";
    UNICODE_STRING link_string = counted(link), kept_string = counted(kept), target_string = counted(target);
    EXPECT_EQ(IoCreateSymbolicLink(&link_string, &target_string), STATUS_SUCCESS);
    EXPECT_EQ(IoCreateSymbolicLink(&kept_string, &target_string), STATUS_SUCCESS);
    EXPECT_EQ(IoDeleteSymbolicLink(&link_string), STATUS_SUCCESS);
    machine().self().scope = &machine().root_scope();
    machine().end_scope(scope);
    EXPECT_EQ(IoDeleteSymbolicLink(&kept_string), STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{"Leak"});
  EXPECT_EQ(observer.violations.at(0).sentence, "a symbolic link obtained in driver camera was never given back");
}

TEST_F(DeviceStackTest, ADeviceObjectPointerComesWithAFile) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    std::vector<int> majors;
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      majors.push_back(major_of(irp));
      return complete(irp, STATUS_SUCCESS);
    });
    std::u16string name = u"\\Device\\Named";
    DEVICE_OBJECT* named = make_named(*driver.object, name);
    IoAttachDeviceToDeviceStack(driver.device, named);
    UNICODE_STRING string = counted(name);
    PFILE_OBJECT file = nullptr;
    PDEVICE_OBJECT top = nullptr;
    ASSERT_EQ(IoGetDeviceObjectPointer(&string, GENERIC_READ, &file, &top), STATUS_SUCCESS);
    EXPECT_EQ(top, driver.device);
    EXPECT_EQ(file->DeviceObject, named);
    ObDereferenceObject(file);
    EXPECT_EQ(majors, (std::vector<int>{IRP_MJ_CREATE, IRP_MJ_CLOSE}));
    name.back() = u'x';
    EXPECT_EQ(IoGetDeviceObjectPointer(&string, GENERIC_READ, &file, &top), STATUS_OBJECT_NAME_NOT_FOUND);
    IoDetachDevice(named);
    IoDeleteDevice(named);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(DeviceStackTest, InterfacesAreRegisteredEnabledAndOpened) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    std::u16string reference = u"GLOBAL";
    UNICODE_STRING reference_string = counted(reference), link{};
    EXPECT_EQ(IoRegisterDeviceInterface(driver.device, &kClass, &reference_string, &link), STATUS_SUCCESS);
    UNICODE_STRING again{};
    EXPECT_EQ(IoRegisterDeviceInterface(driver.device, &kClass, &reference_string, &again), STATUS_OBJECT_NAME_EXISTS);
    EXPECT_EQ(text_of(again), text_of(link));
    std::u16string name = text_of(link);
    EXPECT_TRUE(machine().device_names().enabled_interfaces(kClass).empty());
    EXPECT_FALSE(machine().device_names().find(name).ok());
    EXPECT_EQ(IoSetDeviceInterfaceState(&link, FALSE), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(IoSetDeviceInterfaceState(&link, TRUE), STATUS_SUCCESS);
    EXPECT_EQ(IoSetDeviceInterfaceState(&link, TRUE), STATUS_OBJECT_NAME_EXISTS);
    EXPECT_EQ(machine().device_names().enabled_interfaces(kClass), std::vector<std::u16string>{name});
    auto found = machine().device_names().find(name + u"\\{pin}");
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().device, driver.device);
    EXPECT_EQ(found.value().rest, u"\\GLOBAL\\{pin}");
    EXPECT_EQ(IoSetDeviceInterfaceState(&link, FALSE), STATUS_SUCCESS);
    EXPECT_FALSE(machine().device_names().find(name).ok());
    std::u16string wrong = u"a\\b";
    UNICODE_STRING wrong_string = counted(wrong), none{};
    EXPECT_EQ(IoRegisterDeviceInterface(driver.device, &kClass, &wrong_string, &none), STATUS_INVALID_DEVICE_REQUEST);
    RtlFreeUnicodeString(&link);
    RtlFreeUnicodeString(&again);
    IoDeleteDevice(driver.device);
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(DeviceStackTest, PropertiesAreWhatWasSet) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    machine().devices().set_property(*driver.device, DevicePropertyBusNumber, {1, 0, 0, 0});
    ULONG value = 0, needed = 0;
    EXPECT_EQ(IoGetDeviceProperty(driver.device, DevicePropertyBusNumber, sizeof(value), &value, &needed),
              STATUS_SUCCESS);
    EXPECT_EQ(value, 1u);
    EXPECT_EQ(IoGetDeviceProperty(driver.device, DevicePropertyBusNumber, 2, &value, &needed), STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(needed, 4u);
    EXPECT_EQ(IoGetDeviceProperty(driver.device, DevicePropertyAddress, 4, &value, &needed),
              STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(IoGetDeviceProperty(nullptr, DevicePropertyAddress, 4, &value, &needed), STATUS_INVALID_DEVICE_REQUEST);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Power ---

TEST_F(DeviceStackTest, PowerRequestsGoToTheTopAndComeBack) {
  run([&] {
    TestDriver bottom = make_driver([&](DEVICE_OBJECT& device, IRP& irp) {
      IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(&irp);
      EXPECT_EQ(location.MinorFunction, IRP_MN_SET_POWER);
      EXPECT_EQ(irp.IoStatus.Status, STATUS_NOT_SUPPORTED);
      POWER_STATE before = PoSetPowerState(&device, DevicePowerState, location.Parameters.Power.State);
      EXPECT_EQ(before.DeviceState, PowerDeviceUnspecified);
      PoStartNextPowerIrp(&irp);
      return complete(irp, STATUS_SUCCESS);
    });
    TestDriver top = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      IoSkipCurrentIrpStackLocation(&irp);
      return PoCallDriver(bottom.device, &irp);
    });
    IoAttachDeviceToDeviceStack(top.device, bottom.device);
    struct Seen {
      POWER_STATE state;
      NTSTATUS status;
    } seen{};
    POWER_STATE wanted;
    wanted.DeviceState = PowerDeviceD3;
    auto routine = [](PDEVICE_OBJECT, UCHAR, POWER_STATE state, PVOID context, PIO_STATUS_BLOCK status_block) {
      *static_cast<Seen*>(context) = {state, status_block->Status};
    };
    EXPECT_EQ(PoRequestPowerIrp(bottom.device, IRP_MN_SET_POWER, wanted, routine, &seen, nullptr), STATUS_PENDING);
    EXPECT_EQ(seen.state.DeviceState, PowerDeviceD3);
    EXPECT_EQ(seen.status, STATUS_SUCCESS);
    EXPECT_EQ(PoRequestPowerIrp(bottom.device, IRP_MN_POWER_SEQUENCE, wanted, routine, &seen, nullptr),
              STATUS_INVALID_PARAMETER_2);
    IoDetachDevice(bottom.device);
    IoDeleteDevice(top.device);
    IoDeleteDevice(bottom.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(DeviceStackTest, APageableDeviceGetsItsPowerRequestAtPassiveLevel) {
  for (bool pageable : {false, true}) {
    KIRQL seen = 0xFF;
    run([&] {
      TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
        seen = KeGetCurrentIrql();
        return complete(irp, STATUS_SUCCESS);
      });
      if (pageable) driver.device->Flags |= DO_POWER_PAGABLE;
      KEVENT done;
      KeInitializeEvent(&done, NotificationEvent, FALSE);
      auto routine = [](PDEVICE_OBJECT, UCHAR, POWER_STATE, PVOID context, PIO_STATUS_BLOCK) {
        KeSetEvent(static_cast<PKEVENT>(context), IO_NO_INCREMENT, FALSE);
      };
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      EXPECT_EQ(
          PoRequestPowerIrp(driver.device, IRP_MN_SET_POWER, {.DeviceState = PowerDeviceD0}, routine, &done, nullptr),
          STATUS_PENDING);
      KeLowerIrql(old);
      KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr);
      IoDeleteDevice(driver.device);
    });
    EXPECT_EQ(seen, pageable ? PASSIVE_LEVEL : DISPATCH_LEVEL);
  }
  EXPECT_EQ(broken(), Names{});
}

// --- Deleting ---

TEST_F(DeviceStackTest, ADeviceIsDetachedBeforeItIsDeleted) {
  observer.then = Then::GoOn;
  run([&] {
    auto act = [](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_SUCCESS); };
    TestDriver bottom = make_driver(act), top = make_driver(act), other = make_driver(act);
    IoAttachDeviceToDeviceStack(top.device, bottom.device);
    IoDeleteDevice(top.device);
    // The stack is as if it had been detached.
    EXPECT_EQ(IoGetAttachedDeviceReference(bottom.device), bottom.device);
    ObDereferenceObject(bottom.device);
    // A device that is deleted below another stays until the other is detached.
    IoAttachDeviceToDeviceStack(other.device, bottom.device);
    IoDeleteDevice(bottom.device);
    EXPECT_EQ(bottom.device->AttachedDevice, other.device);
    IoDetachDevice(bottom.device);
    IoDeleteDevice(other.device);
  });
  ASSERT_EQ(broken(), Names{"DeviceAttached"});
  EXPECT_EQ(observer.violations[0].stacks.at(1).role, "attached");
}

}  // namespace
}  // namespace nt
