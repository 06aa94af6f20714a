#include "device.h"

#include "context_image.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT kListSize = 256;

// Of a driver with virtual addresses the graphics kernel needs DMA buffers for presents only, and for those an aperture
// segment: with any other it would not start.
DXGK_CONTEXTINFO virtual_context_info(DXGK_CREATECONTEXTFLAGS flags) {
  DXGK_CONTEXTINFO info = {};
  info.Caps.NoPatchingRequired = 1;
  info.PagingCompanionNodeId = SOFTGPU_ENGINE_COPY;
  if (kComputeOnly || flags.SystemContext) return info;
  info.DmaBufferSize = kDmaBufferBytes;
  info.DmaBufferSegmentSet = 1u << (SOFTGPU_SEGMENT_APERTURE - 1);
  if (flags.GdiContext) info.AllocationListSize = kListSize;
  return info;
}

// Segment set 0: contiguous system memory.
DXGK_CONTEXTINFO physical_context_info() {
  DXGK_CONTEXTINFO info = {};
  info.DmaBufferSize = kDmaBufferBytes;
  info.AllocationListSize = kListSize;
  info.PatchLocationListSize = 4 * kListSize;
  return info;
}

}  // namespace

NTSTATUS create_process(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEPROCESS pArgs) {
  PAGED_CODE();
  Process* process = allocate<Process>(POOL_FLAG_PAGED);
  if (process == nullptr) return STATUS_NO_MEMORY;
  process->dxgk_process = pArgs->hDxgkProcess;
  pArgs->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS destroy_process(IN_CONST_HANDLE, IN_CONST_HANDLE hKmdProcess) {
  PAGED_CODE();
  release(static_cast<Process*>(hKmdProcess));
  return STATUS_SUCCESS;
}

NTSTATUS create_device(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE pCreateDevice) {
  PAGED_CODE();
  Device* device = allocate<Device>(POOL_FLAG_NON_PAGED);
  if (device == nullptr) return STATUS_NO_MEMORY;
  device->adapter = &adapter_of(hAdapter);
  device->dxgk_device = pCreateDevice->hDevice;
  device->gdi = pCreateDevice->Flags.GdiDevice;
  pCreateDevice->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS destroy_device(IN_CONST_HANDLE hDevice) {
  PAGED_CODE();
  release(static_cast<Device*>(hDevice));
  return STATUS_SUCCESS;
}

// A client that wants an engine we do not have, or has something to say to us, is not ours.
NTSTATUS create_context(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT pCreateContext) {
  PAGED_CODE();
  if (!has_engine(pCreateContext->NodeOrdinal) || pCreateContext->PrivateDriverDataSize != 0) {
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  Context* context = allocate<Context>(POOL_FLAG_NON_PAGED);
  if (context == nullptr) return STATUS_NO_MEMORY;
  context->device = static_cast<Device*>(hDevice);
  context->id = static_cast<UINT64>(InterlockedIncrement64(&context->device->adapter->context_count));
  context->node = pCreateContext->NodeOrdinal;
  context->system = pCreateContext->Flags.SystemContext;
  if (!context->system) {
    NTSTATUS status = create_image(*context, pCreateContext->hContext);
    if (!NT_SUCCESS(status)) {
      release(context);
      return status;
    }
  }
  pCreateContext->ContextInfo = kGpuMmu ? virtual_context_info(pCreateContext->Flags) : physical_context_info();
  pCreateContext->hContext = context;
  return STATUS_SUCCESS;
}

// Nothing of it is in the ring any more, but its registers may still be in the engine.
NTSTATUS destroy_context(IN_CONST_HANDLE hContext) {
  PAGED_CODE();
  Context* context = static_cast<Context*>(hContext);
  context->device->adapter->engines[context->node].forget(context->id);
  destroy_image(*context);
  release(context);
  return STATUS_SUCCESS;
}

NTSTATUS set_virtual_machine_data(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA) {
  PAGED_CODE();
  return STATUS_SUCCESS;
}

}  // namespace softgpu
