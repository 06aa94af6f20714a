// When the GPU does not answer: what the engines are doing, and how to get them back. Not paged, since the resets
// change what the interrupt looks at.
#include "adapter.h"
#include "driver.h"

namespace softgpu {
namespace {

// What DxgkDdiCollectDbgInfo leaves in the dump.
struct EngineReport {
  ULONG state;
  ULONG fault;
  ULONG head;
  ULONG tail;
  ULONG64 fault_address;
  ULONG64 fence;
};

EngineReport report(const Engine& engine) {
  return {engine.state(),
          engine.read(SOFTGPU_ENGINE_FAULT_STATUS),
          engine.read(SOFTGPU_ENGINE_RING_HEAD),
          engine.read(SOFTGPU_ENGINE_RING_TAIL),
          engine.read64(SOFTGPU_ENGINE_FAULT_ADDRESS),
          engine.read64(SOFTGPU_ENGINE_FENCE_CURRENT)};
}

}  // namespace

NTSTATUS query_engine_status(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYENGINESTATUS pQueryEngineStatus) {
  if (!has_engine(pQueryEngineStatus->NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  ULONG state = adapter_of(hAdapter).engines[pQueryEngineStatus->NodeOrdinal].state();
  pQueryEngineStatus->EngineStatus.Value = 0;
  pQueryEngineStatus->EngineStatus.Responsive = state != SOFTGPU_STATE_DISABLED && state <= SOFTGPU_STATE_PREEMPTED;
  return STATUS_SUCCESS;
}

// Each engine can be reset alone.
NTSTATUS query_dependent_engine_group(IN_CONST_HANDLE,
                                      INOUT_PDXGKARG_QUERYDEPENDENTENGINEGROUP pQueryDependentEngineGroup) {
  if (!has_engine(pQueryDependentEngineGroup->NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  pQueryDependentEngineGroup->DependentNodeOrdinalMask = 1ull << pQueryDependentEngineGroup->NodeOrdinal;
  return STATUS_SUCCESS;
}

// What was running is aborted; what waited behind it never ran and comes again. With nothing in the ring nothing is
// aborted but the last one that completed. A failure makes the system reset the adapter instead.
NTSTATUS reset_engine(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_RESETENGINE pResetEngine) {
  Adapter& adapter = adapter_of(hAdapter);
  if (!has_engine(pResetEngine->NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  Engine& engine = adapter.engines[pResetEngine->NodeOrdinal];
  bool done = false;
  hold_interrupts(adapter, [&] {
    UINT aborted = engine.fence_at_head();
    done = engine.reset();
    if (!done) return;
    engine.settle(aborted);
    engine.start();
    pResetEngine->LastAbortedFenceId = aborted;
  });
  return done ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

// Must not fail. Until DxgkDdiRestartFromTimeout the hardware stays off.
NTSTATUS reset_from_timeout(IN_CONST_HANDLE hAdapter) {
  reset_hardware(adapter_of(hAdapter));
  return STATUS_SUCCESS;
}

NTSTATUS restart_from_timeout(IN_CONST_HANDLE hAdapter) {
  start_hardware(adapter_of(hAdapter));
  return STATUS_SUCCESS;
}

NTSTATUS collect_dbg_info(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_COLLECTDBGINFO pCollectDbgInfo) {
  const Adapter& adapter = adapter_of(hAdapter);
  EngineReport reports[SOFTGPU_ENGINES];
  for (ULONG i = 0; i < SOFTGPU_ENGINES; ++i) reports[i] = report(adapter.engines[i]);
  RtlCopyMemory(pCollectDbgInfo->pBuffer, reports, lesser<SIZE_T>(pCollectDbgInfo->BufferSize, sizeof(reports)));
  if (pCollectDbgInfo->pExtension != nullptr) pCollectDbgInfo->pExtension->BucketingKey = reports[0].state;
  return STATUS_SUCCESS;
}

}  // namespace softgpu
