// DxgkDdiPresent, for a driver without a display: blts between surfaces. There is nothing to flip.
#include "blt.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

// Virtual addressing has another list, of another shape.
Surface surface_at(const DXGKARG_PRESENT& args, UINT index) {
  if constexpr (kGpuMmu) {
    const DXGK_PRESENTALLOCATIONINFO& info = args.pAllocationInfo[index];
    const auto* view = static_cast<const View*>(info.hDeviceSpecificAllocation);
    return {view != nullptr ? view->allocation : nullptr, info.AllocationVirtualAddress, index};
  } else {
    const DXGK_ALLOCATIONLIST& listed = args.pAllocationList[index];
    const auto* view = static_cast<const View*>(listed.hDeviceSpecificAllocation);
    UINT64 physical = static_cast<UINT64>(listed.PhysicalAddress.QuadPart);
    return {view != nullptr ? view->allocation : nullptr,
            listed.SegmentId != 0 ? softgpu_segment_address(listed.SegmentId, physical) : 0, index};
  }
}

NTSTATUS draw(const DXGKARG_PRESENT& args, Blt& blt) {
  Surface destination = surface_at(args, DXGK_PRESENT_DESTINATION_INDEX);
  if (destination.allocation == nullptr) return STATUS_INVALID_HANDLE;
  Surface source = {};
  if (args.Flags.Blt) {
    source = surface_at(args, DXGK_PRESENT_SOURCE_INDEX);
    if (source.allocation == nullptr) return STATUS_INVALID_HANDLE;
  }
  NTSTATUS status = STATUS_SUCCESS;
  for (UINT i = 0; i < args.SubRectCnt && NT_SUCCESS(status); ++i) {
    const RECT& part = args.pDstSubRects[i];
    status = args.Flags.Blt ? blt.copy(source, args.SrcRect, destination, args.DstRect, part)
                            : blt.fill(destination, part, args.Color);
  }
  return status == STATUS_INVALID_PARAMETER ? STATUS_GRAPHICS_CANNOTCOLORCONVERT : status;
}

}  // namespace

NTSTATUS present(IN_CONST_HANDLE, INOUT_PDXGKARG_PRESENT pPresent) {
  PAGED_CODE();
  DXGKARG_PRESENT& args = *pPresent;
  if (!args.Flags.Blt && !args.Flags.ColorFill) return STATUS_SUCCESS;
  Blt blt(args.pDmaBuffer, args.DmaSize, kGpuMmu ? nullptr : args.pPatchLocationListOut, args.PatchLocationListOutSize,
          args.MultipassOffset);
  NTSTATUS status = draw(args, blt);
  args.pDmaBuffer = blt.dma();
  if constexpr (!kGpuMmu) args.pPatchLocationListOut = blt.patches();
  args.MultipassOffset = blt.rows();
  return status;
}

}  // namespace softgpu
