// DPCs. Pages: wdm/nf-wdm-keinitializedpc, nf-wdm-keinsertqueuedpc, nf-wdm-keflushqueueddpcs, …
#include "nt/boundary/kernel_entry.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/dpc_queues.h"
#include "nt/mm/resident.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Violation;

namespace {

void initialise(KernelEntry& call, KDPC& dpc, nt::DpcType type, PKDEFERRED_ROUTINE routine, void* context) {
  nt::check_resident(call.machine(), &dpc, "a DPC");
  bool queued;
  {
    nt::Dispatcher::Guard guard(call.machine().dispatcher().lock());
    queued = call.machine().dispatcher().live().find(reinterpret_cast<uintptr_t>(&dpc), nt::InUseKind::Dpc) != nullptr;
  }
  if (queued) call.machine().report_violation(Violation::ReinitialisedLive, "KeInitializeDpc of a DPC that is queued");
  dpc = {};
  dpc.Type = static_cast<UCHAR>(type);
  dpc.Importance = MediumImportance;
  dpc.Signature = nt::kDpcSignature;
  dpc.DeferredRoutine = routine;
  dpc.DeferredContext = context;
  dpc.Reserved1[0] = call.machine().dispatcher().next_ordinal();
}

bool known(KernelEntry& call, const KDPC& dpc, const char* sentence) {
  if (dpc.Signature == nt::kDpcSignature) return true;
  call.machine().report_violation(Violation::NotInitialised, sentence);
  return false;
}

}  // namespace

extern "C" {

VOID KeInitializeDpc(PRKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  KernelEntry call{Fn::KeInitializeDpc};
  initialise(call, *dpc, nt::DpcType::Normal, routine, context);
}

VOID KeInitializeThreadedDpc(PRKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  KernelEntry call{Fn::KeInitializeThreadedDpc};
  initialise(call, *dpc, nt::DpcType::Threaded, routine, context);
}

BOOLEAN KeInsertQueueDpc(PRKDPC dpc, PVOID argument1, PVOID argument2) {
  KernelEntry call{Fn::KeInsertQueueDpc};
  if (!known(call, *dpc, "KeInsertQueueDpc was given a DPC that was never initialised")) return FALSE;
  bool inserted = call.machine().dpcs().insert(*dpc, argument1, argument2, call.thread().scope);
  call.machine().executor().yield(base::Point::Dpc);
  return inserted;
}

BOOLEAN KeRemoveQueueDpc(PRKDPC dpc) {
  KernelEntry call{Fn::KeRemoveQueueDpc};
  call.machine().executor().yield(base::Point::Dpc);
  return call.machine().dpcs().remove(*dpc);
}

VOID KeSetImportanceDpc(PRKDPC dpc, KDPC_IMPORTANCE importance) {
  KernelEntry call{Fn::KeSetImportanceDpc};
  dpc->Importance = static_cast<UCHAR>(importance);
}

VOID KeSetTargetProcessorDpc(PRKDPC dpc, CCHAR number) {
  KernelEntry call{Fn::KeSetTargetProcessorDpc};
  auto processor = static_cast<uint32_t>(static_cast<UCHAR>(number));
  if (processor < call.machine().executor().processor_count()) dpc->Number = static_cast<USHORT>(processor + 1);
}

NTSTATUS KeSetTargetProcessorDpcEx(PKDPC dpc, PPROCESSOR_NUMBER number) {
  KernelEntry call{Fn::KeSetTargetProcessorDpcEx};
  if (number->Group != 0 || number->Number >= call.machine().executor().processor_count()) {
    return STATUS_INVALID_PARAMETER;
  }
  dpc->Number = static_cast<USHORT>(number->Number + 1);
  return STATUS_SUCCESS;
}

VOID KeFlushQueuedDpcs() {
  KernelEntry call{Fn::KeFlushQueuedDpcs};
  call.machine().dpcs().flush();
}

}  // extern "C"
