#pragma once

#include <functional>
#include <optional>
#include <string>

#include "abi/km/wdm.h"
#include "nt/io/device_objects.h"

namespace nt {

class Machine;

// One place on a bus: the physical device object, the bus driver's answers below a device stack, and the Plug and Play
// and power managers' requests to the top of that stack. Owned by the code that runs the driver; one thread at a time,
// at PASSIVE_LEVEL.
class PnpStack {
 public:
  // What the registry and IoGetDeviceProperty know of a device.
  struct Identity {
    std::u16string hardware_id;  // "PCI\VEN_…", also the path below Enum
    std::u16string instance;     // "0000"
    std::u16string description;
    std::u16string device_class;  // "System": its driver's key is class\instance
  };

  // A device without a name in the registry.
  explicit PnpStack(Machine& machine) : PnpStack(machine, nullptr) {}
  PnpStack(Machine& machine, const Identity& identity) : PnpStack(machine, &identity) {}
  ~PnpStack();  // remove_physical()
  PnpStack(const PnpStack&) = delete;
  PnpStack& operator=(const PnpStack&) = delete;

  // Null when there was no memory for it, or after remove_physical().
  DEVICE_OBJECT* physical() const { return physical_; }
  bool has_driver() const { return physical_ && physical_->AttachedDevice; }
  // The line and the memory that IRP_MN_START_DEVICE brings. `resources` null: none.
  void assign(CM_RESOURCE_LIST* resources, std::optional<InterruptLine> line);
  // The bus reports that the device is gone: the object is deleted.
  void remove_physical();
  // The stack's owner has another way to delete the object.
  void abandon() { physical_ = nullptr; }

  struct Answer {
    NTSTATUS status;
    ULONG_PTR information;
  };
  // Sends one request to the top of the stack and waits for it, however long it pends.
  Answer send(UCHAR major, UCHAR minor, const std::function<void(IO_STACK_LOCATION&)>& fill = {});

  // --- IRP_MJ_PNP ---
  NTSTATUS pnp(UCHAR minor) { return send(IRP_MJ_PNP, minor).status; }
  NTSTATUS start();
  NTSTATUS query_capabilities();
  NTSTATUS filter_resource_requirements();
  // What a driver returns is given back.
  NTSTATUS query_relations(DEVICE_RELATION_TYPE type);
  NTSTATUS query_id(BUS_QUERY_ID_TYPE type);
  // Asks for an interface that no driver has.
  NTSTATUS query_unknown_interface();

  // --- IRP_MJ_POWER: IRP_MN_QUERY_POWER or IRP_MN_SET_POWER ---
  NTSTATUS device_power(UCHAR minor, DEVICE_POWER_STATE state);
  NTSTATUS system_power(UCHAR minor, SYSTEM_POWER_STATE state);

  // --- IRP_MJ_SYSTEM_CONTROL, for the provider that is the top of the stack ---
  NTSTATUS wmi(UCHAR minor);

 private:
  PnpStack(Machine& machine, const Identity* identity);
  void describe(const Identity& identity);

  Machine& machine_;
  DEVICE_OBJECT* physical_ = nullptr;
  CM_RESOURCE_LIST* resources_ = nullptr;
};

}  // namespace nt
