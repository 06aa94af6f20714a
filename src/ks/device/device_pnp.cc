// Plug and Play and power requests to a device, and the calls to its driver. The device mutex is held during every call
// but Stop and Remove of a device that was never started. Pages: stream/device-mutex-in-avstream,
// ks/ns-ks-_ksdevice_dispatch.
#include <fmt/format.h>

#include "ks/allocator/allocator_registry.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"
#include "nt/io/irps.h"

namespace ks {
namespace {

// The resources that a start assigns and a stop takes away:
// kernel/handling-an-irp-mn-stop-device-request--windows-2000-and-later-. A DMA adapter is not among them, and may
// exist from Add to Remove.
constexpr uint32_t kHardware = nt::kind_bit(nt::ResourceKind::Interrupt) | nt::kind_bit(nt::ResourceKind::IoMapping);

// Stops the completion here: this device goes on with the IRP before the devices above do.
NTSTATUS keep(DEVICE_OBJECT*, IRP*, void*) { return STATUS_MORE_PROCESSING_REQUIRED; }

}  // namespace

template <typename Routine, typename... Args>
NTSTATUS Device::ask(Ddi ddi, Routine KSDEVICE_DISPATCH::*slot, Args&&... args) {
  const KSDEVICE_DISPATCH* dispatch = body_->Descriptor ? body_->Descriptor->Dispatch : nullptr;
  if (!dispatch || !(dispatch->*slot)) return STATUS_SUCCESS;
  if constexpr (std::is_void_v<decltype((dispatch->*slot)(args...))>) {
    call(machine(), ddi, &scope(), dispatch->*slot, std::forward<Args>(args)...);
    return STATUS_SUCCESS;
  } else {
    return call(machine(), ddi, &scope(), dispatch->*slot, std::forward<Args>(args)...);
  }
}

NTSTATUS Device::ask_add() { return ask(Ddi::DeviceAdd, &KSDEVICE_DISPATCH::Add, body_); }

NTSTATUS Device::pass_down(IRP& irp) {
  machine().irps().own_routine(&keep);
  IoCopyCurrentIrpStackLocationToNext(&irp);
  IoSetCompletionRoutine(&irp, keep, nullptr, TRUE, TRUE, TRUE);
  return machine().irps().call(*lower_, irp);
}

NTSTATUS Device::pnp(IRP& irp) {
  UCHAR minor = IoGetCurrentIrpStackLocation(&irp)->MinorFunction;
  if (minor == IRP_MN_START_DEVICE) return start(irp);
  if (minor == IRP_MN_REMOVE_DEVICE) return remove(irp);
  NTSTATUS status = STATUS_SUCCESS;
  {
    Holding holding(mutex_);
    status = tell(minor, irp);
  }
  if (!NT_SUCCESS(status)) return status;
  irp.IoStatus.Status = status;
  return pass_down(irp);
}

// Everything but start and remove.
NTSTATUS Device::tell(UCHAR minor, IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  switch (minor) {
    case IRP_MN_QUERY_STOP_DEVICE:
      return ask(Ddi::DeviceQueryStop, &KSDEVICE_DISPATCH::QueryStop, body_, &irp);
    case IRP_MN_CANCEL_STOP_DEVICE:
      return ask(Ddi::DeviceCancelStop, &KSDEVICE_DISPATCH::CancelStop, body_, &irp);
    case IRP_MN_STOP_DEVICE:
      stop(irp);
      return STATUS_SUCCESS;
    case IRP_MN_QUERY_REMOVE_DEVICE:
      return ask(Ddi::DeviceQueryRemove, &KSDEVICE_DISPATCH::QueryRemove, body_, &irp);
    case IRP_MN_CANCEL_REMOVE_DEVICE:
      return ask(Ddi::DeviceCancelRemove, &KSDEVICE_DISPATCH::CancelRemove, body_, &irp);
    case IRP_MN_SURPRISE_REMOVAL:
      surprise_removal(irp);
      return STATUS_SUCCESS;
    case IRP_MN_QUERY_CAPABILITIES:
      return ask(Ddi::DeviceQueryCapabilities, &KSDEVICE_DISPATCH::QueryCapabilities, body_, &irp,
                 at.Parameters.DeviceCapabilities.Capabilities);
    case IRP_MN_QUERY_INTERFACE:
      if (body_->Descriptor && body_->Descriptor->Version < KSDEVICE_DESCRIPTOR_VERSION) return STATUS_SUCCESS;
      return ask(Ddi::DeviceQueryInterface, &KSDEVICE_DISPATCH::QueryInterface, body_, &irp);
    default:
      return STATUS_SUCCESS;
  }
}

// "Started … is set during the processing of the IRP_MN_START_DEVICE" (ks/ns-ks-_ksdevice). That the driver's routine
// still sees FALSE is observed: the public capture samples make their filters there, if the device is not started yet.
NTSTATUS Device::start(IRP& irp) {
  NTSTATUS status = pass_down(irp);
  if (!NT_SUCCESS(status)) return status;
  Holding holding(mutex_);
  remove_freed_factories();
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  status = ask(Ddi::DeviceStart, &KSDEVICE_DISPATCH::Start, body_, &irp,
               at.Parameters.StartDevice.AllocatedResourcesTranslated, at.Parameters.StartDevice.AllocatedResources);
  if (!NT_SUCCESS(status)) return status;
  body_->Started = TRUE;
  for (const auto& factory : factories_) factory->enable(!factory->freed());
  // On Windows a work item after the request; here the request waits for it, which is one of the orders it could have.
  ask(Ddi::DevicePostStart, &KSDEVICE_DISPATCH::PostStart, body_);
  return STATUS_SUCCESS;
}

void Device::stop(IRP& irp) {
  if (!body_->Started) return;
  ask(Ddi::DeviceStop, &KSDEVICE_DISPATCH::Stop, body_, &irp);
  body_->Started = FALSE;
  for (const auto& factory : factories_) factory->enable(false);
  free_stopped_factories();
  audit_stopped();
}

// Streams cannot go on: clients see their requests come back, and no new ones are taken.
void Device::surprise_removal(IRP& irp) {
  gone_ = true;
  for (const auto& factory : factories_) factory->enable(false);
  ask(Ddi::DeviceSurpriseRemoval, &KSDEVICE_DISPATCH::SurpriseRemoval, body_, &irp);
  for (const auto& factory : factories_) {
    for (Object* filter : factory->children()) static_cast<Filter*>(filter)->device_gone();
  }
  system().allocators().device_gone(*this);
}

void Device::audit_stopped() {
  machine().audit(scope(), nt::Violation::KsLeftAfterStop, kHardware, "was not given back when the device stopped");
}

void Device::audit_removed() {
  constexpr uint32_t kKinds = kHardware | nt::kind_bit(nt::ResourceKind::DmaAdapter);
  machine().audit(scope(), nt::Violation::KsLeftAfterStop, kKinds, "was not given back when the device was removed");
  if (adapter_ && !mappings_) {
    machine().report_violation(
        nt::Violation::KsCommonBufferMapped,
        fmt::format("{} registered a DMA adapter, and no pin of it had KSPIN_FLAG_GENERATE_MAPPINGS", name()),
        {{"registered", adapter_->registered}});
  }
}

NTSTATUS Device::remove(IRP& irp) {
  {
    Holding holding(mutex_);
    gone_ = true;
    stop(irp);
    ask(Ddi::DeviceRemove, &KSDEVICE_DISPATCH::Remove, body_, &irp);
    audit_removed();
  }
  irp.IoStatus.Status = STATUS_SUCCESS;
  NTSTATUS status = pass_down(irp);
  take_down();
  return status;
}

NTSTATUS Device::power(IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  if (at.Parameters.Power.Type != DevicePowerState) {
    irp.IoStatus.Status = STATUS_SUCCESS;
    return pass_down(irp);
  }
  DEVICE_POWER_STATE to = at.Parameters.Power.State.DeviceState, from = body_->DevicePowerState;
  {
    Holding holding(mutex_);
    if (at.MinorFunction == IRP_MN_QUERY_POWER) {
      NTSTATUS status = ask(Ddi::DeviceQueryPower, &KSDEVICE_DISPATCH::QueryPower, body_, &irp, to, from,
                            body_->SystemPowerState, body_->SystemPowerState, PowerActionSleep);
      if (!NT_SUCCESS(status)) return status;
    } else if (at.MinorFunction == IRP_MN_SET_POWER) {
      if (to > PowerDeviceD0) tell_power(to, true);
      ask(Ddi::DeviceSetPower, &KSDEVICE_DISPATCH::SetPower, body_, &irp, to, from);
      body_->DevicePowerState = to;
      if (to == PowerDeviceD0) tell_power(to, false);
    }
  }
  irp.IoStatus.Status = STATUS_SUCCESS;
  return pass_down(irp);
}

// Sleep and wake routines of factories; the device mutex is held, as documented.
void Device::tell_power(DEVICE_POWER_STATE state, bool sleep) {
  for (const auto& factory : factories_) {
    PFNKSFILTERFACTORYPOWER routine = sleep ? factory->sleep() : factory->wake();
    if (routine) call(machine(), Ddi::FactoryPower, &factory->scope(), routine, &**factory, state);
    for (Object* filter : factory->children()) static_cast<Filter*>(filter)->tell_power(state, sleep);
  }
}

}  // namespace ks
