#include "nt/io/pnp_stack.h"

#include <atomic>
#include <utility>
#include <vector>

#include "nt/ex/object_references.h"
#include "nt/io/bus_driver.h"
#include "nt/io/irps.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "nt/store/registry.h"

namespace nt {
namespace {

// A request under way. Its IRP comes back to the sender through take_back(), on any thread.
struct Sent {
  enum class State : uint8_t { Away, Awaited, Back };
  std::atomic<State> state{State::Away};
  base::Executor* executor;
  base::Task* sender;
};

NTSTATUS take_back(DEVICE_OBJECT*, IRP*, void* raw) {
  auto& sent = *static_cast<Sent*>(raw);
  base::Executor* executor = sent.executor;  // once it is back the sender may go on
  base::Task* sender = sent.sender;
  if (sent.state.exchange(Sent::State::Back, std::memory_order_acq_rel) == Sent::State::Awaited) {
    executor->unpark(*sender);
  }
  return STATUS_MORE_PROCESSING_REQUIRED;
}

void await(Machine& machine, Sent& sent, IRP& irp) {
  if (sent.state.exchange(Sent::State::Awaited, std::memory_order_acq_rel) == Sent::State::Back) return;
  RequestWaits::Wait wait(machine.irps().waits(), &irp);
  machine.executor().park_until([&] { return sent.state.load(std::memory_order_acquire) == Sent::State::Back; },
                                base::Point::Wait);
}

std::vector<uint8_t> bytes_of(const void* data, size_t bytes) {
  const auto* first = static_cast<const uint8_t*>(data);
  return {first, first + bytes};
}

std::vector<uint8_t> string_value(const std::u16string& text) {
  return bytes_of(text.c_str(), (text.size() + 1) * sizeof(char16_t));
}

// Two terminators: a list with one string in it.
std::vector<uint8_t> list_value(std::u16string text) {
  text.push_back(u'\0');
  return string_value(text);
}

template <typename T>
std::vector<uint8_t> value_of(const T& value) {
  return bytes_of(&value, sizeof(value));
}

}  // namespace

// --- The device on its bus ---

PnpStack::PnpStack(Machine& machine, const Identity* identity) : machine_(machine) {
  machine.irps().own_routine(&take_back);
  auto made = machine.devices().create({make_bus_driver(machine), 0, {}, FILE_DEVICE_BUS_EXTENDER, 0, false});
  if (!made.ok()) return;
  physical_ = made.take();
  physical_->Flags |= DO_BUS_ENUMERATED_DEVICE;
  if (identity) describe(*identity);
}

PnpStack::~PnpStack() { remove_physical(); }

void PnpStack::remove_physical() {
  if (physical_) machine_.devices().remove(std::exchange(physical_, nullptr));
}

void PnpStack::assign(CM_RESOURCE_LIST* resources, std::optional<InterruptLine> line) {
  resources_ = resources;
  if (physical_ && line) machine_.devices().assign_line(*physical_, *line);
}

void PnpStack::describe(const Identity& identity) {
  const std::u16string control = u"\\Registry\\Machine\\System\\CurrentControlSet\\";
  const std::u16string driver_key = identity.device_class + u"\\" + identity.instance;
  std::u16string hardware = control + u"Enum\\" + identity.hardware_id + u"\\" + identity.instance;
  Registry& registry = machine_.registry();
  CHECK(registry.set_string(hardware, u"DeviceDesc", identity.description).ok());
  CHECK(registry.set_string(hardware, u"Driver", driver_key).ok());
  registry.assign_device(physical_, hardware + u"\\Device Parameters", control + u"Control\\Class\\" + driver_key);

  std::u16string enumerator = identity.hardware_id.substr(0, identity.hardware_id.find(u'\\'));
  auto set = [&](DEVICE_REGISTRY_PROPERTY property, std::vector<uint8_t> value) {
    machine_.devices().set_property(*physical_, property, std::move(value));
  };
  set(DevicePropertyDeviceDescription, string_value(identity.description));
  set(DevicePropertyHardwareID, list_value(identity.hardware_id));
  set(DevicePropertyCompatibleIDs, list_value(enumerator + u"\\GENERIC"));
  set(DevicePropertyClassName, string_value(identity.device_class));
  set(DevicePropertyDriverKeyName, string_value(driver_key));
  set(DevicePropertyEnumeratorName, string_value(enumerator));
  set(DevicePropertyBusTypeGuid, value_of(kBusGuid));
  set(DevicePropertyLegacyBusType, value_of(PCIBus));
  set(DevicePropertyBusNumber, value_of(ULONG{0}));
  set(DevicePropertyAddress, value_of(ULONG{0}));
  set(DevicePropertyInstallState, value_of(ULONG{0}));  // InstallStateInstalled
}

// --- Requests ---

// The IRP has a stack location for each device of the stack, and one of the sender's own for the completion routine.
PnpStack::Answer PnpStack::send(UCHAR major, UCHAR minor, const std::function<void(IO_STACK_LOCATION&)>& fill) {
  DEVICE_OBJECT* top = machine_.devices().top(*physical_);
  IRP* irp = machine_.irps().allocate(static_cast<CCHAR>(top->StackSize + 1));
  if (!irp) return {STATUS_INSUFFICIENT_RESOURCES, 0};
  irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
  irp->RequestorMode = KernelMode;
  IoSetNextIrpStackLocation(irp);
  IO_STACK_LOCATION& at = *IoGetNextIrpStackLocation(irp);
  at.MajorFunction = major;
  at.MinorFunction = minor;
  if (fill) fill(at);
  Sent sent;
  sent.executor = &machine_.executor();
  sent.sender = base::Executor::current();
  IoSetCompletionRoutine(irp, take_back, &sent, TRUE, TRUE, TRUE);
  machine_.irps().call(*top, *irp);
  await(machine_, sent, *irp);
  Answer answer{irp->IoStatus.Status, irp->IoStatus.Information};
  machine_.irps().free(*irp);
  return answer;
}

NTSTATUS PnpStack::start() {
  return send(IRP_MJ_PNP, IRP_MN_START_DEVICE,
              [&](IO_STACK_LOCATION& at) {
                at.Parameters.StartDevice.AllocatedResources = resources_;
                at.Parameters.StartDevice.AllocatedResourcesTranslated = resources_;
              })
      .status;
}

NTSTATUS PnpStack::query_capabilities() {
  void* memory = machine_.pool().allocate(sizeof(DEVICE_CAPABILITIES), 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) return STATUS_INSUFFICIENT_RESOURCES;
  auto* capabilities = static_cast<DEVICE_CAPABILITIES*>(memory);
  capabilities->Size = sizeof(DEVICE_CAPABILITIES);
  capabilities->Version = 1;
  capabilities->Address = capabilities->UINumber = ~ULONG{0};  // unknown, as documented
  Answer answer = send(IRP_MJ_PNP, IRP_MN_QUERY_CAPABILITIES,
                       [&](IO_STACK_LOCATION& at) { at.Parameters.DeviceCapabilities.Capabilities = capabilities; });
  machine_.pool().free(memory, 0);
  return answer.status;
}

// A device whose bus reports no requirements: the list is null, as documented.
NTSTATUS PnpStack::filter_resource_requirements() { return pnp(IRP_MN_FILTER_RESOURCE_REQUIREMENTS); }

NTSTATUS PnpStack::query_relations(DEVICE_RELATION_TYPE type) {
  Answer answer = send(IRP_MJ_PNP, IRP_MN_QUERY_DEVICE_RELATIONS,
                       [&](IO_STACK_LOCATION& at) { at.Parameters.QueryDeviceRelations.Type = type; });
  auto* relations = reinterpret_cast<DEVICE_RELATIONS*>(answer.information);
  if (!NT_SUCCESS(answer.status) || !relations) return answer.status;
  for (ULONG i = 0; i < relations->Count; ++i) {
    machine_.references().drop(relations->Objects[i], ObjectReferences::kDefaultTag, "IRP_MN_QUERY_DEVICE_RELATIONS");
  }
  machine_.pool().free(relations, 0);
  return answer.status;
}

NTSTATUS PnpStack::query_id(BUS_QUERY_ID_TYPE type) {
  Answer answer =
      send(IRP_MJ_PNP, IRP_MN_QUERY_ID, [&](IO_STACK_LOCATION& at) { at.Parameters.QueryId.IdType = type; });
  if (NT_SUCCESS(answer.status) && answer.information) {
    machine_.pool().free(reinterpret_cast<void*>(answer.information), 0);
  }
  return answer.status;
}

NTSTATUS PnpStack::query_unknown_interface() {
  static constexpr GUID kUnknown = {0xD0C0D0C0, 0x18A4, 0x4E55, {1, 2, 3, 4, 5, 6, 7, 8}};
  void* memory = machine_.pool().allocate(sizeof(INTERFACE), 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) return STATUS_INSUFFICIENT_RESOURCES;
  Answer answer = send(IRP_MJ_PNP, IRP_MN_QUERY_INTERFACE, [&](IO_STACK_LOCATION& at) {
    at.Parameters.QueryInterface.InterfaceType = &kUnknown;
    at.Parameters.QueryInterface.Size = sizeof(INTERFACE);
    at.Parameters.QueryInterface.Version = 1;
    at.Parameters.QueryInterface.Interface = static_cast<INTERFACE*>(memory);
  });
  machine_.pool().free(memory, 0);
  return answer.status;
}

NTSTATUS PnpStack::device_power(UCHAR minor, DEVICE_POWER_STATE state) {
  return send(IRP_MJ_POWER, minor,
              [&](IO_STACK_LOCATION& at) {
                at.Parameters.Power.Type = DevicePowerState;
                at.Parameters.Power.State.DeviceState = state;
              })
      .status;
}

NTSTATUS PnpStack::system_power(UCHAR minor, SYSTEM_POWER_STATE state) {
  return send(IRP_MJ_POWER, minor,
              [&](IO_STACK_LOCATION& at) {
                at.Parameters.Power.Type = SystemPowerState;
                at.Parameters.Power.State.SystemState = state;
                at.Parameters.Power.ShutdownType = state == PowerSystemWorking ? PowerActionNone : PowerActionSleep;
              })
      .status;
}

NTSTATUS PnpStack::wmi(UCHAR minor) {
  constexpr ULONG kBytes = 256;
  void* memory = machine_.pool().allocate(kBytes, 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) return STATUS_INSUFFICIENT_RESOURCES;
  Answer answer = send(IRP_MJ_SYSTEM_CONTROL, minor, [&](IO_STACK_LOCATION& at) {
    at.Parameters.WMI.ProviderId = reinterpret_cast<ULONG_PTR>(machine_.devices().top(*physical_));
    at.Parameters.WMI.BufferSize = kBytes;
    at.Parameters.WMI.Buffer = memory;
  });
  machine_.pool().free(memory, 0);
  return answer.status;
}

}  // namespace nt
