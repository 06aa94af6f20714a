// Interrupts. Pages: dispmprt/nc-dispmprt-dxgkcb_queue_dpc, nc-dispmprt-dxgkcb_synchronize_execution,
// d3dkmddi/nc-d3dkmddi-dxgkcb_notify_interrupt, nc-d3dkmddi-dxgkcb_notify_dpc
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/work/gpu.h"
#include "nt/hardware/interrupts.h"
#include "nt/mm/touch.h"

namespace dxgk {
namespace {

BOOLEAN queue_dpc(HANDLE device) {
  CallbackCall call(Cb::QueueDpc);
  Adapter* adapter = call.adapter(device);
  return adapter && adapter->interrupts().queue_dpc();
}

NTSTATUS synchronize_execution(HANDLE device, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG message,
                               PBOOLEAN result) {
  CallbackCall call(Cb::SynchronizeExecution);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !routine || !result) return STATUS_INVALID_PARAMETER;
  if (message != 0) {
    return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "a line-based interrupt has message number 0 only"));
  }
  if (adapter->interrupts().synchronize(routine, context, result)) return STATUS_SUCCESS;
  return call.refuse(base::Failure(STATUS_UNSUCCESSFUL, "no interrupt is connected"));
}

VOID notify_interrupt(IN_CONST_HANDLE device, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data) {
  CallbackCall call(Cb::NotifyInterrupt);
  Adapter* adapter = call.adapter(device);
  if (!adapter) return;
  nt::touch(data, sizeof(*data));
  adapter->interrupts().told_interrupt();
  adapter->gpu().interrupted(*data);
  if (adapter->interrupt_sink()) adapter->interrupt_sink()->interrupted(*data);
}

VOID notify_dpc(IN_CONST_HANDLE device) {
  CallbackCall call(Cb::NotifyDpc);
  Adapter* adapter = call.adapter(device);
  if (!adapter) return;
  adapter->interrupts().told_dpc();
  adapter->gpu().deferred();
  if (adapter->interrupt_sink()) adapter->interrupt_sink()->deferred();
}

}  // namespace

void fill_interrupt_callbacks(DXGKRNL_INTERFACE& interface) {
  interface.DxgkCbQueueDpc = &queue_dpc;
  interface.DxgkCbSynchronizeExecution = &synchronize_execution;
  interface.DxgkCbNotifyInterrupt = &notify_interrupt;
  interface.DxgkCbNotifyDpc = &notify_dpc;
}

}  // namespace dxgk
