// IRPs. Pages: wdm/nf-wdm-ioallocateirp, nf-wdm-iofcalldriver, nf-wdm-iocompleterequest, nf-wdm-iocancelirp, …
#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_body.h"
#include "nt/ex/kernel_handles.h"
#include "nt/io/device_objects.h"
#include "nt/io/irp_buffers.h"
#include "nt/io/irps.h"
#include "nt/ke/process.h"
#include "nt/machine/thread.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::Irps;
using nt::KernelEntry;
using nt::Machine;

namespace {

// A completion routine of IoSetCompletionRoutineEx, whose device object is kept until it has run.
struct KeptRoutine {
  DEVICE_OBJECT* device;
  PIO_COMPLETION_ROUTINE routine;
  PVOID context;
  bool on_success, on_error, on_cancel;
};

bool wanted(const KeptRoutine& kept, const IRP& irp) {
  return (irp.Cancel && kept.on_cancel) || (NT_SUCCESS(irp.IoStatus.Status) ? kept.on_success : kept.on_error);
}

NTSTATUS run_kept(PDEVICE_OBJECT device, PIRP irp, PVOID raw) {
  Machine& machine = *Machine::current();
  KeptRoutine kept = *static_cast<KeptRoutine*>(raw);
  machine.pool().free(raw, 0);
  NTSTATUS status = STATUS_SUCCESS;
  if (wanted(kept, *irp)) {
    status = nt::call_driver(machine, "completion routine", nullptr, kept.routine, device, irp, kept.context);
  } else if (irp->PendingReturned && irp->CurrentLocation <= irp->StackCount) {
    IoMarkIrpPending(irp);
  }
  machine.devices().release(kept.device);
  return status;
}

// For the functions that build a request: null when it cannot be built.
PIRP built(Machine& machine, base::Result<IRP*> irp, Irps::End end, PKEVENT event, PIO_STATUS_BLOCK status) {
  if (!irp.ok()) {
    static_cast<void>(nt::refuse(machine, irp.failure()));
    return nullptr;
  }
  IRP* made = irp.take();
  made->UserEvent = event;
  made->UserIosb = status;
  machine.irps().set_end(*made, end);
  machine.irps().track(*made);
  return made;
}

// The observer decides here for the whole request.
bool out_of_memory(Machine& machine) { return machine.fails(nt::FaultKind::Pool, "IoBuildDeviceIoControlRequest"); }

PIRP build_transfer(KernelEntry& call, ULONG major, PDEVICE_OBJECT device, PVOID buffer, ULONG length,
                    PLARGE_INTEGER offset, Irps::End end, PKEVENT event, PIO_STATUS_BLOCK status) {
  Machine& machine = call.machine();
  if (out_of_memory(machine)) return nullptr;
  LARGE_INTEGER from{};
  if (offset) from = *offset;
  return built(machine,
               nt::build_transfer(machine, {*device, static_cast<UCHAR>(major), buffer, length, from, KernelMode}), end,
               event, status);
}

}  // namespace

extern "C" {

PIRP IoAllocateIrp(CCHAR stack_size, BOOLEAN) {
  KernelEntry call{Fn::IoAllocateIrp};
  return call.machine().irps().allocate_for_driver(stack_size);
}

VOID IoFreeIrp(PIRP irp) {
  KernelEntry call{Fn::IoFreeIrp};
  call.machine().irps().free_for_driver(*irp);
}

VOID IoInitializeIrp(PIRP irp, USHORT bytes, CCHAR stack_size) {
  KernelEntry call{Fn::IoInitializeIrp};
  Irps::initialise(*irp, bytes, stack_size);
}

VOID IoReuseIrp(PIRP irp, NTSTATUS status) {
  KernelEntry call{Fn::IoReuseIrp};
  call.machine().irps().reuse(*irp, status);
}

NTSTATUS IofCallDriver(PDEVICE_OBJECT device, PIRP irp) {
  KernelEntry call{Fn::IofCallDriver};
  call.machine().executor().yield(base::Point::Call);
  return call.machine().irps().call(*device, *irp);
}

VOID IofCompleteRequest(PIRP irp, CCHAR boost) {
  KernelEntry call{Fn::IofCompleteRequest};
  call.machine().irps().complete(*irp, boost);
  call.machine().executor().yield(base::Point::Call);
}

BOOLEAN IoCancelIrp(PIRP irp) {
  KernelEntry call{Fn::IoCancelIrp};
  call.machine().executor().yield(base::Point::Call);
  return call.machine().irps().cancel(*irp);
}

VOID IoAcquireCancelSpinLock(PKIRQL irql) {
  KernelEntry call{Fn::IoAcquireCancelSpinLock};
  *irql = call.machine().irps().acquire_cancel_lock();
}

VOID IoReleaseCancelSpinLock(KIRQL irql) {
  KernelEntry call{Fn::IoReleaseCancelSpinLock};
  call.machine().irps().release_cancel_lock(irql);
}

NTSTATUS IoSetCompletionRoutineEx(PDEVICE_OBJECT device, PIRP irp, PIO_COMPLETION_ROUTINE routine, PVOID context,
                                  BOOLEAN on_success, BOOLEAN on_error, BOOLEAN on_cancel) {
  KernelEntry call{Fn::IoSetCompletionRoutineEx};
  Machine& machine = call.machine();
  void* memory = nt::allocate_body(machine, sizeof(KeptRoutine));
  if (!memory) return STATUS_INSUFFICIENT_RESOURCES;
  machine.devices().hold(device);
  auto* kept =
      new (memory) KeptRoutine{device, routine, context, on_success != FALSE, on_error != FALSE, on_cancel != FALSE};
  machine.irps().own_routine(&run_kept);
  IoSetCompletionRoutine(irp, &run_kept, kept, TRUE, TRUE, TRUE);
  return STATUS_SUCCESS;
}

PIRP IoBuildDeviceIoControlRequest(ULONG code, PDEVICE_OBJECT device, PVOID in, ULONG in_bytes, PVOID out,
                                   ULONG out_bytes, BOOLEAN internal, PKEVENT event, PIO_STATUS_BLOCK status) {
  KernelEntry call{Fn::IoBuildDeviceIoControlRequest};
  Machine& machine = call.machine();
  if (out_of_memory(machine)) return nullptr;
  UCHAR major = internal ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
  return built(machine,
               nt::build_control(machine, {*device, nullptr, major, code, in, in_bytes, out, out_bytes, KernelMode}),
               Irps::End::Manager, event, status);
}

PIRP IoBuildSynchronousFsdRequest(ULONG major, PDEVICE_OBJECT device, PVOID buffer, ULONG length, PLARGE_INTEGER offset,
                                  PKEVENT event, PIO_STATUS_BLOCK status) {
  KernelEntry call{Fn::IoBuildSynchronousFsdRequest};
  return build_transfer(call, major, device, buffer, length, offset, Irps::End::Manager, event, status);
}

PIRP IoBuildAsynchronousFsdRequest(ULONG major, PDEVICE_OBJECT device, PVOID buffer, ULONG length,
                                   PLARGE_INTEGER offset, PIO_STATUS_BLOCK status) {
  KernelEntry call{Fn::IoBuildAsynchronousFsdRequest};
  return build_transfer(call, major, device, buffer, length, offset, Irps::End::Driver, nullptr, status);
}

PEPROCESS IoGetRequestorProcess(PIRP irp) {
  KernelEntry call{Fn::IoGetRequestorProcess};
  auto* body = reinterpret_cast<nt::ThreadBody*>(irp->Tail.Overlay.Thread);
  if (!body) return nullptr;
  nt::Process* program = body->thread->process;
  return program ? &program->body() : &call.machine().handles().process();
}

}  // extern "C"
