// The interrupt, at DIRQL: what the hardware did, told to the graphics kernel; and the DPC behind it.
#include "interrupt.h"

#include "driver.h"

namespace softgpu {
namespace {

void notify(Adapter& adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  adapter.dxgk.DxgkCbNotifyInterrupt(adapter.dxgk.DeviceHandle, &data);
  InterlockedExchange(&adapter.notified, TRUE);
}

void notify_completed(Adapter& adapter, Engine& engine) {
  UINT fence;
  if (!engine.take_completed(fence)) return;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = engine.index();
  notify(adapter, data);
}

void notify_preempted(Adapter& adapter, Engine& engine) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  if (!engine.take_preempted(data.DmaPreempted.PreemptionFenceId, data.DmaPreempted.LastCompletedFenceId)) return;
  data.DmaPreempted.NodeOrdinal = engine.index();
  notify(adapter, data);
}

void notify_signaled(Adapter& adapter, const Engine& engine) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
  data.MonitoredFenceSignaled.NodeOrdinal = engine.index();
  notify(adapter, data);
}

// The engine stands still until it is reset. If it was reset before this runs, there is nothing to tell.
void notify_faulted(Adapter& adapter, const Engine& engine) {
  if (engine.state() != SOFTGPU_STATE_FAULTED) return;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  if constexpr (kGpuMmu) {
    ULONG fault = engine.read(SOFTGPU_ENGINE_FAULT_STATUS);
    ULONG kind = fault & SOFTGPU_FAULT_KIND_MASK;
    bool write = (fault & SOFTGPU_FAULT_ACCESS_MASK) == SOFTGPU_FAULT_WRITE;
    bool command = kind == SOFTGPU_FAULT_COMMAND || kind == SOFTGPU_FAULT_PRIVILEGE || kind == SOFTGPU_FAULT_RING;
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    data.DmaPageFaulted.FaultedFenceId = engine.fence_at_head();
    data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber = DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
    data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
    data.DmaPageFaulted.PageFaultFlags =
        static_cast<DXGK_PAGE_FAULT_FLAGS>(DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | (write ? DXGK_PAGE_FAULT_WRITE : 0));
    data.DmaPageFaulted.FaultedVirtualAddress = engine.read64(SOFTGPU_ENGINE_FAULT_ADDRESS);
    data.DmaPageFaulted.NodeOrdinal = engine.index();
    data.DmaPageFaulted.PageTableLevel = (fault & SOFTGPU_FAULT_LEVEL_MASK) >> SOFTGPU_FAULT_LEVEL_SHIFT;
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode =
        command ? DXGK_GENERAL_ERROR_INVALID_INSTRUCTION : DXGK_GENERAL_ERROR_PAGE_FAULT;
  } else {
    data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    data.DmaFaulted.FaultedFenceId = engine.fence_at_head();
    data.DmaFaulted.Status = STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
    data.DmaFaulted.NodeOrdinal = engine.index();
  }
  notify(adapter, data);
}

// Fences first: what a preemption or a fault is about comes after them.
void serve(Adapter& adapter, Engine& engine, ULONG causes) {
  ULONG i = engine.index();
  ULONG stopped = SOFTGPU_INT_PREEMPTED(i) | SOFTGPU_INT_FAULT(i);
  if (causes & (SOFTGPU_INT_FENCE(i) | stopped)) notify_completed(adapter, engine);
  if (causes & SOFTGPU_INT_PREEMPTED(i)) notify_preempted(adapter, engine);
  if (causes & SOFTGPU_INT_FAULT(i)) notify_faulted(adapter, engine);
  if (kGpuMmu && (causes & SOFTGPU_INT_SIGNAL(i))) notify_signaled(adapter, engine);
}

void queue_dpc(Adapter& adapter) { adapter.dxgk.DxgkCbQueueDpc(adapter.dxgk.DeviceHandle); }

}  // namespace

void report_completed(Adapter& adapter, Engine& engine) {
  notify_completed(adapter, engine);
  queue_dpc(adapter);
}

void preempt(Adapter& adapter, Engine& engine, UINT preemption_fence) {
  if (!engine.preempt(preemption_fence)) return;
  notify_completed(adapter, engine);
  notify_preempted(adapter, engine);
  queue_dpc(adapter);
}

// The line is shared, and may be raised before the adapter is started.
BOOLEAN interrupt_routine(const PVOID MiniportDeviceContext, ULONG) {
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  if (ReadNoFence(&adapter.interrupts_on) == 0) return FALSE;
  ULONG causes = adapter.registers.read(SOFTGPU_REG_INT_STATUS);
  if (causes == 0 || (causes & ~SOFTGPU_INT_ALL) != 0) return FALSE;  // all bits: the hardware has gone

  adapter.registers.write(SOFTGPU_REG_INT_ACK, causes);
  InterlockedIncrement(&adapter.interrupt_count);
  for (Engine& engine : adapter.engines) serve(adapter, engine, causes);
  queue_dpc(adapter);
  return TRUE;
}

void dpc_routine(const PVOID MiniportDeviceContext) {
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  InterlockedIncrement(&adapter.dpc_count);
  if (InterlockedExchange(&adapter.notified, FALSE)) adapter.dxgk.DxgkCbNotifyDpc(adapter.dxgk.DeviceHandle);
}

}  // namespace softgpu
