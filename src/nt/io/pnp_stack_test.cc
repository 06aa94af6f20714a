#include "nt/io/pnp_stack.h"

#include "nt/hardware/resource_list.h"
#include "nt/io/bus_driver.h"
#include "nt/store/registry.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;
const PnpStack::Identity kIdentity = {u"DRYDOCK\\widget", u"0000", u"A widget", u"System"};

class PnpStackTest : public IrpTest {
 protected:
  // A function driver on the physical device, which passes on what `act` does not answer.
  TestDriver attach(PnpStack& stack, Act act) {
    TestDriver driver = make_driver(std::move(act));
    below_ = IoAttachDeviceToDeviceStack(driver.device, stack.physical());
    EXPECT_EQ(below_, stack.physical());
    return driver;
  }
  NTSTATUS pass_on(IRP& irp) {
    IoSkipCurrentIrpStackLocation(&irp);
    return IoCallDriver(below_, &irp);
  }
  void detach(TestDriver& driver) {
    IoDetachDevice(below_);
    IoDeleteDevice(driver.device);
  }
  static const IO_STACK_LOCATION& at(IRP& irp) { return *IoGetCurrentIrpStackLocation(&irp); }

 private:
  DEVICE_OBJECT* below_ = nullptr;
};

TEST_F(PnpStackTest, RequestsBeginAtTheTopAndEndAtTheBus) {
  run([&] {
    PnpStack stack(machine(), kIdentity);
    EXPECT_FALSE(stack.has_driver());
    std::vector<int> minors;
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) {
      EXPECT_EQ(irp.IoStatus.Status, STATUS_NOT_SUPPORTED) << "what every request begins with";
      minors.push_back(at(irp).MinorFunction);
      return pass_on(irp);
    });
    EXPECT_TRUE(stack.has_driver());
    EXPECT_EQ(stack.start(), STATUS_SUCCESS);
    EXPECT_EQ(stack.pnp(IRP_MN_QUERY_STOP_DEVICE), STATUS_SUCCESS);
    EXPECT_EQ(stack.filter_resource_requirements(), STATUS_NOT_SUPPORTED) << "the bus has nothing to say";
    EXPECT_EQ(stack.query_unknown_interface(), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(minors, (std::vector<int>{IRP_MN_START_DEVICE, IRP_MN_QUERY_STOP_DEVICE,
                                        IRP_MN_FILTER_RESOURCE_REQUIREMENTS, IRP_MN_QUERY_INTERFACE}));
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, StartBringsTheResources) {
  run([&] {
    PnpStack stack(machine());
    const Device::Range range{0xF000'0000, 4096};
    CM_RESOURCE_LIST* resources = make_resource_list(machine(), {&range, 1}, InterruptLine{0x31, 5});
    stack.assign(resources, InterruptLine{0x31, 5});
    EXPECT_EQ(machine().devices().line(stack.physical())->vector, 0x31u);
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) {
      EXPECT_EQ(at(irp).Parameters.StartDevice.AllocatedResourcesTranslated, resources);
      return pass_on(irp);
    });
    EXPECT_EQ(stack.start(), STATUS_SUCCESS);
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, ARequestMayPend) {
  run([&] {
    PnpStack stack(machine());
    IRP* pending = nullptr;
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      pending = &irp;
      return STATUS_PENDING;
    });
    machine().create_thread("completes", [&] {
      machine().executor().sleep_for(1'000'000);
      complete(*pending, STATUS_SUCCESS);
    });
    EXPECT_EQ(stack.device_power(IRP_MN_SET_POWER, PowerDeviceD3), STATUS_SUCCESS);
    EXPECT_NE(pending, nullptr);
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, TheStatusIsThatOfTheCompletedRequest) {
  run([&] {
    PnpStack stack(machine());
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_UNSUCCESSFUL); });
    EXPECT_EQ(stack.start(), STATUS_UNSUCCESSFUL);
    EXPECT_EQ(stack.system_power(IRP_MN_QUERY_POWER, PowerSystemSleeping3), STATUS_UNSUCCESSFUL);
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, TheBusAnswersQueries) {
  run([&] {
    PnpStack stack(machine(), kIdentity);
    DEVICE_CAPABILITIES capabilities{};
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) {
      if (at(irp).MinorFunction != IRP_MN_QUERY_CAPABILITIES) return pass_on(irp);
      DEVICE_CAPABILITIES* asked = at(irp).Parameters.DeviceCapabilities.Capabilities;
      NTSTATUS answered = pass_on(irp);
      capabilities = *asked;
      return answered;
    });
    EXPECT_EQ(stack.query_capabilities(), STATUS_SUCCESS);
    EXPECT_EQ(capabilities.DeviceState[PowerSystemWorking], PowerDeviceD0);
    EXPECT_EQ(capabilities.DeviceState[PowerSystemSleeping3], PowerDeviceD3);
    EXPECT_EQ(stack.query_relations(TargetDeviceRelation), STATUS_SUCCESS);
    EXPECT_EQ(stack.query_relations(BusRelations), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(stack.query_id(BusQueryHardwareIDs), STATUS_SUCCESS);
    EXPECT_EQ(stack.query_id(BusQueryInstanceID), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(stack.wmi(IRP_MN_REGINFO_EX), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(stack.device_power(IRP_MN_QUERY_POWER, PowerDeviceD1), STATUS_SUCCESS);
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, TheDeviceHasPropertiesAndKeys) {
  run([&] {
    PnpStack stack(machine(), kIdentity);
    ULONG needed = 0;
    char16_t id[32] = {};
    EXPECT_EQ(IoGetDeviceProperty(stack.physical(), DevicePropertyHardwareID, sizeof(id), id, &needed), STATUS_SUCCESS);
    EXPECT_EQ(std::u16string(id), kIdentity.hardware_id);
    EXPECT_EQ(needed, (kIdentity.hardware_id.size() + 2) * sizeof(char16_t)) << "a list ends with two terminators";
    GUID bus{};
    EXPECT_EQ(IoGetDeviceProperty(stack.physical(), DevicePropertyBusTypeGuid, sizeof(bus), &bus, &needed),
              STATUS_SUCCESS);
    EXPECT_EQ(bus.Data1, kBusGuid.Data1);
    EXPECT_EQ(machine().registry().device_path(stack.physical(), false),
              u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\System\\0000");
    HANDLE key = nullptr;
    EXPECT_EQ(IoOpenDeviceRegistryKey(stack.physical(), PLUGPLAY_REGKEY_DEVICE, KEY_READ, &key), STATUS_SUCCESS);
    ZwClose(key);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, FilesOpenThroughTheStackAndTheBusDoesNoTransfers) {
  run([&] {
    PnpStack stack(machine());
    std::vector<int> majors;
    TestDriver driver = attach(stack, [&](DEVICE_OBJECT&, IRP& irp) {
      majors.push_back(major_of(irp));
      return pass_on(irp);
    });
    FILE_OBJECT* file = open(*stack.physical());
    IoRequest request(machine());
    char byte = 0;
    EXPECT_EQ(request.start(Files::Transfer{*file, IRP_MJ_READ, &byte, 1, {}, UserMode}),
              STATUS_INVALID_DEVICE_REQUEST);
    EXPECT_TRUE(request.sent());
    machine().files().dereference(*file);
    EXPECT_EQ(majors, (std::vector<int>{IRP_MJ_CREATE, IRP_MJ_READ, IRP_MJ_CLOSE}));
    detach(driver);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(PnpStackTest, RequestsForInformationAreBuffered) {
  run([&] {
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) != IRP_MJ_QUERY_INFORMATION) return complete(irp, STATUS_SUCCESS);
      EXPECT_EQ(at(irp).Parameters.QueryFile.Length, 4u);
      EXPECT_EQ(at(irp).Parameters.QueryFile.FileInformationClass, FileStandardInformation);
      *static_cast<uint32_t*>(irp.AssociatedIrp.SystemBuffer) = 42;
      return complete(irp, STATUS_SUCCESS, 4);
    });
    FILE_OBJECT* file = open(*driver.device);
    IoRequest request(machine());
    uint32_t answer = 0;
    EXPECT_EQ(request.start(
                  Files::Transfer{*file, IRP_MJ_QUERY_INFORMATION, &answer, 4, {}, UserMode, FileStandardInformation}),
              STATUS_SUCCESS);
    EXPECT_EQ(answer, 42u);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace nt
