// Cancel-safe queues. Pages: wdm/nf-wdm-iocsqinitialize, nf-wdm-iocsqinsertirpex, nf-wdm-iocsqremoveirp, …
//
// The driver owns the queue and its lock. The code here keeps removal and cancellation apart: the thread that takes the
// cancel routine out of an IRP owns the IRP. DriverContext[3] of the IRP points to the queue, as documented.
#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/io/irps.h"

using nt::call_back;
using nt::Fn;
using nt::KernelEntry;
using nt::Machine;

namespace {

PVOID& link_of(PIRP irp) { return irp->Tail.Overlay.DriverContext[3]; }

// Both structures that the link can lead to begin with their type.
PIO_CSQ_IRP_CONTEXT context_of(PIRP irp) {
  auto* type = static_cast<ULONG*>(link_of(irp));
  return type && *type == IO_TYPE_CSQ_IRP_CONTEXT ? static_cast<PIO_CSQ_IRP_CONTEXT>(link_of(irp)) : nullptr;
}

PIO_CSQ queue_of(PIRP irp) {
  PIO_CSQ_IRP_CONTEXT context = context_of(irp);
  return context ? context->Csq : static_cast<PIO_CSQ>(link_of(irp));
}

void forget_link(PIRP irp) {
  if (PIO_CSQ_IRP_CONTEXT context = context_of(irp)) context->Irp = nullptr;
  link_of(irp) = nullptr;
}

void take_out(PIO_CSQ queue, PIRP irp) {
  call_back(queue->CsqRemoveIrp, queue, irp);
  forget_link(irp);
}

// The cancel routine of every IRP in such a queue: called with the cancel spin lock held.
VOID cancel_queued(PDEVICE_OBJECT, PIRP irp) {
  Machine& machine = *Machine::current();
  machine.irps().release_cancel_lock(irp->CancelIrql);
  PIO_CSQ queue = queue_of(irp);
  nt::DriverCall call(machine, "CsqCompleteCanceledIrp");
  KIRQL irql = PASSIVE_LEVEL;
  call_back(queue->CsqAcquireLock, queue, &irql);
  take_out(queue, irp);
  call_back(queue->CsqReleaseLock, queue, irql);
  call_back(queue->CsqCompleteCanceledIrp, queue, irp);
}

NTSTATUS initialise(PIO_CSQ queue, ULONG type, PIO_CSQ_INSERT_IRP insert, PIO_CSQ_REMOVE_IRP remove,
                    PIO_CSQ_PEEK_NEXT_IRP peek, PIO_CSQ_ACQUIRE_LOCK acquire, PIO_CSQ_RELEASE_LOCK release,
                    PIO_CSQ_COMPLETE_CANCELED_IRP complete) {
  *queue = {type, insert, remove, peek, acquire, release, complete, nullptr};
  return STATUS_SUCCESS;
}

// With the queue's lock held. A failure is the driver's refusal.
NTSTATUS put_in(PIO_CSQ queue, PIRP irp, PVOID insert_context) {
  if (queue->Type != IO_TYPE_CSQ_EX) {
    call_back(queue->CsqInsertIrp, queue, irp);
    return STATUS_SUCCESS;
  }
  // The two forms of the routine share a member, as IoCsqInitializeEx fills it.
  auto* insert = reinterpret_cast<PIO_CSQ_INSERT_IRP_EX>(reinterpret_cast<void*>(queue->CsqInsertIrp));
  return call_back(insert, queue, irp, insert_context);
}

NTSTATUS insert_irp(KernelEntry& call, PIO_CSQ queue, PIRP irp, PIO_CSQ_IRP_CONTEXT context, PVOID insert_context) {
  call.machine().irps().own_routine(&cancel_queued);
  if (context) *context = {IO_TYPE_CSQ_IRP_CONTEXT, irp, queue};
  link_of(irp) = context ? static_cast<PVOID>(context) : queue;
  KIRQL irql = PASSIVE_LEVEL;
  call_back(queue->CsqAcquireLock, queue, &irql);
  NTSTATUS status = put_in(queue, irp, insert_context);
  if (!NT_SUCCESS(status)) {
    forget_link(irp);
    call_back(queue->CsqReleaseLock, queue, irql);
    return status;
  }
  IoMarkIrpPending(irp);
  IoSetCancelRoutine(irp, &cancel_queued);
  // Cancelled before the routine was set: the IRP is ours if no thread has taken the routine since.
  bool cancelled = irp->Cancel && IoSetCancelRoutine(irp, nullptr);
  if (cancelled) take_out(queue, irp);
  call_back(queue->CsqReleaseLock, queue, irql);
  if (cancelled) call_back(queue->CsqCompleteCanceledIrp, queue, irp);
  return status;
}

}  // namespace

extern "C" {

NTSTATUS IoCsqInitialize(PIO_CSQ queue, PIO_CSQ_INSERT_IRP insert, PIO_CSQ_REMOVE_IRP remove,
                         PIO_CSQ_PEEK_NEXT_IRP peek, PIO_CSQ_ACQUIRE_LOCK acquire, PIO_CSQ_RELEASE_LOCK release,
                         PIO_CSQ_COMPLETE_CANCELED_IRP complete) {
  KernelEntry call{Fn::IoCsqInitialize};
  return initialise(queue, IO_TYPE_CSQ, insert, remove, peek, acquire, release, complete);
}

NTSTATUS IoCsqInitializeEx(PIO_CSQ queue, PIO_CSQ_INSERT_IRP_EX insert, PIO_CSQ_REMOVE_IRP remove,
                           PIO_CSQ_PEEK_NEXT_IRP peek, PIO_CSQ_ACQUIRE_LOCK acquire, PIO_CSQ_RELEASE_LOCK release,
                           PIO_CSQ_COMPLETE_CANCELED_IRP complete) {
  KernelEntry call{Fn::IoCsqInitializeEx};
  auto* plain = reinterpret_cast<PIO_CSQ_INSERT_IRP>(reinterpret_cast<void*>(insert));
  return initialise(queue, IO_TYPE_CSQ_EX, plain, remove, peek, acquire, release, complete);
}

VOID IoCsqInsertIrp(PIO_CSQ queue, PIRP irp, PIO_CSQ_IRP_CONTEXT context) {
  KernelEntry call{Fn::IoCsqInsertIrp};
  insert_irp(call, queue, irp, context, nullptr);
}

NTSTATUS IoCsqInsertIrpEx(PIO_CSQ queue, PIRP irp, PIO_CSQ_IRP_CONTEXT context, PVOID insert_context) {
  KernelEntry call{Fn::IoCsqInsertIrpEx};
  return insert_irp(call, queue, irp, context, insert_context);
}

PIRP IoCsqRemoveIrp(PIO_CSQ queue, PIO_CSQ_IRP_CONTEXT context) {
  KernelEntry call{Fn::IoCsqRemoveIrp};
  KIRQL irql = PASSIVE_LEVEL;
  call_back(queue->CsqAcquireLock, queue, &irql);
  PIRP irp = context->Irp;
  if (irp && !IoSetCancelRoutine(irp, nullptr)) irp = nullptr;  // being cancelled
  if (irp) take_out(queue, irp);
  call_back(queue->CsqReleaseLock, queue, irql);
  return irp;
}

PIRP IoCsqRemoveNextIrp(PIO_CSQ queue, PVOID peek_context) {
  KernelEntry call{Fn::IoCsqRemoveNextIrp};
  KIRQL irql = PASSIVE_LEVEL;
  call_back(queue->CsqAcquireLock, queue, &irql);
  PIRP irp = call_back(queue->CsqPeekNextIrp, queue, static_cast<PIRP>(nullptr), peek_context);
  while (irp && !IoSetCancelRoutine(irp, nullptr)) irp = call_back(queue->CsqPeekNextIrp, queue, irp, peek_context);
  if (irp) take_out(queue, irp);
  call_back(queue->CsqReleaseLock, queue, irql);
  return irp;
}

}  // extern "C"
