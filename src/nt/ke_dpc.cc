// DPCs. Pages: wdm/nf-wdm-keinitializedpc, nf-wdm-keinsertqueuedpc, nf-wdm-keflushqueueddpcs, …
#include "nt/call.h"
#include "nt/dispatcher.h"
#include "nt/dpc_queues.h"

using nt::Broke;
using nt::Call;
using nt::Fn;

namespace {

void initialise(Call& call, KDPC& dpc, nt::DpcType type, PKDEFERRED_ROUTINE routine, void* context) {
  bool queued;
  {
    nt::Dispatcher::Guard guard(call.machine().dispatcher().lock());
    queued = call.machine().dispatcher().live().find(reinterpret_cast<uintptr_t>(&dpc), nt::LiveKind::Dpc) != nullptr;
  }
  if (queued) call.machine().broke(Broke::ReinitialisedLive, "KeInitializeDpc of a DPC that is queued");
  dpc = {};
  dpc.Type = static_cast<UCHAR>(type);
  dpc.Importance = MediumImportance;
  dpc.Signature = nt::kDpcSignature;
  dpc.DeferredRoutine = routine;
  dpc.DeferredContext = context;
  dpc.Reserved1[0] = call.machine().dispatcher().next_ordinal();
}

bool known(Call& call, const KDPC& dpc, const char* sentence) {
  if (dpc.Signature == nt::kDpcSignature) return true;
  call.machine().broke(Broke::NotInitialised, sentence);
  return false;
}

}  // namespace

extern "C" {

VOID KeInitializeDpc(PRKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  Call call{Fn::KeInitializeDpc};
  initialise(call, *dpc, nt::DpcType::Normal, routine, context);
}

VOID KeInitializeThreadedDpc(PRKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  Call call{Fn::KeInitializeThreadedDpc};
  initialise(call, *dpc, nt::DpcType::Threaded, routine, context);
}

BOOLEAN KeInsertQueueDpc(PRKDPC dpc, PVOID argument1, PVOID argument2) {
  Call call{Fn::KeInsertQueueDpc};
  if (!known(call, *dpc, "KeInsertQueueDpc was given a DPC that was never initialised")) return FALSE;
  bool inserted = call.machine().dpcs().insert(*dpc, argument1, argument2, call.thread().scope);
  call.machine().executor().yield(base::Point::Dpc);
  return inserted;
}

BOOLEAN KeRemoveQueueDpc(PRKDPC dpc) {
  Call call{Fn::KeRemoveQueueDpc};
  call.machine().executor().yield(base::Point::Dpc);
  return call.machine().dpcs().remove(*dpc);
}

VOID KeSetImportanceDpc(PRKDPC dpc, KDPC_IMPORTANCE importance) {
  Call call{Fn::KeSetImportanceDpc};
  dpc->Importance = static_cast<UCHAR>(importance);
}

VOID KeSetTargetProcessorDpc(PRKDPC dpc, CCHAR number) {
  Call call{Fn::KeSetTargetProcessorDpc};
  auto processor = static_cast<uint32_t>(static_cast<UCHAR>(number));
  if (processor < call.machine().executor().processor_count()) dpc->Number = static_cast<USHORT>(processor + 1);
}

NTSTATUS KeSetTargetProcessorDpcEx(PKDPC dpc, PPROCESSOR_NUMBER number) {
  Call call{Fn::KeSetTargetProcessorDpcEx};
  if (number->Group != 0 || number->Number >= call.machine().executor().processor_count()) {
    return STATUS_INVALID_PARAMETER;
  }
  dpc->Number = static_cast<USHORT>(number->Number + 1);
  return STATUS_SUCCESS;
}

VOID KeFlushQueuedDpcs() {
  Call call{Fn::KeFlushQueuedDpcs};
  call.machine().dpcs().flush();
}

}  // extern "C"
