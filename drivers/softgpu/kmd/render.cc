// From a client's command buffer to a DMA buffer with physical addresses: checked in DxgkDdiRender, where the
// allocations need not be in memory yet, and filled in by DxgkDdiPatch when they are.
#include "allocation.h"
#include "command.h"
#include "driver.h"
#include "user_memory.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

void write_address(UCHAR* dma, const D3DDDI_PATCHLOCATIONLIST& location, const DXGK_ALLOCATIONLIST& allocation) {
  UINT64 address = softgpu_segment_address(
      allocation.SegmentId, static_cast<UINT64>(allocation.PhysicalAddress.QuadPart) + location.AllocationOffset);
  RtlCopyMemory(dma + location.PatchOffset, &address, sizeof(address));
}

// What the packet does at `offset` has to lie inside of the allocation, and be allowed.
NTSTATUS check_operand(const DXGKARG_RENDER& args, const D3DDDI_PATCHLOCATIONLIST& location, const Operand& operand,
                       UINT offset) {
  if (location.PatchOffset != offset || location.AllocationIndex >= args.AllocationListSize ||
      location.SlotId != 0) {  // there are no others
    return STATUS_INVALID_PARAMETER;
  }
  const DXGK_ALLOCATIONLIST& listed = args.pAllocationList[location.AllocationIndex];
  const auto* view = static_cast<const View*>(listed.hDeviceSpecificAllocation);
  if (view == nullptr) return STATUS_INVALID_HANDLE;
  UINT64 bytes = view->allocation->bytes;
  if (location.AllocationOffset > bytes || operand.bytes > bytes - location.AllocationOffset) {
    return STATUS_INVALID_PARAMETER;
  }
  return operand.written && (view->read_only || !listed.WriteOperation) ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

// The copies in the DMA buffer and in the output list, whatever the client does to its own by now. Every address has
// its entry, and every entry its address.
NTSTATUS check(const DXGKARG_RENDER& args) {
  const UCHAR* dma = static_cast<const UCHAR*>(args.pDmaBuffer);
  UINT location = 0;
  for (UINT at = 0; at < args.CommandLength;) {
    Command command;
    NTSTATUS status = read_command(dma + at, args.CommandLength - at, command);
    if (!NT_SUCCESS(status)) return status;
    for (UINT i = 0; i < command.operand_count; ++i, ++location) {
      if (location == args.PatchLocationListInSize) return STATUS_INVALID_PARAMETER;
      const Operand& operand = command.operands[i];
      status = check_operand(args, args.pPatchLocationListOut[location], operand, at + operand.offset);
      if (!NT_SUCCESS(status)) return status;
    }
    at += command.bytes;
  }
  return location == args.PatchLocationListInSize ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

// An allocation that is where it will be needed spares DxgkDdiPatch the work, if it stays there.
void patch_resident(const DXGKARG_RENDER& args) {
  UCHAR* dma = static_cast<UCHAR*>(args.pDmaBuffer);
  for (UINT i = 0; i < args.PatchLocationListInSize; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& location = args.pPatchLocationListOut[i];
    const DXGK_ALLOCATIONLIST& allocation = args.pAllocationList[location.AllocationIndex];
    if (allocation.SegmentId != 0) write_address(dma, location, allocation);
  }
}

}  // namespace

NTSTATUS render(IN_CONST_HANDLE, INOUT_PDXGKARG_RENDER pRender) {
  PAGED_CODE();
  DXGKARG_RENDER& args = *pRender;
  SIZE_T list_bytes = args.PatchLocationListInSize * sizeof(D3DDDI_PATCHLOCATIONLIST);
  if (args.CommandLength % 8 != 0) return STATUS_INVALID_PARAMETER;
  if (args.CommandLength > args.DmaSize || args.PatchLocationListInSize > args.PatchLocationListOutSize) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  if (!copy_from_user(args.pDmaBuffer, args.pCommand, args.CommandLength) ||
      !copy_from_user(args.pPatchLocationListOut, args.pPatchLocationListIn, list_bytes)) {
    return STATUS_INVALID_USER_BUFFER;
  }
  NTSTATUS status = check(args);
  if (!NT_SUCCESS(status)) return status;
  patch_resident(args);
  args.pDmaBuffer = static_cast<UCHAR*>(args.pDmaBuffer) + args.CommandLength;
  args.pPatchLocationListOut += args.PatchLocationListInSize;
  return STATUS_SUCCESS;
}

// Must not fail. Paging buffers come by with nothing to patch.
NTSTATUS patch(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PATCH pPatch) {
  PAGED_CODE();
  UCHAR* dma = static_cast<UCHAR*>(pPatch->pDmaBuffer);
  UINT end = pPatch->PatchLocationListSubmissionStart + pPatch->PatchLocationListSubmissionLength;
  for (UINT i = pPatch->PatchLocationListSubmissionStart; i < end; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& location = pPatch->pPatchLocationList[i];
    write_address(dma, location, pPatch->pAllocationList[location.AllocationIndex]);
  }
  return STATUS_SUCCESS;
}

}  // namespace softgpu
