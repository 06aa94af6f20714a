#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "nt/io/file_objects.h"
#include "nt/io/io_request.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {

// For tests: a driver with one device, whose dispatch routines do what the test says.
class IrpTest : public MachineTest {
 protected:
  using Act = std::function<NTSTATUS(DEVICE_OBJECT&, IRP&)>;

  // A driver and a device of it, in the machine's memory. Inside of run().
  struct TestDriver {
    DRIVER_OBJECT* object = nullptr;
    DEVICE_OBJECT* device = nullptr;
  };
  struct Extension {
    Act act;
  };

  TestDriver make_driver(Act act, ULONG flags = 0) {
    TestDriver made;
    void* memory = machine().pool().allocate(sizeof(DRIVER_OBJECT), 0, PoolKind::Internal, PoolFill::Zero);
    made.object = new (memory) DRIVER_OBJECT{};
    for (PDRIVER_DISPATCH& entry : made.object->MajorFunction) entry = &dispatch;
    EXPECT_EQ(IoCreateDevice(made.object, sizeof(Extension*), nullptr, FILE_DEVICE_UNKNOWN, 0, FALSE, &made.device), 0);
    made.device->Flags |= flags;
    extensions_.push_back(std::make_unique<Extension>(Extension{std::move(act)}));
    *static_cast<Extension**>(made.device->DeviceExtension) = extensions_.back().get();
    return made;
  }
  static void set_act(DEVICE_OBJECT& device, Act act) { extension(device).act = std::move(act); }

  static NTSTATUS complete(IRP& irp, NTSTATUS status, ULONG_PTR information = 0) {
    irp.IoStatus.Status = status;
    irp.IoStatus.Information = information;
    IoCompleteRequest(&irp, IO_NO_INCREMENT);
    return status;
  }
  // Completes everything at once.
  static Act succeeds() {
    return [](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_SUCCESS); };
  }

  FILE_OBJECT* open(DEVICE_OBJECT& device, std::u16string_view name = {}) {
    auto opened = machine().files().open({device, nullptr, name, GENERIC_READ, UserMode});
    EXPECT_TRUE(opened.ok());
    return opened.take();
  }
  NTSTATUS control(FILE_OBJECT& file, ULONG code, void* in = nullptr, ULONG in_bytes = 0, void* out = nullptr,
                   ULONG out_bytes = 0) {
    return machine().files().control({file, code, in, in_bytes, out, out_bytes, UserMode}, status);
  }

  static UCHAR major_of(IRP& irp) { return IoGetCurrentIrpStackLocation(&irp)->MajorFunction; }
  static ULONG code_of(IRP& irp) {
    return IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode;
  }

  IO_STATUS_BLOCK status{};

 private:
  static Extension& extension(DEVICE_OBJECT& device) { return **static_cast<Extension**>(device.DeviceExtension); }
  static NTSTATUS dispatch(PDEVICE_OBJECT device, PIRP irp) { return extension(*device).act(*device, *irp); }

  std::vector<std::unique_ptr<Extension>> extensions_;
};

inline constexpr ULONG control_code(ULONG method, ULONG function = 0x800) {
  return CTL_CODE(ULONG{FILE_DEVICE_UNKNOWN}, function, method, ULONG{FILE_ANY_ACCESS});
}

}  // namespace nt
