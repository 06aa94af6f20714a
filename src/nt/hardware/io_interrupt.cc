// Interrupts. Pages: wdm/nf-wdm-ioconnectinterrupt, iointex/nf-iointex-wdmlibioconnectinterruptex,
// wdm/nf-wdm-kesynchronizeexecution, …
#include <fmt/format.h>

#include <algorithm>

#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/ke/irql.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Violation;
using Request = nt::Interrupts::Request;

namespace {

base::Result<> connect(KernelEntry& call, const Request& request, PKINTERRUPT* interrupt) {
  *interrupt = TRY(call.machine().interrupts().connect(request));
  return {};
}

base::Result<> connect_fully_specified(KernelEntry& call,
                                       const IO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS& wanted) {
  if (!wanted.PhysicalDeviceObject)
    return base::Failure(STATUS_INVALID_PARAMETER, "no physical device object is given");
  if (wanted.ProcessorEnableMask == 0) return base::Failure(STATUS_INVALID_PARAMETER_10, "no processor is given");
  return connect(call,
                 {wanted.ServiceRoutine, wanted.ServiceContext, wanted.Vector, wanted.Irql, wanted.SynchronizeIrql,
                  wanted.SpinLock, wanted.ShareVector != FALSE},
                 wanted.InterruptObject);
}

// The system knows the device's line, and runs the routine at its IRQL or at `at_least`. Lines of PCI are shared.
base::Result<> connect_line(KernelEntry& call, PDEVICE_OBJECT device, PKSERVICE_ROUTINE routine, PVOID context,
                            PKSPIN_LOCK lock, KIRQL at_least, PKINTERRUPT* interrupt) {
  if (!device) return base::Failure(STATUS_INVALID_PARAMETER, "no physical device object is given");
  auto line = call.machine().devices().line(device);
  if (!line) return base::Failure(STATUS_NOT_FOUND, "the device has no interrupt");
  return connect(call, {routine, context, line->vector, line->irql, std::max(line->irql, at_least), lock, true},
                 interrupt);
}

// No device has message-signaled interrupts here, so the documented fallback is all there is.
base::Result<> connect_message_based(KernelEntry& call, IO_CONNECT_INTERRUPT_PARAMETERS& parameters) {
  const auto& wanted = parameters.MessageBased;
  if (!wanted.FallBackServiceRoutine) {
    return base::Failure(STATUS_NOT_SUPPORTED,
                         "message-signaled interrupts are not implemented, and no fallback is given");
  }
  TRY(connect_line(call, wanted.PhysicalDeviceObject, wanted.FallBackServiceRoutine, wanted.ServiceContext,
                   wanted.SpinLock, wanted.SynchronizeIrql, wanted.ConnectionContext.InterruptObject));
  parameters.Version = CONNECT_LINE_BASED;
  return {};
}

base::Result<> connect_any(KernelEntry& call, IO_CONNECT_INTERRUPT_PARAMETERS& parameters) {
  switch (parameters.Version) {
    case CONNECT_FULLY_SPECIFIED:
    case CONNECT_FULLY_SPECIFIED_GROUP:
      return connect_fully_specified(call, parameters.FullySpecified);
    case CONNECT_LINE_BASED: {
      const auto& wanted = parameters.LineBased;
      return connect_line(call, wanted.PhysicalDeviceObject, wanted.ServiceRoutine, wanted.ServiceContext,
                          wanted.SpinLock, wanted.SynchronizeIrql, wanted.InterruptObject);
    }
    case CONNECT_MESSAGE_BASED:
      return connect_message_based(call, parameters);
    default:
      return base::Failure(STATUS_INVALID_PARAMETER_1, "an unknown way to connect");
  }
}

NTSTATUS answer(KernelEntry& call, const base::Result<>& result) {
  if (!result.ok()) return nt::refuse(call.machine(), result.failure());
  call.machine().executor().yield(base::Point::Interrupt);  // the line may have been asserted already
  return STATUS_SUCCESS;
}

}  // namespace

extern "C" {

NTSTATUS IoConnectInterrupt(PKINTERRUPT* interrupt, PKSERVICE_ROUTINE routine, PVOID context, PKSPIN_LOCK lock,
                            ULONG vector, KIRQL irql, KIRQL synchronize_irql, KINTERRUPT_MODE, BOOLEAN shared,
                            KAFFINITY processors, BOOLEAN) {
  KernelEntry call{Fn::IoConnectInterrupt};
  if (nt::lacks_resources(Fn::IoConnectInterrupt)) return STATUS_INSUFFICIENT_RESOURCES;
  if (processors == 0) {
    return nt::refuse(call.machine(), base::Failure(STATUS_INVALID_PARAMETER, "no processor is given"));
  }
  return answer(call,
                connect(call, {routine, context, vector, irql, synchronize_irql, lock, shared != FALSE}, interrupt));
}

NTSTATUS IoConnectInterruptEx(PIO_CONNECT_INTERRUPT_PARAMETERS parameters) {
  KernelEntry call{Fn::IoConnectInterruptEx};
  if (nt::lacks_resources(Fn::IoConnectInterruptEx)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, connect_any(call, *parameters));
}

VOID IoDisconnectInterrupt(PKINTERRUPT interrupt) {
  KernelEntry call{Fn::IoDisconnectInterrupt};
  call.machine().interrupts().disconnect(interrupt);
}

VOID IoDisconnectInterruptEx(PIO_DISCONNECT_INTERRUPT_PARAMETERS parameters) {
  KernelEntry call{Fn::IoDisconnectInterruptEx};
  call.machine().interrupts().disconnect(parameters->ConnectionContext.InterruptObject);
}

BOOLEAN KeSynchronizeExecution(PKINTERRUPT interrupt, PKSYNCHRONIZE_ROUTINE routine, PVOID context) {
  KernelEntry call{Fn::KeSynchronizeExecution};
  nt::Interrupts& interrupts = call.machine().interrupts();
  if (!interrupts.connected(interrupt)) {
    call.machine().report_violation(Violation::InterruptMisuse,
                                    "KeSynchronizeExecution was given an interrupt that is not connected");
    return FALSE;
  }
  if (call.thread().irql > interrupt->synchronize_irql) {
    call.machine().report_violation(
        Violation::IrqlTooHigh,
        fmt::format("KeSynchronizeExecution was called at {}, above the interrupt's {}",
                    nt::irql_name(call.thread().irql), nt::irql_name(interrupt->synchronize_irql)));
    return FALSE;
  }
  return interrupts.synchronize(*interrupt, routine, context);
}

}  // extern "C"
